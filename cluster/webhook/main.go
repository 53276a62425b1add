// SPDX-License-Identifier: Apache-2.0

// Command webhook is an admission webhook for tolerations: it adds tolerations and
// node selectors to pods, and refuses tolerations that their namespace does not allow.
//
//	webhook -addr :8443 -cert-dir /etc/webhook-tls -rules /etc/admission/rules.json
//
// See README.md for the flags, and ../manifests/webhook for what a cluster needs.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/pager"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/config"
	"sigs.k8s.io/controller-runtime/pkg/healthz"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cluster/internal/program"
	"github.com/seed-0529bac1/taints/cluster/webhook/internal/policy"
	"github.com/seed-0529bac1/taints/cluster/webhook/internal/server"
	"github.com/seed-0529bac1/taints/kube"
	"github.com/seed-0529bac1/taints/tolerationset"
)

// drain is how long in-flight requests may take when the program stops. The grace
// period of a pod is 30 seconds, and a preStop hook may sleep for part of it.
const drain = 20 * time.Second

func main() { program.Main("webhook", &options{}) }

// options are the command-line options.
type options struct {
	addr, rules           string
	manager               ctrl.Options
	rotation              server.Rotation
	notReady, unreachable int64
	audit                 bool
}

// Register registers flags that set the options.
func (o *options) Register(fs *flag.FlagSet) {
	fs.StringVar(&o.addr, "addr", "127.0.0.1:8443", "`address` of the webhooks; :8443 in a pod")
	fs.StringVar(&o.manager.Metrics.BindAddress, "metrics-addr", "127.0.0.1:8080",
		"`address` of /metrics, without authentication; 0 disables it")
	fs.StringVar(&o.manager.HealthProbeBindAddress, "health-addr", "127.0.0.1:8081", "`address` of /healthz and /readyz; 0 disables it")
	fs.StringVar(&o.rotation.CertDir, "cert-dir", "/etc/webhook-tls", "`folder` with tls.crt and tls.key, read again when they change")
	fs.Func("rotate", "keep the certificate in this `NAMESPACE/SECRET`, which is mounted at -cert-dir,"+
		" and its authority in the registration; not for use with cert-manager", o.setRotate)
	fs.StringVar(&o.rotation.DNSName, "dns-name", "admission.taints-webhooks.svc", "DNS `name` in the certificate of -rotate")
	fs.StringVar(&o.rotation.Registration, "registration", "admission.taints-webhooks.svc",
		"`name` of both webhook configurations, for -rotate and -audit")
	fs.StringVar(&o.rules, "rules", "", "`file` with the rules, read again when it changes (default none)")
	fs.Int64Var(&o.notReady, "not-ready-seconds", policy.APIServerSeconds, "how long pods stay on a node that is not ready")
	fs.Int64Var(&o.unreachable, "unreachable-seconds", policy.APIServerSeconds, "how long pods stay on a node that is unreachable")
	fs.BoolVar(&o.audit, "audit", false, "list pods that the rules would refuse, and tolerations that make little sense, and exit")
}

func (o *options) setRotate(s string) error {
	namespace, name, err := cache.SplitMetaNamespaceKey(s)
	if err != nil || namespace == "" || name == "" {
		return errors.New("want NAMESPACE/SECRET")
	}
	o.rotation.Secret = types.NamespacedName{Namespace: namespace, Name: name}
	return nil
}

// Run serves the webhooks until the context ends, or audits.
func (o *options) Run(ctx context.Context, stdout io.Writer) error {
	logger := klog.Background()
	if o.audit {
		logger = logr.Discard() // it prints its findings instead
	}
	seconds := taints.DefaultTolerationSeconds{NotReady: &o.notReady, Unreachable: &o.unreachable}
	policies, err := server.OpenPolicies(o.rules, seconds, logger)
	if err != nil {
		return err
	}
	cluster := &rest.Config{} // no API server is called
	if o.audit || o.rotation.Secret.Name != "" {
		if cluster, err = config.GetConfig(); err != nil {
			return err
		}
	}
	if o.audit {
		client, err := kubernetes.NewForConfig(cluster)
		if err != nil {
			return err
		}
		return audit(ctx, client, policies.Policy(), o.rotation.Registration, stdout)
	}
	logger.Info("Starting", "version", program.Version())
	return o.serve(ctx, cluster, policies, logger)
}

