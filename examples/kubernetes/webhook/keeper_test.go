// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/webhooktest"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"
)

const (
	mutatingResource   = "mutatingwebhookconfigurations"
	validatingResource = "validatingwebhookconfigurations"
)

// newAPI returns a client of an API server in memory that gives objects versions and
// refuses to update another one than there is, which the fake client by itself does
// not.
func newAPI() *fake.Clientset {
	client := fake.NewClientset()
	version := 0
	write := func(action k8stesting.Action) (bool, runtime.Object, error) { // one at a time
		object := action.(interface{ GetObject() runtime.Object }).GetObject().DeepCopyObject()
		m, err := meta.Accessor(object)
		if err != nil {
			return true, nil, err
		}
		tracker, resource := client.Tracker(), action.GetResource()
		old := m.GetResourceVersion()
		version++
		m.SetResourceVersion(fmt.Sprint(version))
		if action.GetVerb() == "create" {
			return true, object, tracker.Create(resource, object, action.GetNamespace())
		}
		have, err := tracker.Get(resource, action.GetNamespace(), m.GetName())
		if err != nil {
			return true, nil, err
		}
		if has, err := meta.Accessor(have); err != nil || has.GetResourceVersion() != old {
			return true, nil, apierrors.NewConflict(resource.GroupResource(), m.GetName(), errors.New("it has changed"))
		}
		return true, object, tracker.Update(resource, object, action.GetNamespace())
	}
	client.PrependReactor("create", "*", write)
	client.PrependReactor("update", "*", write)
	return client
}

// newRegistration returns that of the manifest.
func newRegistration() *registration {
	r := &registration{
		name:      "admission.example.com",
		namespace: "webhooks",
		service:   "admission",
		timeout:   5 * time.Second,
	}
	r.setDefaults()
	return r
}

func newKeeper(client kubernetes.Interface, now *time.Time) *keeper {
	return &keeper{
		client:       client,
		issuer:       newIssuer(serviceHost, now),
		registration: newRegistration(),
		secret:       "admission-tls",
		log:          slog.New(slog.DiscardHandler),
		soon:         time.Millisecond,
	}
}

