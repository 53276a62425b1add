// SPDX-License-Identifier: Apache-2.0

//go:build js && wasm

// Wasm is the part of the playground that runs in the browser. It gives the page
// its version and one function, from the state of the form to the answer, and
// waits for calls.
package main

import (
	"runtime/debug"
	"syscall/js"

	"github.com/seed-0529bac1/taints/cmd/playground/internal/play"
)

// version is set by the linker if the program that builds this one is a release.
var version string

func main() {
	if info, ok := debug.ReadBuildInfo(); ok && version == "" {
		version = info.Main.Version
	}
	js.Global().Set("taintsVersion", version)
	js.Global().Set("answerTaints", js.FuncOf(func(_ js.Value, args []js.Value) any {
		return play.NewAnswer(func(name string) string {
			if len(args) > 0 && args[0].Type() == js.TypeObject && args[0].Get(name).Type() == js.TypeString {
				return args[0].Get(name).String()
			}
			return ""
		}).Object()
	}))
	select {}
}
