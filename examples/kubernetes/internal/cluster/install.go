// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// Kustomize builds a kustomization of this module, named by its folder in manifests,
// as kubectl kustomize does.
func Kustomize(folder string) ([]byte, error) {
	module, err := moduleDir()
	if err != nil {
		return nil, err
	}
	return kustomize(filepath.Join(module, "manifests", folder))
}

func kustomize(folder string) ([]byte, error) {
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		return nil, err
	}
	return built.AsYaml()
}

// Manifest builds a kustomization of this module, and refuses fields that Kubernetes
// does not know. Objects of kinds that it does not know are unstructured.
func Manifest(folder string) ([]runtime.Object, error) {
	content, err := Kustomize(folder)
	if err != nil {
		return nil, err
	}
	return decode(content)
}

// Overlay builds a kustomization of this module with components of it, named by
// their folders as well. The folder is for the kustomization that names them.
func Overlay(folder, base string, components ...string) ([]runtime.Object, error) {
	module, err := moduleDir()
	if err != nil {
		return nil, err
	}
	if folder, err = filepath.EvalSymlinks(folder); err != nil {
		return nil, err
	}
	manifests, err := filepath.Rel(folder, filepath.Join(module, "manifests"))
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf("resources: [%s]\ncomponents:\n", filepath.Join(manifests, base))
	for _, component := range components {
		text += fmt.Sprintf("- %s\n", filepath.Join(manifests, component))
	}
	if err := os.WriteFile(filepath.Join(folder, "kustomization.yaml"), []byte(text), 0o600); err != nil {
		return nil, err
	}
	content, err := kustomize(folder)
	if err != nil {
		return nil, err
	}
	return decode(content)
}

func decode(content []byte) ([]runtime.Object, error) {
	decoder := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	documents := yaml.NewDocumentDecoder(io.NopCloser(bytes.NewReader(content)))
	defer documents.Close()
	var objects []runtime.Object
	buffer := make([]byte, len(content))
	for {
		n, err := documents.Read(buffer)
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, err
		}
		object, _, err := decoder.Decode(buffer[:n], nil, nil)
		if runtime.IsNotRegisteredError(err) {
			object, err = decodeUnknown(buffer[:n])
		}
		if err != nil {
			return nil, fmt.Errorf("%w\n%s", err, buffer[:n])
		}
		objects = append(objects, object)
	}
}

func decodeUnknown(text []byte) (runtime.Object, error) {
	asJSON, err := yaml.ToJSON(text)
	if err != nil {
		return nil, err
	}
	object, _, err := unstructured.UnstructuredJSONScheme.Decode(asJSON, nil, nil)
	return object, err
}

// Install creates the objects of a kustomization of this module in the cluster, and
// returns them.
func (c *Cluster) Install(folder string) []runtime.Object {
	c.tb.Helper()
	objects, err := Manifest(folder)
	if err != nil {
		c.tb.Fatal(err)
	}
	c.Apply(objects...)
	return objects
}

// Apply creates the objects, of any kind.
func (c *Cluster) Apply(objects ...runtime.Object) {
	c.tb.Helper()
	config := rest.CopyConfig(c.Config)
	config.ContentType, config.AcceptContentTypes = "", "" // JSON
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		c.tb.Fatal(err)
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(c.Client.Discovery()))
	for _, object := range objects {
		kind := object.GetObjectKind().GroupVersionKind()
		mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
		if err != nil {
			c.tb.Fatal(err)
		}
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
		if err != nil {
			c.tb.Fatal(err)
		}
		item := &unstructured.Unstructured{Object: fields}
		// A namespace of the system may be a moment late.
		c.Eventually(fmt.Sprintf("%s %s is created", kind.Kind, item.GetName()), func() error {
			resource := client.Resource(mapping.Resource).Namespace(item.GetNamespace())
			_, err := resource.Create(c.Context(), item,
				metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
			return err
		})
	}
}

// ServiceAccount returns the path of a file for --kubeconfig for a service account,
// which has the rights of that and no more.
func (c *Cluster) ServiceAccount(namespace, name string) string {
	c.tb.Helper()
	accounts := c.Client.CoreV1().ServiceAccounts(namespace)
	request, err := accounts.CreateToken(c.Context(), name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		c.tb.Fatal(err)
	}
	return c.KubeconfigFor(namespace+"-"+name, request.Status.Token)
}

// Kubectl returns a folder for the PATH, which holds kubectl.
func (c *Cluster) Kubectl() string {
	c.tb.Helper()
	folder := filepath.Join(c.Dir, "bin")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		c.tb.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\nexec '%s' kubectl \"$@\"\n", Binary(c.tb, controlPlane))
	if err := os.WriteFile(filepath.Join(folder, "kubectl"), []byte(script), 0o755); err != nil {
		c.tb.Fatal(err)
	}
	return folder
}