func mustPass(t *testing.T, k *keeper) {
	t.Helper()
	if err := k.pass(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// get returns what is in the cluster.
func get(t *testing.T, client kubernetes.Interface) (*corev1.Secret,
	*admissionv1.MutatingWebhookConfiguration, *admissionv1.ValidatingWebhookConfiguration,
) {
	t.Helper()
	secret, err := client.CoreV1().Secrets("webhooks").Get(t.Context(), "admission-tls", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	c := client.AdmissionregistrationV1()
	const name = "admission.example.com"
	mutating, err := c.MutatingWebhookConfigurations().Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	validating, err := c.ValidatingWebhookConfigurations().Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return secret, mutating, validating
}

func writes(client *fake.Clientset) (list []string) {
	for _, action := range client.Actions() {
		if verb := action.GetVerb(); verb != "get" && verb != "list" {
			list = append(list, verb+" "+action.GetResource().Resource)
		}
	}
	return list
}

// The first pass makes all there is, and the next ones nothing.
func TestPassIsIdempotent(t *testing.T) {
	now, client := start, newAPI()
	k := newKeeper(client, &now)
	mustPass(t, k)
	want := "create secrets, create validatingwebhookconfigurations, create mutatingwebhookconfigurations"
	if got := strings.Join(writes(client), ", "); got != want {
		t.Errorf("got %s", got)
	}
	client.ClearActions()
	mustPass(t, k)
	now = now.Add(validity / 2)
	mustPass(t, newKeeper(client, &now))
	if got := writes(client); len(got) > 0 {
		t.Errorf("again: %s", got)
	}
	secret, mutating, validating := get(t, client)
	if secret.Labels["app.kubernetes.io/managed-by"] != managedBy || len(secret.Data) != 4 {
		t.Errorf("%+v", secret)
	}
	for _, bundle := range [][]byte{
		mutating.Webhooks[0].ClientConfig.CABundle,
		validating.Webhooks[0].ClientConfig.CABundle,
	} {
		if !bytes.Equal(bundle, secret.Data["ca.crt"]) {
			t.Errorf("caBundle %s", bundle)
		}
	}
}

// Somebody else's changes to the configurations are undone, but for what is not
// the webhooks'.
func TestPassRestores(t *testing.T) {
	now, client := start, newAPI()
	k := newKeeper(client, &now)
	mustPass(t, k)
	_, mutating, validating := get(t, client)
	mutating.Webhooks[0].FailurePolicy = new(admissionv1.Ignore)
	mutating.Annotations = map[string]string{"note": "kept"}
	validating.Webhooks = nil // as the manifest has it
	c := client.AdmissionregistrationV1()
	if _, err := c.MutatingWebhookConfigurations().Update(t.Context(), mutating, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	validators := c.ValidatingWebhookConfigurations()
	if _, err := validators.Update(t.Context(), validating, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	mustPass(t, k)
	secret, mutating, validating := get(t, client)
	for _, webhooks := range [][]admissionv1.ValidatingWebhook{nil, validating.Webhooks} {
		validating.Webhooks = webhooks
		if _, err := validators.Update(t.Context(), validating, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		changed, err := k.registration.apply(t.Context(), client, secret.Data["ca.crt"])
		if changed != (webhooks == nil) || err != nil {
			t.Errorf("changed: %v, %v", changed, err)
		}
		_, _, validating = get(t, client)
	}
	if *mutating.Webhooks[0].FailurePolicy != admissionv1.Fail ||
		mutating.Annotations["note"] != "kept" || len(validating.Webhooks) != 1 {
		t.Errorf("%+v\n%+v", mutating, validating)
	}
}

// What the API server says of every writing is that somebody was faster, some of the
// time: all replicas come to the same, and show what is registered.
func TestManyReplicasAtOnce(t *testing.T) {
	for range 20 {
		now, client := start, newAPI()
		var replicas [5]*keeper
		var all sync.WaitGroup
		for i := range replicas {
			replicas[i] = newKeeper(client, &now)
			all.Go(func() { mustPassOr(t, replicas[i]) })
		}
		all.Wait()
		secret, mutating, validating := get(t, client)
		if n := len(parseCertificates(secret.Data["ca.crt"])); n != 1 {
			t.Errorf("%d authorities", n)
		}
		if !bytes.Equal(mutating.Webhooks[0].ClientConfig.CABundle, secret.Data["ca.crt"]) ||
			!bytes.Equal(validating.Webhooks[0].ClientConfig.CABundle, secret.Data["ca.crt"]) {
			t.Error("another authority is registered")
		}
		for _, k := range replicas {
			if shown, err := k.certificate(nil); err != nil ||
				!bytes.Equal(encodeCertificate(shown.Certificate[0]), secret.Data["tls.crt"]) {
				t.Errorf("a replica shows another certificate: %v", err)
			}
		}
	}
}

// mustPassOr is mustPass for goroutines.
func mustPassOr(t *testing.T, k *keeper) {
	if err := k.pass(t.Context()); err != nil {
		t.Error(err)
	}
}

// For three years two replicas look at things every few days, one of them sometimes
// too late or between the other's steps. An API server that knows the registration
// of now, or that of a while ago, always trusts what both show, which is never older
// than it may be.
func TestReplicasOverYears(t *testing.T) {
	now, client := start, newAPI()
	replicas := []*keeper{newKeeper(client, &now), newKeeper(client, &now)}
	for _, k := range replicas {
		mustPass(t, k)
	}
	authorities, certificates, last := map[string]bool{}, map[string]bool{}, []byte(nil)
	for day := 0; day < 3*365; day += 5 {
		for i, k := range replicas {
			now = start.AddDate(0, 0, day).Add(time.Duration(i) * time.Minute)
			if i == 1 && day%15 == 0 {
				continue
			}
			mustPass(t, k)
			_, mutating, _ := get(t, client)
			bundle := mutating.Webhooks[0].ClientConfig.CABundle
			if last == nil {
				last = bundle
			}
			for j, k := range replicas {
				shown, err := k.certificate(nil)
				if err != nil {
					t.Fatal(err)
				}
				for name, known := range map[string][]byte{"new": bundle, "last": last} {
					trusted := x509.NewCertPool()
					trusted.AppendCertsFromPEM(known)
					options := x509.VerifyOptions{DNSName: serviceHost, Roots: trusted, CurrentTime: now}
					if _, err := shown.Leaf.Verify(options); err != nil {
						t.Fatalf("day %d, after replica %d: what replica %d shows, to the %s registration: %v",
							day, i, j, name, err)
					}
				}
				certificates[shown.Leaf.SerialNumber.String()] = true
			}
			for _, a := range parseCertificates(bundle) {
				authorities[a.SerialNumber.String()] = true
			}
			if n := len(parseCertificates(bundle)); n > 2 {
				t.Errorf("day %d: %d authorities", day, n)
			}
			last = bundle
		}
	}
	if len(authorities) != 2 || len(certificates) < 16 || len(certificates) > 19 {
		t.Errorf("%d authorities and %d certificates in three years", len(authorities), len(certificates))
	}
}

// Where another replica puts a new authority into the Secret while this one
// registers the old one, this one looks again.
func TestPassLooksAgain(t *testing.T) {
	now, client := start, newAPI()
	k := newKeeper(client, &now)
	var once sync.Once
	client.PrependReactor("create", mutatingResource, func(k8stesting.Action) (bool, runtime.Object, error) {
		once.Do(func() {
			resource := corev1.SchemeGroupVersion.WithResource("secrets")
			object, err := client.Tracker().Get(resource, "webhooks", "admission-tls")
			if err != nil {
				t.Fatal(err)
			}
			secret := object.(*corev1.Secret).DeepCopy()
			secret.ResourceVersion = "1000"
			later := start.Add(9*validity + time.Hour)
			write(secret, mustRenew(t, newIssuer(serviceHost, &later), read(secret)))
			if err := client.Tracker().Update(resource, secret, "webhooks"); err != nil {
				t.Fatal(err)
			}
			now = later
		})
		return false, nil, nil
	})
	mustPass(t, k)
	secret, mutating, _ := get(t, client)
	bundle := mutating.Webhooks[0].ClientConfig.CABundle
	if len(parseCertificates(bundle)) != 2 || !bytes.Equal(bundle, secret.Data["ca.crt"]) {
		t.Error("the old authority is registered alone")
	}
}

// A Secret or configuration that is somebody else's stays as it is. A certificate
// without its authority's key is used, and not renewed.
func TestSomebodyElses(t *testing.T) {
	now := start
	secret := func(labels map[string]string, c credentials) *corev1.Secret {
		s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "webhooks", Name: "admission-tls", Labels: labels}}
		write(s, c)
		return s
	}
	made := mustRenew(t, newIssuer(serviceHost, &now), credentials{})
	foreign := made
	foreign.authorityKey = nil
	shortIssuer := newIssuer(serviceHost, &now)
	shortIssuer.validity = validity / 10
	short := mustRenew(t, shortIssuer, credentials{})
	short.authorityKey = nil
	foreignHost := mustRenew(t, newIssuer("other.webhooks.svc", &now), credentials{})
	foreignHost.authorityKey = nil
	tests := []struct {
		name   string
		object runtime.Object
		at     time.Time
		want   string
		log    string
	}{
		{
			"empty",
			&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "webhooks", Name: "admission-tls", Labels: labels}},
			start, "", "there is none",
		},
		{"ours", secret(labels, made), start, "", ""},
		{
			"for another host",
			secret(labels, mustRenew(t, newIssuer("other.webhooks.svc", &now), credentials{})),
			start, "", "not admission.webhooks.svc",
		},
		{"ends soon", secret(labels, made), start.Add(validity * 3 / 4), "", "the last one ends soon"},
		{
			"not labelled", secret(nil, made), start.Add(validity),
			`the Secret admission-tls is not this program's: its label app.kubernetes.io/managed-by is "", not "taints-webhook"`,
			"",
		},
		{"foreign", secret(nil, foreign), start, "", ""},
		{"foreign, ends soon", secret(nil, foreign), start.Add(validity * 3 / 4), "", "somebody else is to renew it"},
		{"foreign, short", secret(nil, short), start.Add(validity / 10 / 2), "", ""},
		{
			"foreign, short, ends soon", secret(nil, short), start.Add(validity / 10 * 3 / 4), "",
			"somebody else is to renew it",
		},
		{
			"foreign, has ended", secret(nil, foreign), start.Add(2 * validity),
			"is no good, and there is no ca.key to renew it with: x509: certificate has expired",
			"",
		},
		{"foreign, for another host", secret(labels, foreignHost), start, "not admission.webhooks.svc", ""},
		{
			"configuration",
			&admissionv1.MutatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "admission.example.com"}},
			start,
			"the MutatingWebhookConfiguration admission.example.com is not this program's",
			"there is none",
		},
		{
			"other configuration",
			&admissionv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "admission.example.com"}},
			start,
			"the ValidatingWebhookConfiguration admission.example.com is not this program's",
			"there is none",
		},
	}
	for _, test := range tests {
		client := newAPI()
		if err := client.Tracker().Add(test.object); err != nil {
			t.Fatal(err)
		}
		now = test.at
		var log bytes.Buffer
		k := newKeeper(client, &now)
		k.log = slog.New(slog.NewTextHandler(&log, nil))
		err := k.pass(t.Context())
		if test.want == "" && err != nil ||
			test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
		quiet := !strings.Contains(log.String(), "making") && !strings.Contains(log.String(), "ends soon")
		if !strings.Contains(log.String(), test.log) || test.log == "" && !quiet {
			t.Errorf("%s: log %s", test.name, &log)
		}
		if _, err := k.certificate(nil); (err == nil) != (test.want == "") {
			t.Errorf("%s: shown: %v", test.name, err)
		}
	}
}

