// SPDX-License-Identifier: Apache-2.0

// Webhook is an admission webhook for pods, to be registered for the operations
// CREATE and UPDATE. At /mutate it adds the tolerations that Kubernetes' plugins add to a
// pod: of not-ready and unreachable nodes for five minutes, and of the extended
// resources that its containers request. At /validate it rejects tolerations that an
// API server rejects, or that the pod's namespace does not allow. The webhook in
// cluster does more. A webhook with the types of k8s.io/api uses module kube.
package main

import (
	"encoding/json"
	"flag"
	"io"
	"log"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/tolerationset"
)

// allowed has the tolerations that the pods of a namespace may have, besides those
// that admission adds.
var allowed = map[string][]taints.Toleration{
	"kube-system": {{Operator: taints.OpExists}},
	"ml":          {taints.Must(taints.ParseToleration("dedicated=ml")), taints.Must(taints.ParseToleration("nvidia.com/gpu op=Exists"))},
}

// daemonSets is the user that creates the pods of DaemonSets. They may also have
// the tolerations that it adds to such pods, but not others that their author
// wrote: many users may create DaemonSets.
const daemonSets = "system:serviceaccount:kube-system:daemon-set-controller"

// largest is the maximum size of a review.
const largest = 8 << 20

// A review is an AdmissionReview of admission.k8s.io/v1 about a pod.
type review struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	Request    *request  `json:"request,omitempty"`
	Response   *response `json:"response,omitempty"`
}

type request struct {
	UID       string                    `json:"uid"`
	Namespace string                    `json:"namespace"`
	UserInfo  struct{ Username string } `json:"userInfo"`
	Object    struct{ Spec spec }       `json:"object"`
	OldObject struct{ Spec spec }       `json:"oldObject"` // of an update
}

type spec struct {
	Tolerations    []taints.Toleration `json:"tolerations"`
	Containers     []container         `json:"containers"`
	InitContainers []container         `json:"initContainers"`
}

type container struct {
	Resources struct {
		Requests map[string]any `json:"requests"`
	} `json:"resources"`
}

type response struct {
	UID       string            `json:"uid"`
	Allowed   bool              `json:"allowed"`
	Status    map[string]string `json:"status,omitempty"`
	PatchType string            `json:"patchType,omitempty"`
	Patch     []byte            `json:"patch,omitempty"`
}

func main() {
	address := flag.String("address", ":8443", "the address to listen on")
	cert := flag.String("cert", "tls.crt", "the certificate's file")
	key := flag.String("key", "tls.key", "the certificate's private key")
	flag.Parse()
	server := http.Server{Addr: *address, Handler: handler(), ReadTimeout: 10 * time.Second}
	log.Fatal(server.ListenAndServeTLS(*cert, *key))
}

func handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /mutate", answer(mutate))
	mux.HandleFunc("POST /validate", answer(validate))
	return mux
}

// answer returns a handler that decodes a review and encodes the response.
func answer(respond func(*request) response) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var v review
		data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, largest))
		if err == nil {
			err = json.Unmarshal(data, &v)
		}
		if err != nil || v.Request == nil {
			http.Error(w, "want an AdmissionReview with a request", http.StatusBadRequest)
			return
		}
		a := respond(v.Request)
		a.UID = v.Request.UID
		v.Request, v.Response = nil, &a
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(v); err != nil {
			log.Print(err)
		}
	}
}

// mutate adds the tolerations that Kubernetes adds.
func mutate(r *request) response {
	pod := &r.Object.Spec
	list := taints.AddDefaultTolerations(pod.Tolerations, taints.DefaultTolerationSeconds{})
	list = taints.AddExtendedResourceTolerations(list, pod.requested()...)
	if slices.EqualFunc(list, pod.Tolerations, taints.Toleration.Equal) {
		return response{Allowed: true}
	}
	patch, err := json.Marshal([]map[string]any{{"op": "add", "path": "/spec/tolerations", "value": list}})
	if err != nil {
		return refusal(err)
	}
	return response{Allowed: true, PatchType: "JSONPatch", Patch: patch}
}

// validate rejects tolerations that are not valid, or that are new and not allowed. The
// pod already has what mutate and the API server's plugins add. As they do not look
// at quantities, a request of zero also leads to the nodes with the resource.
func validate(r *request) response {
	pod := &r.Object.Spec
	if err := taints.ValidateTolerations(pod.Tolerations); err != nil {
		return refusal(err)
	}
	allow := taints.AddDefaultTolerations(nil, taints.DefaultTolerationSeconds{})
	allow = taints.AddExtendedResourceTolerations(allow, pod.requested()...)
	allow = taints.AddMemoryPressureToleration(allow)
	if r.UserInfo.Username == daemonSets {
		allow = taints.AddDaemonSetTolerations(allow, taints.DaemonSetPod{HostNetwork: true})
	}
	allow = slices.Concat(allow, allowed[r.Namespace], r.OldObject.Spec.Tolerations)
	if err := tolerationset.ValidateAllowed(pod.Tolerations, allow, taints.Options{}); err != nil {
		return refusal(err)
	}
	return response{Allowed: true}
}

func refusal(err error) response { return response{Status: map[string]string{"message": err.Error()}} }

// requested returns the names of the resources that the containers request.
func (s *spec) requested() []string {
	var names []string
	for _, c := range slices.Concat(s.Containers, s.InitContainers) {
		names = slices.AppendSeq(names, maps.Keys(c.Resources.Requests))
	}
	return names
}