func (o *options) serve(ctx context.Context, cluster *rest.Config, policies *server.Policies, log logr.Logger) error {
	o.manager.GracefulShutdownTimeout = new(drain)
	m, err := ctrl.NewManager(cluster, o.manager)
	if err != nil {
		return err
	}
	s, err := server.New(o.addr, o.rotation.CertDir, policies, log)
	if err != nil {
		return fmt.Errorf("-addr: %w", err)
	}
	err = errors.Join(m.Add(s), m.Add(policies), m.AddHealthzCheck("ping", healthz.Ping), m.AddReadyzCheck("webhook", s.Ready))
	if err == nil && o.rotation.Secret.Name != "" {
		o.rotation.Manager = m
		err = m.Add(&o.rotation)
	}
	if err != nil {
		return err
	}
	return m.Start(ctx)
}

// mostLinted is how many tolerations of a pod are linted. The time that this takes
// grows with the square of their number, which the pod's creator chooses.
const mostLinted = 100

// errRefusable is the error of an audit that found pods that would be refused.
var errRefusable = program.ExitError{Code: 3, Err: errors.New("the rules would refuse pods")}

// audit writes a line for each reason why the policy would refuse a pod if it were
// new, a line for each toleration that makes little sense, and the totals.
func audit(ctx context.Context, client kubernetes.Interface, p *policy.Policy, registration string, w io.Writer) error {
	selected, err := selectedNamespaces(ctx, client, registration)
	if err != nil {
		return err
	}
	pods, refused, findings := 0, 0, 0
	list := func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
		return client.CoreV1().Pods(metav1.NamespaceAll).List(ctx, o)
	}
	err = pager.New(list).EachListItem(ctx, metav1.ListOptions{}, func(object runtime.Object) error {
		pod := object.(*corev1.Pod)
		if !selected.Matches(labels.Set{corev1.LabelMetadataName: pod.Namespace}) {
			return nil
		}
		pods++
		lines, err := p.Audit(pod)
		if err != nil {
			return err
		}
		if len(lines) > 0 {
			refused++
		}
		tolerations := pod.Spec.Tolerations
		if n := len(tolerations); n > mostLinted {
			tolerations = nil
			lines = append(lines, fmt.Sprintf("%d tolerations, more than %d, are not checked for sense", n, mostLinted))
		}
		for _, finding := range tolerationset.Lint(kube.Tolerations(tolerations), taints.Options{}) {
			findings++
			lines = append(lines, finding.String())
		}
		for _, line := range lines {
			if _, err := fmt.Fprintf(w, "%s/%s: %s\n", pod.Namespace, pod.Name, line); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "pods: %d; would be refused: %d; tolerations that make little sense: %d\n", pods, refused, findings)
	if err == nil && refused > 0 {
		err = errRefusable
	}
	return err
}

// selectedNamespaces returns the registration's namespaceSelector, which audit applies
// to the name label only. If nothing is registered yet, it returns the manifest's.
func selectedNamespaces(ctx context.Context, client kubernetes.Interface, registration string) (labels.Selector, error) {
	configurations := client.AdmissionregistrationV1().ValidatingWebhookConfigurations()
	configuration, err := configurations.Get(ctx, registration, metav1.GetOptions{})
	if err == nil && len(configuration.Webhooks) > 0 {
		return metav1.LabelSelectorAsSelector(configuration.Webhooks[0].NamespaceSelector)
	}
	if err != nil && !apierrors.IsNotFound(err) {
		return nil, err
	}
	return labels.Parse(corev1.LabelMetadataName + " notin (kube-system, taints-webhooks)")
}
