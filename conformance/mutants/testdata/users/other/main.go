// SPDX-License-Identifier: Apache-2.0

// Other is a program, whose tests are not run.
package main

import _ "example.com/users/internal/half"

func main() {}
