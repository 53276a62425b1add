// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test/golden"
)

func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run(&out, nodes, pods); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "sample", out.String())
}

func TestBadInput(t *testing.T) {
	var fieldErr *taints.FieldError
	for name, err := range map[string]error{
		"taint":      run(io.Discard, []node{{"a", 1, "k:No"}}, nil),
		"toleration": run(io.Discard, nil, []pod{{"a", []string{"k op=NoSuchOperator"}}}),
	} {
		if !errors.As(err, &fieldErr) || !errors.Is(err, taints.ErrNotSupported) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
