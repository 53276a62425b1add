// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/go-logr/logr"
	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// Manifest builds a kustomization, named by its folder in this module's manifests
// or by its absolute path. It refuses fields that Kubernetes does not know. Objects
// of kinds that Kubernetes does not know are unstructured.
func Manifest(folder string) (objects []client.Object, err error) {
	if !filepath.IsAbs(folder) {
		module, err := moduleDir()
		if err != nil {
			return nil, err
		}
		folder = filepath.Join(module, "manifests", folder)
	}
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		return nil, err
	}
	decoder := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	for _, resource := range built.Resources() {
		text, err := resource.MarshalJSON()
		if err != nil {
			return nil, err
		}
		object, _, err := decoder.Decode(text, nil, nil)
		if runtime.IsNotRegisteredError(err) {
			object, _, err = unstructured.UnstructuredJSONScheme.Decode(text, nil, nil)
		}
		if err != nil {
			return nil, fmt.Errorf("%w\n%s", err, text)
		}
		objects = append(objects, object.(client.Object))
	}
	return objects, nil
}

// Install creates the objects of a kustomization of this module in the cluster, and
// returns them.
func (c *Cluster) Install(folder string) []client.Object {
	c.tb.Helper()
	objects, err := Manifest(folder)
	c.must(err)
	c.Apply(objects...)
	return objects
}

// Apply creates the objects, of any kind.
func (c *Cluster) Apply(objects ...client.Object) {
	c.tb.Helper()
	log.SetLogger(logr.Discard()) // otherwise it warns that it has none
	api, err := client.New(c.Config, client.Options{})
	c.must(err)
	api = client.WithFieldValidation(api, metav1.FieldValidationStrict)
	for _, object := range objects {
		object := object.DeepCopyObject().(client.Object) // the given object can be created again
		// A system namespace may appear a moment late.
		c.Eventually(fmt.Sprintf("%T %s is created", object, object.GetName()), func() error {
			err := api.Create(c.Context(), object)
			if apierrors.IsAlreadyExists(err) {
				c.tb.Fatal(err)
			}
			return err
		})
	}
}

// ServiceAccount returns the path of a file for --kubeconfig for a service account,
// with the rights of that account and no more.
func (c *Cluster) ServiceAccount(namespace, name string) string {
	c.tb.Helper()
	accounts := c.Client.CoreV1().ServiceAccounts(namespace)
	request, err := accounts.CreateToken(c.Context(), name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	c.must(err)
	return c.KubeconfigFor(namespace+"-"+name, request.Status.Token)
}

// Tools returns a folder for the PATH with kubectl and other programs of this
// repository, named as for [Binary].
func (c *Cluster) Tools(folders ...string) string {
	c.tb.Helper()
	bin := filepath.Join(c.Dir, "bin")
	c.must(os.MkdirAll(bin, 0o755))
	for _, folder := range folders {
		c.must(os.Symlink(Binary(c.tb, folder), filepath.Join(bin, filepath.Base(folder))))
	}
	script := fmt.Sprintf("#!/bin/sh\nexec '%s' kubectl \"$@\"\n", Binary(c.tb, ControlPlane))
	c.must(os.WriteFile(filepath.Join(bin, "kubectl"), []byte(script), 0o755))
	return bin
}
