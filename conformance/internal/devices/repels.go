// SPDX-License-Identifier: Apache-2.0

//go:build !kubernetes1.34

package devices

import "github.com/seed-0529bac1/taints"

// Repels are the effects of taints that prevent the allocation of a device.
const Repels = taints.HardEffects
