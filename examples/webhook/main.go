// SPDX-License-Identifier: Apache-2.0

// Webhook is an admission webhook for pods. At /mutate it adds the tolerations
// that Kubernetes adds to a pod: of not-ready and unreachable nodes for five
// minutes, and of the extended resources that its containers request. At
// /validate it rejects tolerations that an API server rejects, or that the pod's
// namespace does not allow. The webhook in examples/kubernetes does more.
package main

import (
	"encoding/json"
	"flag"
	"io"
	"log"
	"net/http"
	"slices"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/tolerationset"
)

// allowed has the tolerations that the pods of a namespace may have. Pods of
// other namespaces may have only those that /mutate adds.
var allowed = map[string][]taints.Toleration{
	"kube-system": {{Operator: taints.OpExists}},
	"ml":          {taints.MustParseToleration("dedicated=ml"), taints.MustParseToleration("nvidia.com/gpu op=Exists")},
}

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
	UID       string `json:"uid"`
	Namespace string `json:"namespace"`
	Object    struct {
		Spec struct {
			Tolerations []taints.Toleration `json:"tolerations"`
			Containers  []struct {
				Resources struct {
					Requests map[string]any `json:"requests"`
				} `json:"resources"`
			} `json:"containers"`
		} `json:"spec"`
	} `json:"object"`
}

type response struct {
	UID       string  `json:"uid"`
	Allowed   bool    `json:"allowed"`
	Status    *status `json:"status,omitempty"`
	PatchType string  `json:"patchType,omitempty"`
	Patch     []byte  `json:"patch,omitempty"`
}

type status struct {
	Message string `json:"message"`
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
	list := defaults(r)
	if len(list) == len(r.Object.Spec.Tolerations) {
		return response{Allowed: true}
	}
	patch, err := json.Marshal([]map[string]any{{"op": "add", "path": "/spec/tolerations", "value": list}})
	if err != nil {
		return refusal(err)
	}
	return response{Allowed: true, PatchType: "JSONPatch", Patch: patch}
}

// defaults returns the pod's tolerations with those that Kubernetes adds.
func defaults(r *request) []taints.Toleration {
	var resources []string
	for _, c := range r.Object.Spec.Containers {
		for name := range c.Resources.Requests {
			resources = append(resources, name)
		}
	}
	list := taints.AddDefaults(r.Object.Spec.Tolerations, taints.DefaultSeconds{})
	return taints.AddExtendedResources(list, resources...)
}

// validate rejects tolerations that are not valid or not allowed.
func validate(r *request) response {
	list := r.Object.Spec.Tolerations
	if err := taints.ValidateTolerations(list); err != nil {
		return refusal(err)
	}
	added := *r
	added.Object.Spec.Tolerations = nil
	allow := slices.Concat(allowed[r.Namespace], defaults(&added))
	if err := tolerationset.ValidateAllowed(list, allow, taints.Options{}); err != nil {
		return refusal(err)
	}
	return response{Allowed: true}
}

func refusal(err error) response { return response{Status: &status{err.Error()}} }
