// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"github.com/seed-0529bac1/taints/cmd/internal/manifest"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
)

// decode adds what the API server has to the cluster, and returns what continues its list.
func decode(ctx context.Context, name string, request *rest.Request, c *cluster.Cluster) (next string, err error) {
	result := request.SetHeader("Accept", runtime.ContentTypeJSON).Do(ctx)
	objects, _ := result.Raw()
	var list struct {
		metav1.ListMeta `json:"metadata"`
	}
	err = cmp.Or(result.Error(), manifest.Read(name, bytes.NewReader(objects), c.Decode)) // Raw does not read the server's message
	json.Unmarshal(objects, &list)                                                        // what has no list ends it
	return list.Continue, err
}

// readOthers lists objects that not everybody may list, in the first of the namespaces where
// that works, and reports whether it could. A selector of fields may be empty.
func (p *program) readOthers(ctx context.Context, c *cluster.Cluster, kinds, group, fields string, namespaces ...string) bool {
	var err error
	for i, namespace := range slices.Compact(namespaces) {
		if err = p.readPages(ctx, c, kinds, group, fields, namespace); err == nil {
			if i > 0 {
				c.Unevaluated.Insert(kinds + " of other namespaces")
			}
			return true
		}
	}
	c.Unevaluated.Insert(kinds + " (" + say.Shortened(err.Error()) + ")")
	return false
}

func (p *program) readPages(ctx context.Context, c *cluster.Cluster, kinds, group, fields, namespace string) error {
	for next := ""; ; {
		request := p.client.RESTClient().Get().AbsPath(group).Namespace(namespace).Resource(strings.ToLower(kinds))
		request.Param("limit", "500").Param("continue", next).Param("fieldSelector", fields)
		var err error
		if next, err = decode(ctx, kinds, request, c); err != nil || next == "" {
			return err
		}
	}
}

// readStart reads what the pods that are asked for may wait for on their nodes.
func (p *program) readStart(ctx context.Context, c *cluster.Cluster) {
	for i := 0; i < len(c.Pods) && p.start != nil; i++ {
		o := c.Pods[i]
		claims, waits := p.start.Waits(o)
		if !waits {
			continue
		}
		p.readOthers(ctx, c, "Events", "/api/v1", "involvedObject.kind=Pod,involvedObject.name="+o.Name, o.Namespace)
		for _, claim := range claims {
			p.readOthers(ctx, c, "PersistentVolumeClaims", "/api/v1", "metadata.name="+claim.Name, claim.Namespace)
		}
		if len(claims) > 0 {
			p.readOthers(ctx, c, "VolumeAttachments", "/apis/storage.k8s.io/v1", "", "")
		}
	}
}

// provisioners are the kinds of objects that make nodes, by API group.
var provisioners = map[string][]string{
	"karpenter.sh":                  {"NodePools", "NodeClaims"},
	"cluster.x-k8s.io":              {"MachineDeployments", "MachineSets", "Machines"},
	"bootstrap.cluster.x-k8s.io":    {"KubeadmConfigTemplates"},
	"controlplane.cluster.x-k8s.io": {"KubeadmControlPlanes"},
	"machine.openshift.io":          {"MachineSets", "Machines"},
	"machine.sapcloud.io":           {"MachineDeployments", "MachineSets", "Machines"},
}

// readProvisioners reads what makes nodes, if the cluster has that and its taints matter.
func (p *program) readProvisioners(ctx context.Context, c *cluster.Cluster) {
	if !c.WantsProvisioners() {
		return
	}
	raw, err := p.client.RESTClient().Get().AbsPath("/apis").SetHeader("Accept", runtime.ContentTypeJSON).Do(ctx).Raw()
	var apis metav1.APIGroupList
	json.Unmarshal(raw, &apis) // what has no list has no groups
	var missing []string
	for _, group := range apis.Groups {
		for _, kinds := range provisioners[group.Name] {
			if e := p.readPages(ctx, c, kinds, "/apis/"+group.PreferredVersion.GroupVersion, "", ""); e != nil && !apierrors.IsNotFound(e) {
				missing, err = append(missing, kinds), e
			}
		}
	}
	if err != nil && !apierrors.IsNotFound(err) {
		c.Unevaluated.Insert(cmp.Or(say.Joined(missing), "what makes nodes") + " (" + say.Shortened(err.Error()) + ")")
	}
}
