// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// managedBy is the value of the label app.kubernetes.io/managed-by of all that this
// program writes. It touches nothing without.
const managedBy = "taints-webhook"

var labels = map[string]string{"app.kubernetes.io/managed-by": managedBy}

// A notOwnedError says that an object is somebody else's.
type notOwnedError string

func (e notOwnedError) Error() string { return string(e) }

// owned returns a notOwnedError if the object is somebody else's.
func owned(kind string, object metav1.Object) error {
	for key, want := range labels {
		if have := object.GetLabels()[key]; have != want {
			return notOwnedError(fmt.Sprintf("the %s %s is not this program's: its label %s is %q, not %q",
				kind, object.GetName(), key, have, want))
		}
	}
	return nil
}

// A registration is what API servers are told about the webhook.
type registration struct {
	name                         string // of both configurations
	namespace, service, url      string // the url, if there is one, takes the place of the service
	exempt                       []string
	mutatePolicy, validatePolicy admissionv1.FailurePolicyType
	timeout                      time.Duration
}

// apply writes both configurations where they are not as they should be, and
// reports whether one was not. If one cannot be written, the other is. The error is
// a conflict, AlreadyExists or NotFound where somebody else writes at the same time.
func (r *registration) apply(
	ctx context.Context, client kubernetes.Interface, authorities []byte,
) (changed bool, err error) {
	mutating, validating := r.mutating(authorities), r.validating(authorities)
	c := client.AdmissionregistrationV1()
	first, err := apply(ctx, "ValidatingWebhookConfiguration",
		c.ValidatingWebhookConfigurations(), validating, func(have *admissionv1.ValidatingWebhookConfiguration) bool {
			same := equality.Semantic.DeepEqual(have.Webhooks, validating.Webhooks)
			have.Webhooks = validating.Webhooks
			return same
		})
	second, err2 := apply(ctx, "MutatingWebhookConfiguration", c.MutatingWebhookConfigurations(),
		mutating, func(have *admissionv1.MutatingWebhookConfiguration) bool {
			same := equality.Semantic.DeepEqual(have.Webhooks, mutating.Webhooks)
			have.Webhooks = mutating.Webhooks
			return same
		})
	return first || second, errors.Join(err, err2)
}

// An api is the part of a typed client that is needed.
type api[T metav1.Object] interface {
	Get(context.Context, string, metav1.GetOptions) (T, error)
	Create(context.Context, T, metav1.CreateOptions) (T, error)
	Update(context.Context, T, metav1.UpdateOptions) (T, error)
	Delete(context.Context, string, metav1.DeleteOptions) error
}

// apply creates the object, or updates the one of its name if set, which makes that
// one what it should be, says that it was not so.
func apply[T metav1.Object](ctx context.Context, kind string, client api[T], want T,
	set func(have T) (same bool),
) (changed bool, err error) {
	have, err := client.Get(ctx, want.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		_, err = client.Create(ctx, want, metav1.CreateOptions{})
		return true, err
	}
	if err != nil {
		return false, err
	}
	if err := owned(kind, have); err != nil {
		return false, err
	}
	if set(have) {
		return false, nil
	}
	_, err = client.Update(ctx, have, metav1.UpdateOptions{}) // with the version that was read
	return true, err
}

// remove deletes the object, if it is there and this program's.
func remove[T metav1.Object](ctx context.Context, kind string, client api[T], name string) error {
	have, err := client.Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := owned(kind, have); err != nil {
		return err
	}
	uid := have.GetUID()
	err = client.Delete(ctx, name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

func (r *registration) mutating(authorities []byte) *admissionv1.MutatingWebhookConfiguration {
	return &admissionv1.MutatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: r.name, Labels: labels},
		Webhooks: []admissionv1.MutatingWebhook{{
			Name:                    "mutate." + r.name,
			AdmissionReviewVersions: []string{"v1"},
			ClientConfig:            r.clientConfig("/mutate", authorities),
			Rules:                   pods(admissionv1.Create),
			NamespaceSelector:       r.namespaces(),
			ObjectSelector:          &metav1.LabelSelector{},
			MatchPolicy:             new(admissionv1.Equivalent),
			SideEffects:             new(admissionv1.SideEffectClassNone),
			ReinvocationPolicy:      new(admissionv1.IfNeededReinvocationPolicy),
			FailurePolicy:           &r.mutatePolicy,
			TimeoutSeconds:          r.timeoutSeconds(),
		}},
	}
}

