// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"strings"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/enum"
)

// unmarshalName sets e to the constant that the text names.
func unmarshalName[E ~uint8](e *E, kind string, names []string, text []byte) error {
	i, ok := enum.Index(names, text)
	if !ok {
		input, detail := string(text), "must be one of "+strings.Join(names, ", ")
		fault := &taints.FieldError{Value: input, Err: taints.ErrUnsupported, Detail: detail}
		return &taints.ParseError{Kind: kind, Input: input, Err: fault}
	}
	*e = E(i)
	return nil
}