// A failure at the start that cannot pass ends the program.
func TestRunEnds(t *testing.T) {
	now, client := start, newAPI()
	err := client.Tracker().Add(&admissionv1.MutatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "admission.example.com"},
	})
	if err != nil {
		t.Fatal(err)
	}
	err = newKeeper(client, &now).run(t.Context(), time.Hour)
	if err == nil || !strings.Contains(err.Error(), "registering: the MutatingWebhookConfiguration admission.example.com is not") {
		t.Errorf("somebody else's: %v", err)
	}
	for _, refusal := range []error{
		apierrors.NewInvalid(schema.GroupKind{}, "x", nil), apierrors.NewBadRequest("x"),
	} {
		client := newAPI()
		client.PrependReactor("create", validatingResource,
			func(k8stesting.Action) (bool, runtime.Object, error) { return true, nil, refusal })
		if err := newKeeper(client, &now).run(t.Context(), time.Hour); !errors.Is(err, refusal) {
			t.Errorf("%v: %v", refusal, err)
		}
	}
}

// An API server that cannot be reached at the start, or that has no time, is waited
// for, however far the pass got, and not for a whole interval.
func TestRunWaits(t *testing.T) {
	secrets := corev1.Resource("secrets")
	refused := &url.Error{Op: "Get", URL: "https://x", Err: syscall.ECONNREFUSED}
	for _, failure := range []error{
		refused, fmt.Errorf("wrapped: %w", refused), context.DeadlineExceeded, io.ErrUnexpectedEOF,
		apierrors.NewTooManyRequests("later", 1), apierrors.NewInternalError(errors.New("etcd")),
		apierrors.NewServiceUnavailable("starting"), apierrors.NewTimeoutError("slow", 1),
		apierrors.NewServerTimeout(secrets, "get", 1), apierrors.NewUnauthorized("not yet"),
	} {
		for _, call := range [][2]string{
			{"get", "secrets"}, {"create", "secrets"}, {"get", mutatingResource}, {"create", validatingResource},
		} {
			now, client := start, newAPI()
			var calls atomic.Int32
			client.PrependReactor(call[0], call[1], func(k8stesting.Action) (bool, runtime.Object, error) {
				return calls.Add(1) <= 3, nil, failure
			})
			var log webhooktest.Buffer
			k := newKeeper(client, &now)
			k.log = slog.New(slog.NewJSONHandler(&log, nil))
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- k.run(ctx, time.Hour) }()
			webhooktest.Eventually(t, &log, notLookedAfter)
			webhooktest.Eventually(t, &log, "certificate in use")
			webhooktest.Wait(t, k.registered, log.String)
			stop()
			if err := <-ended; err != nil {
				t.Errorf("%v of %s: %v", failure, call, err)
			}
		}
	}
}

