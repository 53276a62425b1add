// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	apiversion "k8s.io/apimachinery/pkg/version"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/kubectl/pkg/cmd/drain"
	"k8s.io/kubectl/pkg/cmd/taint"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"
)

// An apiServer is an API server with the objects of a store. It stores what kubectl writes.
// It also has the files of testdata/inputs.
type apiServer struct {
	store
	url, cache string // the cache is kubectl's
	version    string
	refused    []string // the beginnings of paths that the user may not read
	expired    []string // the paths of lists whose next page is forgotten, once for each
	requests   []string
}

func newAPIServer(t *testing.T) *apiServer {
	s := &apiServer{cache: t.TempDir()}
	var serving sync.Mutex // kubectl evicts many pods at once
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		serving.Lock()
		defer serving.Unlock()
		request := r.URL.Path
		for _, name := range []string{"labelSelector", "fieldSelector", "continue"} {
			if value := r.FormValue(name); value != "" {
				request += " " + name + "=" + value
			}
		}
		if strings.HasPrefix(r.Header.Get("Accept"), runtime.ContentTypeProtobuf) {
			request += " (protobuf)"
		}
		s.requests = append(s.requests, request)
		if strings.HasPrefix(r.URL.Path, "/inputs/") {
			http.FileServer(http.Dir("testdata")).ServeHTTP(w, r)
			return
		}
		answer, err := s.answer(r)
		w.Header().Set("Content-Type", "application/json")
		if refusal := apierrors.APIStatus(nil); errors.As(err, &refusal) {
			status := refusal.Status()
			status.Kind, status.APIVersion = "Status", "v1"
			w.WriteHeader(int(status.Code))
			answer = status
		} else if err != nil {
			t.Errorf("%s: %v", request, err)
		}
		fmt.Fprint(w, mustJSON(answer))
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

// resourcePath has the group and version, the namespace, the resource and the name.
var resourcePath = regexp.MustCompile(`^/apis?/((?:[^/]+/)?v[^/]+)(?:/namespaces/([^/]+))?/([a-z]+)(?:/([^/]+)(?:/eviction)?)?$`)

func (s *apiServer) answer(r *http.Request) (answer any, err error) {
	path := r.URL.Path
	if slices.ContainsFunc(s.refused, func(refused string) bool { return strings.HasPrefix(path, refused) }) {
		return nil, apierrors.NewForbidden(schema.GroupResource{Resource: path}, "", errors.New("you may not"))
	}
	switch path {
	case "/version":
		return apiversion.Info{GitVersion: s.version}, nil
	case "/api":
		return metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}}, nil
	case "/apis":
		return s.groups(), nil
	case "/api/v1":
		verbs := []string{"get", "list", "patch", "create"}
		return metav1.APIResourceList{
			TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: "v1",
			APIResources: []metav1.APIResource{
				{Name: "nodes", SingularName: "node", ShortNames: []string{"no"}, Kind: "Node", Verbs: verbs},
				{Name: "pods", SingularName: "pod", ShortNames: []string{"po"}, Kind: "Pod", Namespaced: true, Verbs: verbs},
				{Name: "pods/eviction", Kind: "Eviction", Group: "policy", Version: "v1", Namespaced: true, Verbs: verbs},
			},
		}, nil
	}
	m := append(resourcePath.FindStringSubmatch(path), make([]string, 5)...)
	group, namespace, resource, name := m[1], m[2], m[3], m[4]
	version, _ := schema.ParseGroupVersion(group)
	kind := s.kindOf(version, resource)
	switch o := s.object(kind, namespace, name); {
	case kind == "":
		return nil, apierrors.NewGenericServerResponse(http.StatusNotFound, "get", schema.GroupResource{}, "", "", 0, true)
	case name == "":
		return s.list(r, group, kind, namespace)
	case o == nil:
		return nil, apierrors.NewNotFound(schema.GroupResource{Group: version.Group, Resource: resource}, name)
	case r.Method == http.MethodPatch:
		patch, _ := io.ReadAll(r.Body)
		after, err := strategicpatch.StrategicMergePatch([]byte(mustJSON(o)), patch, corev1.Node{})
		if err != nil {
			return nil, err
		}
		n := new(corev1.Node)
		err = json.Unmarshal(after, n)
		if was, _, _ := unstructured.NestedBool(o.Object, "spec", "unschedulable"); was && !n.Spec.Unschedulable {
			n.Spec.Taints = withoutCordon(n.Spec.Taints) // which Kubernetes then does
		}
		writeNode(o, n)
		return o, err
	case r.Method == http.MethodPost || r.Method == http.MethodDelete:
		s.store = slices.DeleteFunc(s.store, func(other *unstructured.Unstructured) bool { return other == o })
		return metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusSuccess, Code: http.StatusOK}, nil
	default:
		o.SetAPIVersion(group)
		return o, nil
	}
}

