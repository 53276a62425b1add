// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/go-logr/logr"
	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
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
		module, err := moduleDir(".")
		if err != nil {
			return nil, err
		}
		folder = filepath.Join(module, "manifests", folder)
	}
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		return nil, err
	}
	for _, resource := range built.Resources() {
		text, err := resource.MarshalJSON()
		if err != nil {
			return nil, err
		}
		fields := &unstructured.Unstructured{}
		if err := fields.UnmarshalJSON(text); err != nil {
			return nil, err
		}
		object, err := scheme.Scheme.New(fields.GroupVersionKind())
		switch {
		case runtime.IsNotRegisteredError(err):
			object, err = fields, nil
		case err == nil:
			err = runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(fields.Object, object, true)
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
		what := fmt.Sprintf("%T %s", object, object.GetName())
		// A system namespace may appear a moment late.
		c.Eventually(what+" is created", func() error {
			err := api.Create(c.Context(), object)
			if apierrors.IsAlreadyExists(err) {
				c.tb.Fatal(err)
			}
			return err
		})
		c.takeAway(what, func(ctx context.Context) error {
			return api.Delete(ctx, object, client.GracePeriodSeconds(0), client.PropagationPolicy(metav1.DeletePropagationForeground))
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