// A failure later does not end the program, and the certificate stays in use.
func TestRun(t *testing.T) {
	now, client := start, newAPI()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var gets atomic.Int32
	client.PrependReactor("get", mutatingResource, func(k8stesting.Action) (bool, runtime.Object, error) {
		if gets.Add(1) == 3 {
			stop()
		}
		return gets.Load() == 2, nil, errors.New("no network")
	})
	var log bytes.Buffer
	k := newKeeper(client, &now)
	k.log = slog.New(slog.NewTextHandler(&log, nil))
	if err := k.run(ctx, time.Millisecond); err != nil {
		t.Error(err)
	}
	if !strings.Contains(log.String(), notLookedAfter) {
		t.Errorf("log %s", &log)
	}
	if _, err := k.certificate(nil); err != nil {
		t.Error(err)
	}
}

// withManifestsRights lets the keeper create nothing, as the manifest does.
func withManifestsRights(client *fake.Clientset) {
	client.PrependReactor("create", "*", func(action k8stesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(action.GetResource().GroupResource(), "", errors.New("no right"))
	})
}

// Where an object of the manifest is deleted, a replica that restarts shows what
// there is, and waits until somebody brings the object back.
func TestRunWithoutObject(t *testing.T) {
	secrets := corev1.SchemeGroupVersion.WithResource("secrets")
	for _, test := range []struct {
		resource schema.GroupVersionResource
		empty    runtime.Object // as the manifest has it
		shows    bool
	}{
		{secrets, &corev1.Secret{}, false},
		{
			admissionv1.SchemeGroupVersion.WithResource(mutatingResource),
			&admissionv1.MutatingWebhookConfiguration{},
			true,
		},
		{
			admissionv1.SchemeGroupVersion.WithResource(validatingResource),
			&admissionv1.ValidatingWebhookConfiguration{},
			true,
		},
	} {
		object, err := meta.Accessor(test.empty)
		if err != nil {
			t.Fatal(err)
		}
		object.SetName("admission.example.com")
		object.SetLabels(labels)
		if test.resource == secrets {
			object.SetName("admission-tls")
			object.SetNamespace("webhooks")
		}
		now, client := start, newAPI()
		mustPass(t, newKeeper(client, &now))
		err = client.Tracker().Delete(test.resource, object.GetNamespace(), object.GetName())
		if err != nil {
			t.Fatal(err)
		}
		withManifestsRights(client)

		var log webhooktest.Buffer
		k := newKeeper(client, &now)
		k.log = slog.New(slog.NewJSONHandler(&log, nil))
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- k.run(ctx, 10*time.Millisecond) }()
		webhooktest.Eventually(t, &log, notLookedAfter)
		if _, err := k.certificate(nil); (err == nil) != test.shows {
			t.Errorf("%s: shown: %v", test.resource.Resource, err)
		}
		if k.registered() {
			t.Errorf("without %s it says that all is well", test.resource.Resource)
		}
		if err := client.Tracker().Add(test.empty); err != nil {
			t.Fatal(err)
		}
		webhooktest.Eventually(t, &log, "registered")
		webhooktest.Eventually(t, &log, "certificate in use")
		webhooktest.Wait(t, k.registered, log.String)
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		checkTrusted(t, test.resource.Resource, k)
	}
}

