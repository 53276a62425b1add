package flag

import (
	"fmt"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
)

func (t RegisterWithTaintsVar) Set(s string) error {
	if t.Value == nil {
		return fmt.Errorf("no target (nil pointer to []v1.Taint)")
	}
	list, err := taints.ParseTaints(s)
	if err != nil {
		return err
	}
	*t.Value = kube.CoreTaints(list)
	return nil
}
