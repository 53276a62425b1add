// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cluster/internal/controlplane"
	"github.com/seed-0529bac1/taints/kube"
)

// silentKey is the annotation that stops a node's heartbeat if its value is silent.
const silentKey, silent = "play", "silent"

func (g *game) tell(what, format string, args ...any) {
	g.s.Logf("%s %-8s %s", time.Now().Format(time.TimeOnly), what, fmt.Sprintf(format, args...))
}

// watch reports what happens from now on, and stops and starts heartbeats.
func (g *game) watch() {
	factory := informers.NewSharedInformerFactory(g.Client, 0)
	handle(g, factory.Core().V1().Nodes().Informer(), g.nodeChanged)
	handle(g, factory.Core().V1().Pods().Informer(), g.podChanged)
	handle(g, factory.Events().V1().Events().Informer(), g.eventCame)
	factory.Start(g.Context().Done())
	factory.WaitForCacheSync(g.Context().Done())
}

// handle calls changed for each change of an object. For a new object, before is zero.
// Objects that exist at first are no changes.
func handle[T any](g *game, informer cache.SharedIndexInformer, changed func(before, after *T)) {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(obj any, initial bool) {
			if !initial {
				changed(new(T), obj.(*T))
			}
		},
		UpdateFunc: func(before, after any) { changed(before.(*T), after.(*T)) },
	})
	g.Must(err)
}

func (g *game) nodeChanged(before, after *corev1.Node) {
	list := kube.Taints(before.Spec.Taints)
	changes := taints.Reconcile(list, list, kube.Taints(after.Spec.Taints))
	for _, id := range changes.Remove {
		g.tell("taint", "%s loses %v", after.Name, id)
	}
	for _, taint := range changes.Add {
		g.tell("taint", "%s gets %v", after.Name, taint)
	}
	if was, is := before.Annotations[silentKey] == silent, after.Annotations[silentKey] == silent; was != is {
		if is {
			g.StopHeartbeat(after.Name)
			g.tell("silent", "%s no longer has a heartbeat", after.Name)
		} else {
			g.StartHeartbeat(after.Name)
			g.tell("silent", "%s has a heartbeat again", after.Name)
		}
	}
}

func (g *game) podChanged(before, after *corev1.Pod) {
	name := after.Namespace + "/" + after.Name
	if before.Spec.NodeName == "" && after.Spec.NodeName != "" {
		g.tell("placed", "%s on %s", name, after.Spec.NodeName)
	}
	if why := controlplane.Pending(after); why != "" && controlplane.Pending(before) == "" {
		g.tell("waits", "%s: %s", name, why)
	}
	evicted := func(pod *corev1.Pod) bool {
		return controlplane.Condition(pod, corev1.DisruptionTarget).Status == corev1.ConditionTrue
	}
	if evicted(after) && !evicted(before) { // just before it is deleted
		g.tell("evicted", "%s from %s", name, after.Spec.NodeName)
	}
}

// eventCame reports evictions that are held back or canceled.
func (g *game) eventCame(before, after *eventsv1.Event) {
	if after.Reason != "TaintManagerEviction" || before.Note == after.Note {
		return
	}
	switch after.Action {
	case "WaitForDisruptionBudget":
		g.tell("held", "%s", after.Note)
	case "CancelEviction":
		g.tell("stays", "%s", after.Note)
	}
}
