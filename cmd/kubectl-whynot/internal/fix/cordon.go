// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"strings"

	"github.com/seed-0529bac1/taints/cmd/internal/say"
)

// cordonStep returns what to do about cordoned nodes. Only a person ends what a person began,
// and only where nothing else speaks against it.
func (x *Pods) cordonStep(s *Stay, look, uncordon func(string) Step, since func(before, after string) string) Step {
	with := ""
	if s.By != "" {
		with = " by " + s.By
	}
	because := strings.TrimSuffix(": "+s.Evidence, ": ")
	if len(s.nodes) > 1 {
		because = strings.ReplaceAll(because, "its ", "their ")
	}
	switch {
	case s.IsFree() && s.By != "":
		return uncordon("if the maintenance of WHO, cordoned" + with + since("", ",") + " is over, uncordon THEM")
	case s.IsFree():
		return uncordon("if the maintenance of WHO" + since(", cordoned", ",") + " is over, uncordon THEM")
	case s.IsByController():
		return look("wait until " + s.By + " uncordons WHO" + since(", cordoned", "") + because)
	case s.IsToRepair():
		return look("repair WHO, which ARE cordoned" + with + since("", "") + " and not Ready: to uncordon THEM alone is not enough")
	case s.By == "":
		text := say.Noun(len(s.nodes), "node") + " " + say.NamesOf(s.nodes, len(s.nodes)) + since(", cordoned", ",")
		return x.onNodes("find out who has "+text+" and ends that, before anybody uncordons "+say.For(len(s.nodes), "it", "them")+because+
			". managedFields name the client that cordoned", s.nodes, 3, "get", "node", "-o", "yaml", "--show-managed-fields")
	default:
		return look("find out who has WHO, cordoned" + with + since("", ",") + " and ends that, before anybody uncordons THEM" + because)
	}
}
