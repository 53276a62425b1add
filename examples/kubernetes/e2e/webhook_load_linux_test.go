// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/cert"

	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/cluster"
)

// TestSlowClients lets eight clients stall before the end of 20 MiB, and 2,000 before
// the end of 64 KiB. Meanwhile an API server gets its answers, and the webhook stays
// within the memory of its manifest.
func TestSlowClients(t *testing.T) {
	skipShort(t)
	s := newService(t)
	p := s.start(t)
	before := memory(t, p, "VmRSS")
	stall := func(size int) {
		dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}, Timeout: time.Minute}
		connection, err := tls.DialWithDialer(dialer, "tcp", s.addresses[0], &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			return // it was closed for a newer one
		}
		t.Cleanup(func() { connection.Close() })
		fmt.Fprintf(connection, "POST /validate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", size)
		connection.Write(make([]byte, size-1))
	}
	var clients sync.WaitGroup
	for range 8 {
		clients.Go(func() { stall(20 << 20) })
	}
	for range 50 {
		clients.Go(func() {
			for range 40 {
				stall(64 << 10)
			}
		})
	}
	var done atomic.Bool
	go func() {
		clients.Wait()
		done.Store(true)
	}()
	reviews, latest := 0, time.Duration(0)
	for !done.Load() {
		for _, size := range []int{4 << 10, 200 << 10} {
			begun := time.Now()
			check(t, s.review(t, size))
			latest = max(latest, time.Since(begun))
			reviews++
		}
	}
	check(t, s.review(t, 3<<20))
	peak := memory(t, p, "VmHWM")
	t.Logf("memory: %d MiB, then at most %d MiB; each of %d reviews took at most %v", before>>20, peak>>20, reviews, latest.Round(time.Millisecond))
	if limit := s.container.Resources.Limits.Memory(); resource.NewQuantity(peak, resource.BinarySI).Cmp(*limit) > 0 {
		t.Errorf("the limit of the manifest is %v", limit)
	}
}

// TestReplacements replaces the replicas of the webhook one after the other, ten
// times, while four clients send reviews without a pause. No review fails.
func TestReplacements(t *testing.T) {
	skipShort(t)
	s := newService(t)
	replicas := []*cluster.Process{s.start(t), s.start(t)}
	var sent, failed atomic.Int64
	var done atomic.Bool
	var running sync.WaitGroup
	for range 4 {
		running.Go(func() {
			for !done.Load() {
				sent.Add(1)
				if err := s.review(t, 4<<10); err != nil {
					failed.Add(1)
					t.Log(err)
				}
			}
		})
	}
	for i := range 10 {
		replicas = append(replicas, s.start(t))
		s.remove(0)
		running.Go(replicas[i].Stop)
		time.Sleep(300 * time.Millisecond)
	}
	done.Store(true)
	running.Wait()
	t.Logf("%d reviews, %d failed", sent.Load(), failed.Load())
	if failed.Load() > 0 {
		t.Error("an API server would have refused pods")
	}
}

// A service is the Service of the webhook without a cluster: replicas on this
// machine, and the client that API servers have.
type service struct {
	container corev1.Container // of the manifest
	folder    string           // with the certificate
	client    *rest.RESTClient

	mu        sync.Mutex
	addresses []string // of the replicas that get new connections
}

func newService(t *testing.T) *service {
	t.Helper()
	deployment := only[*appsv1.Deployment](t, must(cluster.Manifest("webhook"))(t))
	s := &service{container: deployment.Spec.Template.Spec.Containers[0], folder: t.TempDir()}
	certificate, key, err := cert.GenerateSelfSignedCertKey("admission.taints-webhooks.svc", nil, nil)
	check(t, errors.Join(err, os.WriteFile(filepath.Join(s.folder, "tls.crt"), certificate, 0o600),
		os.WriteFile(filepath.Join(s.folder, "tls.key"), key, 0o600)))
	manager := must(webhook.NewClientManager([]schema.GroupVersion{admissionv1.SchemeGroupVersion}, admissionv1.AddToScheme))(t)
	manager.SetAuthenticationInfoResolver(must(webhook.NewDefaultAuthenticationInfoResolver(""))(t))
	manager.SetServiceResolver(s)
	s.client = must(manager.HookClient(webhook.ClientConfig{CABundle: certificate, Service: &webhook.ClientConfigService{
		Namespace: cluster.WebhookNamespace, Name: "admission", Path: "/validate",
	}}))(t)
	return s
}

// ResolveEndpoint implements [webhook.ServiceResolver].
func (s *service) ResolveEndpoint(string, string, int32) (*url.URL, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &url.URL{Host: s.addresses[rand.IntN(len(s.addresses))]}, nil
}

// start starts a replica with the memory limit of the manifest, and adds it.
func (s *service) start(t *testing.T) *cluster.Process {
	t.Helper()
	address := cluster.FreeAddress(t)
	command := exec.Command(cluster.Binary(t, "webhook"), "-addr="+address, "-metrics-addr=0", "-health-addr=0", "-cert-dir="+s.folder)
	command.Env = append(os.Environ(), "GOMEMLIMIT="+s.container.Env[0].Value)
	p := inBackground(t, command)
	until(t, p, "the webhook listens", func() error {
		connection, err := net.Dial("tcp", address)
		if err == nil {
			connection.Close()
		}
		return err
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addresses = append(s.addresses, address)
	return p
}

func (s *service) remove(i int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addresses = slices.Delete(s.addresses, i, i+1)
}

// review sends a review of about the given size, and returns an error unless the pod
// is allowed.
func (s *service) review(t *testing.T, size int) error {
	pod := fmt.Sprintf(`{"apiVersion": "v1", "kind": "Pod", "metadata": {"annotations": {"a": "%s"}}, "spec": {}}`, strings.Repeat("a", size))
	review := &admissionv1.AdmissionReview{Request: &admissionv1.AdmissionRequest{
		UID: "u", Operation: admissionv1.Create, Namespace: "web",
		Resource: metav1.GroupVersionResource{Version: "v1", Resource: "pods"}, Object: runtime.RawExtension{Raw: []byte(pod)},
	}}
	answer := &admissionv1.AdmissionReview{}
	err := s.client.Post().Body(review).Timeout(5 * time.Second).Do(t.Context()).Into(answer)
	if err == nil && (answer.Response == nil || !answer.Response.Allowed) {
		err = fmt.Errorf("the answer is %+v", answer.Response)
	}
	return err
}

// memory returns a figure of /proc/PID/status in bytes.
func memory(t *testing.T, p *cluster.Process, name string) int64 {
	t.Helper()
	var kilobytes int64
	status := string(must(os.ReadFile(fmt.Sprintf("/proc/%d/status", p.PID())))(t))
	_, line, _ := strings.Cut(status, "\n"+name+":")
	must(fmt.Sscanf(line, "%d kB", &kilobytes))(t)
	return kilobytes << 10
}
