// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/manifest"
)

// Decode adds the object of the manifest. It only counts objects of other kinds.
func (c *Cluster) Decode(m manifest.Object) error {
	version := apiVersions[m.Kind]
	switch {
	case m.Kind == "":
		return errors.New("kind is missing")
	case version != "" && m.APIVersion != "" && m.APIVersion != version:
		group := ""
		if path.Dir(m.APIVersion) != path.Dir(version) {
			group = "of another group: "
		}
		c.Others[m.Kind+" ("+group+"its apiVersion is "+m.APIVersion+", not "+version+")"]++
		return nil
	}
	switch m.Kind {
	case "Status":
		var status metav1.Status
		m.Decode(&status)
		return errors.New(status.Message)
	case "Table":
		return errors.New("this is a Table, which does not have the objects; use 'kubectl get -o json'")
	case "Node":
		return decodeAs(m, c.AddNode)
	case "Pod":
		return decodeAs(m, func(o *corev1.Pod) error {
			if o.Spec.NodeName == "" { // what is large matters too
				*o = corev1.Pod{}
				if err := m.Decode(o); err != nil {
					return err
				}
			}
			return c.AddPod(o)
		}, skipLarge)
	case "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController", "DeploymentConfig", "Job", "CronJob":
		return decodeAs(m, func(o *object) error { return c.addWorkload(m.Kind, o) })
	}
	c.Others[m.Kind]++
	c.addRules(&m)
	return nil
}

// apiVersions maps the kinds of objects that are evaluated to their API versions.
var apiVersions = map[string]string{
	"Node": "v1", "Pod": "v1", "Status": "v1", "Table": "meta.k8s.io/v1",
	"Deployment": "apps/v1", "StatefulSet": "apps/v1", "DaemonSet": "apps/v1", "ReplicaSet": "apps/v1",
	"ReplicationController": "v1", "DeploymentConfig": "apps.openshift.io/v1", "Job": "batch/v1", "CronJob": "batch/v1",
}

const runtimeClasses = "RuntimeClass scheduling"

// addRules notes the rules of an object of another kind.
func (c *Cluster) addRules(m *manifest.Object) {
	var o struct {
		metav1.ObjectMeta `json:"metadata"`
		Scheduling        any `json:"scheduling"`
	}
	switch m.Kind {
	case "ResourceQuota":
		c.Unevaluated.Insert("quotas")
	case "RuntimeClass":
		if m.Decode(&o) == nil && o.Scheduling != nil {
			c.Unevaluated.Insert(runtimeClasses)
		}
	case "Namespace":
		const prefix = "scheduler.alpha.kubernetes.io/"
		if m.Decode(&o) == nil && o.Annotations[prefix+"defaultTolerations"]+o.Annotations[prefix+"tolerationsWhitelist"] != "" {
			c.Unevaluated.Insert("tolerations that namespaces default or allow")
		}
	}
}

// decodeAs decodes and adds the object. Errors have its name.
func decodeAs[T any](m manifest.Object, add func(*T) error, options ...json.Options) error {
	o := new(T)
	err := m.Decode(o, options...)
	if err == nil {
		err = add(o)
	}
	if err == nil {
		return nil
	}
	var named struct{ Metadata PodName }
	m.Decode(&named, json.MatchCaseInsensitiveNames(true))
	name := strings.TrimPrefix(named.Metadata.String(), "/")
	return fmt.Errorf("%s: %w", strings.TrimSpace(m.Kind+" "+name), err)
}

// skipLarge skips the fields of a pod that are large and, if the pod has a node,
// not needed. This is much faster.
var skipLarge = json.WithUnmarshalers(json.JoinUnmarshalers(
	skip[[]corev1.Container](), skip[[]corev1.Volume](), skip[[]corev1.ContainerStatus](), skip[[]metav1.ManagedFieldsEntry](),
))

func skip[T any]() *json.Unmarshalers {
	return json.UnmarshalFromFunc(func(d *jsontext.Decoder, _ *T) error { return d.SkipValue() })
}

// checkNames returns an error unless Kubernetes allows the names of the object, its
// namespace and its owner. Commands repeat them, and none of them is like a flag.
func checkNames(m *metav1.ObjectMeta) error {
	const format = "%s is %q, which Kubernetes does not allow"
	owner := ownerOf(m)
	switch {
	case m.Name == "":
		return errors.New("metadata.name is missing")
	case !isName(m.Name):
		return fmt.Errorf(format, "metadata.name", m.Name)
	case m.Namespace != "" && (!isName(m.Namespace) || strings.Contains(m.Namespace, ".")):
		return fmt.Errorf(format, "metadata.namespace", m.Namespace)
	case owner != (Owner{}) && !isName(owner.Name):
		return fmt.Errorf(format, "the name of the owner in metadata.ownerReferences", owner.Name)
	}
	return nil
}

// isName reports whether the text is a DNS subdomain, as names of objects are.
// Kubernetes' own function takes five times as long.
func isName(s string) bool {
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || strings.Trim(label, "-") != label || strings.Trim(label, "-0123456789abcdefghijklmnopqrstuvwxyz") != "" {
			return false
		}
	}
	return len(s) <= 253
}
