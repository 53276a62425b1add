package taints_test

import (
	_ "github.com/google/go-cmp/cmp"
	_ "pgregory.net/rapid"
)