func (r *registration) validating(authorities []byte) *admissionv1.ValidatingWebhookConfiguration {
	return &admissionv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: r.name, Labels: labels},
		Webhooks: []admissionv1.ValidatingWebhook{{
			Name:                    "validate." + r.name,
			AdmissionReviewVersions: []string{"v1"},
			ClientConfig:            r.clientConfig("/validate", authorities),
			Rules:                   pods(admissionv1.Create, admissionv1.Update),
			MatchConditions:         []admissionv1.MatchCondition{tolerationsAreNew},
			NamespaceSelector:       r.namespaces(),
			ObjectSelector:          &metav1.LabelSelector{},
			MatchPolicy:             new(admissionv1.Equivalent),
			SideEffects:             new(admissionv1.SideEffectClassNone),
			FailurePolicy:           &r.validatePolicy,
			TimeoutSeconds:          r.timeoutSeconds(),
		}},
	}
}

// tolerationsAreNew keeps API servers from asking about updates that leave the
// tolerations alone, which are allowed anyway: pods must be able to lose their
// finalizers while nobody answers. Of all that an update may change, the webhook
// looks at nothing else. Node selectors it sees to when pods are created, and later
// they can only grow, while the pod has scheduling gates.
var tolerationsAreNew = admissionv1.MatchCondition{
	Name: "tolerations-are-new",
	Expression: "request.operation == 'CREATE' || " +
		"(has(object.spec.tolerations) ? object.spec.tolerations : []) != " +
		"(has(oldObject.spec.tolerations) ? oldObject.spec.tolerations : [])",
}

func (r *registration) clientConfig(path string, authorities []byte) admissionv1.WebhookClientConfig {
	config := admissionv1.WebhookClientConfig{CABundle: authorities}
	if r.url != "" {
		config.URL = new(r.url + path)
		return config
	}
	config.Service = &admissionv1.ServiceReference{
		Namespace: r.namespace,
		Name:      r.service,
		Path:      &path,
		Port:      new(int32(443)),
	}
	return config
}

func pods(operations ...admissionv1.OperationType) []admissionv1.RuleWithOperations {
	return []admissionv1.RuleWithOperations{{
		Operations: operations,
		Rule: admissionv1.Rule{
			APIGroups: []string{corev1.GroupName}, APIVersions: []string{"v1"}, Resources: []string{"pods"},
			Scope: new(admissionv1.NamespacedScope),
		},
	}}
}

// namespaces selects all but the exempt ones.
func (r *registration) namespaces() *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{
		Key: corev1.LabelMetadataName, Operator: metav1.LabelSelectorOpNotIn, Values: slices.Clone(r.exempt),
	}}}
}

func (r *registration) timeoutSeconds() *int32 { return new(int32(r.timeout / time.Second)) }

// unregister deletes the configurations, and then the Secret. What is not there
// is fine; what is somebody else's is an error, and stays.
func unregister(ctx context.Context, client kubernetes.Interface, r *registration, secret string) error {
	c := client.AdmissionregistrationV1()
	if err := remove(ctx, "MutatingWebhookConfiguration", c.MutatingWebhookConfigurations(), r.name); err != nil {
		return err
	}
	if err := remove(ctx, "ValidatingWebhookConfiguration", c.ValidatingWebhookConfigurations(), r.name); err != nil {
		return err
	}
	return remove(ctx, "Secret", client.CoreV1().Secrets(r.namespace), secret)
}