// groups returns the groups of the objects.
func (s *apiServer) groups() metav1.APIGroupList {
	list := metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}}
	preferred := make(map[string]string)
	for _, o := range s.store {
		if v := o.GroupVersionKind().GroupVersion(); v.Group != "" {
			preferred[v.Group] = v.String()
		}
	}
	for _, group := range slices.Sorted(maps.Keys(preferred)) {
		list.Groups = append(list.Groups, metav1.APIGroup{Name: group, PreferredVersion: metav1.GroupVersionForDiscovery{GroupVersion: preferred[group]}})
	}
	return list
}

// kindOf returns the kind of the resource, which Kubernetes or an object of the store has, or "".
func (s *apiServer) kindOf(v schema.GroupVersion, resource string) string {
	kinds := slices.Collect(maps.Keys(scheme.Scheme.KnownTypes(v)))
	for _, o := range s.store {
		if o.GroupVersionKind().GroupVersion() == v {
			kinds = append(kinds, o.GetKind())
		}
	}
	i := slices.IndexFunc(kinds, func(kind string) bool { return strings.ToLower(kind)+"s" == resource })
	if i < 0 {
		return ""
	}
	return kinds[i]
}

// list returns the objects in pages of half the size that the request limits them to. As in
// all lists of API servers, elements have no kind.
func (s *apiServer) list(r *http.Request, version, kind, namespace string) (any, error) {
	byLabel, err := labels.Parse(r.FormValue("labelSelector"))
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	byField, err := fields.ParseSelector(r.FormValue("fieldSelector"))
	if err != nil {
		return nil, err
	}
	items := []map[string]any{}
	for _, o := range s.store {
		set := fields.Set{"metadata.name": o.GetName()}
		for _, path := range []string{"spec.nodeName", "involvedObject.kind", "involvedObject.name"} {
			set[path], _, _ = unstructured.NestedString(o.Object, strings.Split(path, ".")...)
		}
		isIn := namespace == "" || o.GetNamespace() == "" || o.GetNamespace() == namespace
		if o.GetKind() == kind && isIn && byLabel.Matches(labels.Set(o.GetLabels())) && byField.Matches(set) {
			item := maps.Clone(o.Object)
			delete(item, "kind")
			delete(item, "apiVersion")
			items = append(items, item)
		}
	}
	from, _ := strconv.Atoi(r.FormValue("continue"))
	if i := slices.Index(s.expired, r.URL.Path); i >= 0 && from > 0 {
		s.expired = slices.Delete(s.expired, i, i+1)
		expired := apierrors.NewResourceExpired("too old")
		expired.ErrStatus.Continue = r.FormValue("continue")
		return nil, expired
	}
	end, next := len(items), ""
	if limit, _ := strconv.Atoi(r.FormValue("limit")); limit > 0 && from+limit/2 < end {
		end = from + limit/2
		next = strconv.Itoa(end)
	}
	return map[string]any{"apiVersion": version, "kind": kind + "List", "metadata": metav1.ListMeta{Continue: next}, "items": items[from:end]}, nil
}

// kubectl runs kubectl's own code and returns its exit code and errors.
func (s *apiServer) kubectl(args ...string) (code int, stderr string) {
	defer cmdutil.DefaultBehaviorOnFatal()
	var out bytes.Buffer
	type fatal struct{ code int }
	cmdutil.BehaviorOnFatal(func(text string, code int) {
		fmt.Fprintln(&out, text)
		panic(fatal{code})
	})
	defer func() {
		if f, ok := recover().(fatal); ok {
			code, stderr = f.code, out.String()
		}
	}()
	flags := genericclioptions.NewConfigFlags(true).WithWrapConfigFn(func(c *rest.Config) *rest.Config {
		c.QPS = -1 // no limit
		return c
	})
	flags.APIServer, flags.CacheDir = &s.url, &s.cache
	streams := genericiooptions.IOStreams{Out: io.Discard, ErrOut: &out}
	root := &cobra.Command{Use: "kubectl", SilenceErrors: true, SilenceUsage: true}
	flags.AddFlags(root.PersistentFlags())
	f := cmdutil.NewFactory(flags)
	root.AddCommand(taint.NewCmdTaint(f, streams), drain.NewCmdCordon(f, streams), drain.NewCmdUncordon(f, streams), drain.NewCmdDrain(f, streams))
	root.SetArgs(args)
	if err := root.Execute(); err != nil {
		return cmdutil.DefaultErrorExitCode, err.Error()
	}
	return 0, out.String()
}
