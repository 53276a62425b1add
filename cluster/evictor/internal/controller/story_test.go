// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cluster/internal/rows"
)

// TestStories runs the stories in testdata: what happens in a world, and what is
// expected, a line each.
func TestStories(t *testing.T) {
	type story struct {
		Name, Steps     string
		Options         // FromTimeAdded is set unless FromSeen is
		DeleteHeldAfter metav1.Duration
		FromSeen        bool
		Crowd           string              // pods with this prefix are too large for a list
		Each            []map[string]string // a story each, with these words replaced
		Usual           map[string]string   // where that says nothing else
	}
	for _, story := range rows.Read[story](t, "stories.yaml") {
		o := story.Options
		o.Policy.FromTimeAdded, o.DeleteHeldAfter = !story.FromSeen, story.DeleteHeldAfter.Duration
		o.Workers, o.Method = cmp.Or(o.Workers, 1), cmp.Or(o.Method, Evict)
		if story.Each == nil {
			story.Each = []map[string]string{{}}
		}
		for _, differs := range story.Each {
			words := map[string]string{}
			maps.Copy(words, story.Usual)
			maps.Copy(words, differs)
			t.Run(replaced(story.Name, words), func(t *testing.T) {
				inWorld(t, o, func(w *world) {
					w.crowd = story.Crowd
					w.run(replaced(story.Steps, words))
				})
			})
		}
	}
}

func replaced(text string, words map[string]string) string {
	for word, by := range words {
		text = strings.ReplaceAll(text, word, by)
	}
	return text
}

// run runs the steps of a story, a line each.
func (w *world) run(story string) {
	for line := range strings.Lines(story) {
		line = strings.TrimSpace(line)
		command, rest, _ := strings.Cut(line, " ")
		name, more, _ := strings.Cut(rest, " ")
		do := w.steps()[command]
		if do == nil {
			w.t.Fatalf("there is no step %q", line)
		}
		before := w.t.Failed()
		if do(name, more); w.t.Failed() && !before {
			w.t.Errorf("after %s, that was %q", w.now().Sub(w.begin), line)
		}
	}
}