// One configuration that is not there does not keep the other from what it needs.
func TestPassWithoutOneConfiguration(t *testing.T) {
	now, client := start, newAPI()
	k := newKeeper(client, &now)
	mustPass(t, k)
	_, mutating, _ := get(t, client)
	c := client.AdmissionregistrationV1()
	mutating.Webhooks = nil
	if _, err := c.MutatingWebhookConfigurations().Update(t.Context(), mutating, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	err := c.ValidatingWebhookConfigurations().Delete(t.Context(), mutating.Name, metav1.DeleteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	withManifestsRights(client)
	if err := k.pass(t.Context()); !apierrors.IsForbidden(err) || k.registered() {
		t.Errorf("got %v", err)
	}
	mutating, err = c.MutatingWebhookConfigurations().Get(t.Context(), mutating.Name, metav1.GetOptions{})
	if err != nil || len(mutating.Webhooks) != 1 {
		t.Errorf("%+v, %v", mutating, err)
	}
}

// Where somebody deletes the Secret while this replica registers, it makes another one.
func TestPassAfterDeletion(t *testing.T) {
	now, client := start, newAPI()
	var once sync.Once
	client.PrependReactor("create", mutatingResource, func(k8stesting.Action) (bool, runtime.Object, error) {
		once.Do(func() {
			resource := corev1.SchemeGroupVersion.WithResource("secrets")
			if err := client.Tracker().Delete(resource, "webhooks", "admission-tls"); err != nil {
				t.Fatal(err)
			}
		})
		return false, nil, nil
	})
	mustPass(t, newKeeper(client, &now))
	secret, mutating, _ := get(t, client)
	if !bytes.Equal(mutating.Webhooks[0].ClientConfig.CABundle, secret.Data["ca.crt"]) {
		t.Error("another authority is registered")
	}
}

// checkTrusted fails the test where API servers, which know what is registered, do
// not trust the certificate that is shown.
func checkTrusted(t *testing.T, when string, k *keeper) {
	t.Helper()
	_, mutating, _ := get(t, k.client)
	shown, err := k.certificate(nil)
	if err != nil {
		t.Fatalf("%s: %v", when, err)
	}
	if err := k.issuer.trusted(shown, mutating.Webhooks[0].ClientConfig.CABundle); err != nil {
		t.Errorf("%s: %v", when, err)
	}
}

// setData replaces what is in the Secret.
func setData(t *testing.T, client kubernetes.Interface, c credentials) {
	t.Helper()
	secret, _, _ := get(t, client)
	if secret.Data = nil; c.certificate != nil {
		write(secret, c)
	}
	if _, err := client.CoreV1().Secrets(secret.Namespace).Update(t.Context(), secret, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// Where somebody else puts another authority into the place of the old one, the
// certificate that it signed is shown at once.
func TestAuthorityIsReplaced(t *testing.T) {
	now, client := start, newAPI()
	k := newKeeper(client, &now)
	mustPass(t, k)
	other := mustRenew(t, k.issuer, credentials{})
	other.authorityKey = nil
	setData(t, client, other)
	mustPass(t, k)
	checkTrusted(t, "after the first pass", k)
	mustPass(t, k)
	checkTrusted(t, "after the second pass", k)
}

// Where the Secret is emptied or deleted, API servers trust what is shown, and what
// other replicas still show, and the bundle does not grow with each time.
func TestSecretIsLost(t *testing.T) {
	lose := map[string]func(*testing.T, *fake.Clientset){
		"emptied": func(t *testing.T, client *fake.Clientset) { setData(t, client, credentials{}) },
		"deleted": func(t *testing.T, client *fake.Clientset) {
			err := client.CoreV1().Secrets("webhooks").Delete(t.Context(), "admission-tls", metav1.DeleteOptions{})
			if err != nil {
				t.Fatal(err)
			}
		},
	}
	for name, lose := range lose {
		now, client := start, newAPI()
		replicas := []*keeper{newKeeper(client, &now), newKeeper(client, &now)}
		for _, k := range replicas {
			mustPass(t, k)
		}
		old, _ := replicas[0].certificate(nil)
		for range 4 {
			lose(t, client)
			mustPass(t, replicas[0])
			for i, k := range replicas {
				checkTrusted(t, fmt.Sprintf("%s, replica %d", name, i), k)
			}
			secret, _, _ := get(t, client)
			if n := len(parseCertificates(secret.Data["ca.crt"])); n != 2 {
				t.Errorf("%s: %d authorities", name, n)
			}
		}
		for range 2 {
			for i, k := range replicas {
				mustPass(t, k)
				checkTrusted(t, fmt.Sprintf("%s, replica %d afterwards", name, i), k)
			}
		}
		for i, k := range replicas {
			if shown, _ := k.certificate(nil); shown.Leaf.Equal(old.Leaf) {
				t.Errorf("%s: replica %d shows the old certificate", name, i)
			}
		}
	}
}

// A certificate that ended while passes failed is not shown any longer than until
// there is another one.
func TestShownHasEnded(t *testing.T) {
	now, client := start, newAPI()
	k := newKeeper(client, &now)
	mustPass(t, k)
	now = now.Add(validity + time.Minute)
	mustPass(t, k)
	checkTrusted(t, "after the first pass", k)
}
