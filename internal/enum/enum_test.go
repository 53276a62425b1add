// SPDX-License-Identifier: Apache-2.0

package enum_test

import (
	"testing"

	"github.com/seed-0529bac1/taints/internal/enum"
)

type color uint8

var colors = []string{"Red", "Green"}

func TestString(t *testing.T) {
	for c, want := range map[color]string{0: "Red", 1: "Green", 2: "Color(2)", 200: "Color(200)"} {
		if got := enum.String(c, "Color", colors); got != want {
			t.Errorf("%d is %s, want %s", c, got, want)
		}
	}
}

func TestParse(t *testing.T) {
	for i, name := range colors {
		c := color(77)
		if err := enum.Parse(&c, "Color", colors, []byte(name)); err != nil || c != color(i) {
			t.Errorf("%s is %d, %v", name, c, err)
		}
	}
	for text, want := range map[string]string{
		"":     `unknown Color "": must be one of Red, Green`,
		"red":  `unknown Color "red": must be one of Red, Green`,
		"Red ": `unknown Color "Red ": must be one of Red, Green`,
		"0":    `unknown Color "0": must be one of Red, Green`,
	} {
		c := color(77)
		if err := enum.Parse(&c, "Color", colors, []byte(text)); err == nil || err.Error() != want || c != 77 {
			t.Errorf("%q is %d, %v", text, c, err)
		}
	}
}