// steps are the steps of stories, with the first word after them, and the rest.
func (w *world) steps() map[string]func(name, rest string) {
	return map[string]func(name, rest string){
		"pod": func(place, rest string) { // TOLERATION, ...
			w.addPod(place, tolerations(list(rest)...))
		},
		"slow-pod": func(place, rest string) { // it does not disappear when it is deleted
			w.addPod(place, tolerations(list(rest)...), func(p *corev1.Pod) { p.Finalizers = []string{"example.com/slow"} })
		},
		"newer-pod": func(place, rest string) { // with a toleration in JSON that only a newer version knows
			list := tolerations("b", "a:NoExecute op=Exists for 10s")
			w.must(json.Unmarshal([]byte(rest), &list[0]))
			w.addPod(place, list)
		},
		"newer-node": func(name, rest string) { // with that effect
			w.setNode(name, corev1.Taint{Key: "a", Effect: corev1.TaintEffect(rest)})
		},
		"no-pod": func(name, _ string) { w.deletePod(name) },
		"tolerates": func(name, rest string) {
			w.changePod(name, func(p *corev1.Pod) { p.Spec.Tolerations = tolerations(list(rest)...) })
		},
		"phase": func(name, rest string) {
			w.changePod(name, func(p *corev1.Pod) { p.Status.Phase = corev1.PodPhase(rest) })
		},
		"changes-before-patch": func(name, _ string) {
			w.patching = func() { w.changePod(name, func(*corev1.Pod) {}) }
		},
		"node":    func(name, rest string) { w.setNode(name, taintList(rest)...) },
		"no-node": func(name, _ string) { w.must(w.api.Delete(context.Background(), w.node(name))) },
		"lost-node": func(name, _ string) { // the controller is notified
			w.must(w.api.Delete(context.Background(), w.node(name)))
			w.nodeChanged(name)
		},
		"ready": func(name, rest string) {
			n := w.node(name)
			n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionStatus(rest)}}
			w.must(w.api.Status().Update(context.Background(), n))
		},
		"old": func(node, pods string) { // the cache keeps them as they are, and the lease may be lost
			w.c.mu.Lock()
			defer w.c.mu.Unlock()
			w.c.options.Leads = func() bool { return !w.follows }
			w.old = []client.Object{w.node(node)}
			for _, pod := range strings.Fields(pods) {
				w.old = append(w.old, w.pod(pod))
			}
		},
		"up-to-date": func(node, pods string) { // the cache and the lease are again
			w.c.mu.Lock()
			w.follows, w.old = false, nil
			w.c.mu.Unlock()
			for _, pod := range strings.Fields(pods) {
				w.request(key(pod))
			}
			w.nodeChanged(node)
		},
		"fails": func(name, times string) { // always, unless it says how often
			left, refuses := number(cmp.Or(times, "1000000")), w.refuses(failures[name])
			w.fail = func(pod string) error {
				if left--; left < 0 {
					return nil
				}
				return refuses(pod)
			}
		},
		"meanwhile": func(name, rest string) { // steps with semicolons between them happen during the next attempt
			fail := w.fail
			w.fail = func(pod string) error {
				w.fail = fail
				w.run(strings.ReplaceAll(name+" "+rest, "; ", "\n"))
				if fail == nil {
					return nil
				}
				return fail(pod)
			}
		},
		"slow-large": func(name, _ string) { w.slow = duration(name) },
		"takes":      func(name, _ string) { time.Sleep(duration(name)) },
		"lags":       func(_, _ string) { w.lags = true },
		"pass":       func(name, _ string) { w.pass(duration(name)) },
		"follows":    func(_, _ string) { w.follows = true },
		"lead":       func(_, _ string) { w.lead() },
		"stand-by":   func(_, _ string) { w.standBy() },
		"restart":    func(_, _ string) { w.restart() },
		"end":        func(_, _ string) { w.close() },

		"due": func(name, rest string) { // and another check changes nothing
			w.wantDue(name, duration(rest))
			w.request(key(name))
			w.wantDue(name, duration(rest))
		},
		"uncached": func(name, _ string) {
			if err := w.c.client.Get(context.Background(), key(name), &corev1.Pod{}); !apierrors.IsNotFound(err) {
				w.t.Errorf("the cache has it: %v", err)
			}
		},
		"attempts": func(name, rest string) { // to evict these pods, in this order
			if got := strings.Join(w.attempts, " "); got != strings.TrimSpace(name+" "+rest) {
				w.t.Errorf("there are %q", got)
			}
		},
		"evicted": func(name, rest string) {
			if got := w.evictedAfter(name).Truncate(time.Millisecond); got != duration(rest) {
				w.t.Errorf("it is evicted after %v", got)
			}
		},
		"not-understood": func(name, _ string) {
			if got := w.metrics()["not_understood"]; got != float64(number(name)) {
				w.t.Errorf("there are %v", got)
			}
		},
		"evictions": func(name, _ string) {
			if got := strconv.Itoa(len(w.evicted)); got != name {
				w.t.Errorf("there are %s", got)
			}
		},
		"late": func(name, rest string) { // after a deadline, by at least so much, and the metrics say so
			due, least, _ := strings.Cut(rest, " ")
			late := w.evictedAfter(name) - duration(due)
			if off := w.metrics()["lateness_seconds"] - late.Seconds(); late < duration(least) || off < -0.001 || off > 0.001 {
				w.t.Errorf("it is %v late; the metrics are %v s off", late, off)
			}
		},
		"stale": func(least, most string) { // failed attempts
			if got := w.metrics()["failed_attempts_total stale"]; got < float64(number(least)) || got > float64(number(most)) {
				w.t.Errorf("there are %v", got)
			}
		},
		"events": func(name, want string) { // the next ones, so many times, or no more
			n := number(name)
			if next := w.events[:min(n, len(w.events))]; !slices.Equal(next, slices.Repeat([]string{want}, n)) || n == 0 && len(w.events) > 0 {
				w.t.Fatalf("there are %q", w.events)
			}
			w.events = w.events[n:]
		},
		"deletes": func(times, why string) { // web, on a failed node, and the last event and the metrics say so
			const event = "Warning Deleting Pod default/web on a failed node, due since 2000-01-01T00:00:10Z, although a PodDisruptionBudget holds it back: "
			says := w.events[len(w.events)-1] == event+why
			got, m := len(w.evicted), w.metrics()
			if got != number(times) || says != (got > 0) || m["evictions_total deleted"] != float64(got) || m["evictions_total evicted"] != 0 {
				w.t.Errorf("%d pods are deleted, the metrics are %v, and the events %q", got, m, w.events)
			}
		},
		"no-answers": func(name, _ string) { // of the API server to reads
			end := time.Now().Add(duration(name))
			w.read = func(int) error {
				if time.Now().Before(end) {
					return etcdIsGone
				}
				return nil
			}
		},
		"refused-reads": func(next, n string) { // from that one on, so many
			first := w.reads + number(next)
			w.read = func(reads int) error {
				if reads >= first && reads < first+number(n) {
					return etcdIsGone
				}
				return nil
			}
		},
		"reads": func(name, _ string) { // from the API server
			if w.reads != number(name) {
				w.t.Errorf("there are %d", w.reads)
			}
		},
		"log": func(name, message string) {
			if got := strings.Count(w.log.String(), message); got != number(name) {
				w.t.Errorf("it is there %d times; the log:\n%s", got, &w.log)
			}
		},
		"counts": func(name, rest string) { // OUTCOME=NUMBER ..., and no others
			want := map[string]float64{}
			for _, count := range strings.Fields(name + " " + rest) {
				outcome, n, _ := strings.Cut(count, "=")
				want[outcome] = float64(number(n))
			}
			for name, got := range w.metrics() {
				if counter, label, _ := strings.Cut(name, " "); strings.HasSuffix(counter, "s_total") && got != want[label] {
					w.t.Errorf("%v times %s", got, name)
				}
			}
		},
		"forgotten": func(node, _ string) { // unless this node still has taints
			if c, n := w.c, w.metrics()["queue_length"]; c.nodes[node] == nil && (len(c.pods)+len(c.placed)+len(c.views) != 0 || n != 0) {
				w.t.Errorf("still remembered: %v, %v, %v, and %v in the queue", c.pods, c.placed, c.views, n)
			}
		},
		"metrics": func(name, rest string) { // LENGTH NEXT-DEADLINE HELD-OVERDUE OTHERS-OVERDUE
			w.settle()
			m := w.metrics()
			overdue := func(cause string) time.Duration {
				return time.Duration(m["oldest_overdue_seconds "+cause] * 1e9).Truncate(time.Millisecond)
			}
			next := time.Duration(max(0, m["next_deadline_timestamp_seconds"]-float64(begin.Unix()))) * s
			if got := fmt.Sprint(m["queue_length"], next, overdue("budget"), overdue("other")); got != name+" "+rest {
				w.t.Errorf("the metrics are %s", got)
			}
		},
	}
}

