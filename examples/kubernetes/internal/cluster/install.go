// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-logr/logr"
	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
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

// CheckVersion returns an error for a version of Kubernetes that is too old for
// this module: a version without the operators Lt and Gt of tolerations.
func CheckVersion(text string) error {
	const oldest = "1.35"
	v, err := version.ParseGeneric(text)
	if err == nil && v.LessThan(version.MustParseGeneric(oldest)) {
		err = fmt.Errorf("it is Kubernetes %s, and %s is the oldest that works here", text, oldest)
	}
	return err
}

// Connect returns an existing cluster and removes added objects at the end.
func Connect(tb T, kubeconfig string, options Options) *Cluster {
	tb.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		tb.Fatal(err)
	}
	config.QPS, config.Burst = 100, 200
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		tb.Fatal(err)
	}
	info, err := client.Discovery().ServerVersion()
	if err == nil {
		err = CheckVersion(info.GitVersion)
	}
	if err != nil {
		tb.Fatalf("%s: %v", config.Host, err)
	}
	c := newCluster(tb, options)
	c.borrowed, c.Kubeconfig, c.Config, c.Client = true, kubeconfig, config, client
	c.startKubelets()
	return c
}

// takeAway deletes an object at the end if it was added to an existing cluster.
func (c *Cluster) takeAway(what string, remove func(context.Context) error) {
	if !c.borrowed {
		return
	}
	c.tb.Cleanup(func() {
		var last error
		gone := func(ctx context.Context) (bool, error) {
			last = remove(ctx)
			return apierrors.IsNotFound(last), nil
		}
		if wait.PollUntilContextTimeout(c.ctx, 100*time.Millisecond, time.Minute, true, gone) != nil {
			c.tb.Errorf("%s is left: %v", what, last)
		}
	})
}

// Lacks returns the programs that are not in the folder.
func Lacks(folder string, programs ...string) []string {
	return slices.DeleteFunc(programs, func(program string) bool {
		_, err := exec.LookPath(filepath.Join(folder, program))
		return err == nil
	})
}

// Tools returns a folder for the PATH with other programs of this repository, named
// as for [Build], and kubectl. It leaves out kubectl if the cluster existed before,
// or if Programs has no kubectl but the PATH does.
func (c *Cluster) Tools(folders ...string) string {
	c.tb.Helper()
	bin := filepath.Join(c.Dir, "bin")
	c.must(os.MkdirAll(bin, 0o755))
	for _, folder := range folders {
		c.must(os.Symlink(Binary(c.tb, folder), filepath.Join(bin, filepath.Base(folder))))
	}
	_, err := exec.LookPath("kubectl")
	if c.borrowed || err == nil && c.options.Programs != "" && len(Lacks(c.options.Programs, "kubectl")) > 0 {
		return bin
	}
	script := fmt.Sprintf("#!/bin/sh\nexec '%s' \"$@\"\n", strings.Join(c.command("kubectl"), "' '"))
	c.must(os.WriteFile(filepath.Join(bin, "kubectl"), []byte(script), 0o755))
	return bin
}
