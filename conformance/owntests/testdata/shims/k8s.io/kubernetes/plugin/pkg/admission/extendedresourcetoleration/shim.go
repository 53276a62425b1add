package extendedresourcetoleration

import (
	"context"
	"fmt"

	"github.com/seed-0529bac1/taints"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/kubernetes/pkg/apis/core"
	"owntests.example/coreview"
)

func (p *plugin) Admit(ctx context.Context, attributes admission.Attributes, o admission.ObjectInterfaces) error {
	if attributes.GetSubresource() != "" || attributes.GetResource().GroupResource() != core.Resource("pods") {
		return nil
	}
	pod, ok := attributes.GetObject().(*core.Pod)
	if !ok {
		return errors.NewBadRequest(fmt.Sprintf("expected *core.Pod but got %T", attributes.GetObject()))
	}
	var names []string
	for _, containers := range [][]core.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
		for _, c := range containers {
			for name := range c.Resources.Requests {
				names = append(names, string(name))
			}
		}
	}
	pod.Spec.Tolerations = coreview.CoreTolerations(taints.AddExtendedResourceTolerations(coreview.Tolerations(pod.Spec.Tolerations), names...))
	return nil
}
