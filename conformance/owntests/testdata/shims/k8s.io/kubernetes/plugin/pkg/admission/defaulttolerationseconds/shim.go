package defaulttolerationseconds

import (
	"context"
	"fmt"

	"github.com/seed-0529bac1/taints"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apiserver/pkg/admission"
	api "k8s.io/kubernetes/pkg/apis/core"
	"owntests.example/coreview"
)

func (p *Plugin) Admit(ctx context.Context, attributes admission.Attributes, o admission.ObjectInterfaces) (err error) {
	if attributes.GetResource().GroupResource() != api.Resource("pods") || attributes.GetSubresource() != "" {
		return nil
	}
	pod, ok := attributes.GetObject().(*api.Pod)
	if !ok {
		return errors.NewBadRequest(fmt.Sprintf("expected *api.Pod but got %T", attributes.GetObject()))
	}
	seconds := taints.DefaultTolerationSeconds{NotReady: p.notReadyToleration.TolerationSeconds, Unreachable: p.unreachableToleration.TolerationSeconds}
	pod.Spec.Tolerations = coreview.CoreTolerations(taints.AddDefaultTolerations(coreview.Tolerations(pod.Spec.Tolerations), seconds))
	return nil
}
