// SPDX-License-Identifier: Apache-2.0

package users

import "example.com/users/internal/half"

func Half(n int) int { return half.Of(n) }
