// SPDX-License-Identifier: Apache-2.0

package lifecycle

import "github.com/seed-0529bac1/taints"

// unknownName returns the error for a text that names no constant.
func unknownName(text, detail string) error {
	return &taints.FieldError{Value: text, Kind: taints.ErrUnsupported, Detail: detail, Input: text}
}
