// SPDX-License-Identifier: Apache-2.0

//go:build js && wasm

// Wasm is the part of the playground that runs in the browser. It gives the page one
// function, from the state of the form to the answer, both JSON, and waits to be
// called.
package main

import (
	"syscall/js"

	"github.com/seed-0529bac1/taints/examples/playground/internal/play"
)

func main() {
	js.Global().Set("answerTaints", js.FuncOf(func(_ js.Value, args []js.Value) any {
		state := ""
		if len(args) > 0 && args[0].Type() == js.TypeString {
			state = args[0].String()
		}
		return play.Answer(state)
	}))
	select {}
}