func (w *world) evictedAfter(name string) time.Duration {
	return w.evicted[w.named[name]].Sub(w.begin)
}

// failures are the errors of an API server.
var failures = map[string]error{
	"budget": caused(apierrors.NewTooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", 0),
		metav1.StatusCause{Type: policyv1.DisruptionBudgetCause, Message: "no"}),
	//lint:ignore ST1005 the API server says it so
	"two-budgets": errors.New("This pod has more than one PodDisruptionBudget, which …"),
	"busy":        apierrors.NewTooManyRequests("later", 0),
	"conflict":    apierrors.NewConflict(corev1.Resource("pods"), "web", etcdIsGone),
	"internal":    etcdIsGone,
	"terminating": caused(apierrors.NewForbidden(corev1.Resource("pods"), "web", etcdIsGone),
		metav1.StatusCause{Type: corev1.NamespaceTerminatingCause}),
	"forbidden": apierrors.NewForbidden(corev1.Resource("pods"), "web", etcdIsGone),
	"no-server": &url.Error{Op: "Post", URL: "https://10.0.0.1", Err: refused},
}

func caused(err *apierrors.StatusError, cause metav1.StatusCause) error {
	err.ErrStatus.Details.Causes = append(err.ErrStatus.Details.Causes, cause)
	return err
}

var etcdIsGone = apierrors.NewInternalError(errors.New("etcd is gone"))

// refuses returns what evicts no pod because of the error. Pods are deleted, unless that
// is the method.
func (w *world) refuses(err error) func(string) error {
	return func(name string) error {
		if w.o.Method != Delete && len(w.pod(name).Status.Conditions) > 0 { // DisruptionTarget, so it is deleted
			return nil
		}
		return err
	}
}

func list(text string) []string {
	return slices.DeleteFunc(strings.Split(text, ", "), func(s string) bool { return s == "" })
}

// taintList parses taints as in "a:NoExecute@10s, b:NoExecute". The time is when they
// were added.
func taintList(text string) (all []corev1.Taint) {
	for _, spec := range list(text) {
		spec, at, has := strings.Cut(spec, "@")
		t := taint(spec, time.Time{})
		if has {
			t.TimeAdded = &metav1.Time{Time: begin.Add(duration(at))}
		}
		all = append(all, t)
	}
	return all
}

// duration parses a duration; "never" is -1.
func duration(text string) time.Duration {
	if text == "never" {
		return -1
	}
	return taints.Must(time.ParseDuration(text))
}

func number(text string) int { return taints.Must(strconv.Atoi(text)) }
