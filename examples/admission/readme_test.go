// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net"
	"os/exec"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints/examples/internal/readme"
)

// TestReadmeCommands runs the commands of the README, which says what they print.
func TestReadmeCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program: leave out -short")
	}
	for _, tool := range []string{"bash", "curl", "jq", "base64"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	// The README prints the default address, which another program may have.
	listener, err := net.Listen("tcp", "127.0.0.1:8443")
	if err != nil {
		t.Skip(err)
	}
	listener.Close()
	commands := readme.Blocks(t, "README.md", "sh")
	if len(commands) != 1 {
		t.Fatalf("%d blocks of commands, want 1", len(commands))
	}
	var printed strings.Builder
	for _, output := range readme.Blocks(t, "README.md", "") {
		printed.WriteString(output.Text)
	}
	if got := commands[0].Run(t, "../.."); got != printed.String() {
		t.Errorf("the commands print\n%s\nand the README\n%s", got, printed.String())
	}
}
