// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// unknownPod returns an error that names up to three pods of similar names. The
// pod without a namespace was looked for in all.
func unknownPod(c *cluster, name podName) error {
	type similar struct {
		podName
		distance int
	}
	var list []similar
	for i := range c.pods {
		p := c.pods[i].podName
		if d := distance(name, p); d <= 3 {
			list = append(list, similar{p, d})
		}
	}
	text := "no pod " + strings.TrimPrefix(name.String(), "/") + " in the input"
	if labels := c.only.labels; len(labels) > 0 {
		text += " that matches -l " + labels.String()
	}
	if _, err := os.Stat(name.name); err == nil && len(list) == 0 {
		return errors.New(text + "; name a file with -f")
	}
	if len(list) == 0 {
		return errors.New(text)
	}
	slices.SortFunc(list, func(a, b similar) int {
		return cmp.Or(a.distance-b.distance, compareNames(a.podName, b.podName))
	})
	var words []string
	for _, s := range list[:min(len(list), 3)] {
		words = append(words, s.String())
	}
	return errors.New(text + "; similar: " + strings.Join(words, ", "))
}

// distance says how far the name of a pod is from what was asked for: nothing
// for the same in another namespace, little where one begins with the other or
// they differ in the last part only, else the number of letters to change.
func distance(want, have podName) int {
	d := 0
	if want.namespace != "" && want.namespace != have.namespace {
		d = 1
	}
	switch {
	case want.name == have.name:
		return 0
	case strings.HasPrefix(have.name, want.name), strings.HasPrefix(want.name, have.name):
		return d + 1
	case strings.Contains(want.name, "-") && withoutLastPart(want.name) == withoutLastPart(have.name):
		return d + 2
	}
	return d + edits(want.name, have.name)
}

// withoutLastPart cuts what tells the pods of one owner apart.
func withoutLastPart(name string) string { return name[:strings.LastIndexByte(name, '-')+1] }

// edits returns how many letters to put in, take out or replace lead from a to
// b (Levenshtein), or a number above 3.
func edits(a, b string) int {
	if len(a)-len(b) > 3 || len(b)-len(a) > 3 {
		return 4
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

// find returns the full name of the pod: a name alone is of the namespace, or
// of the only pod of this name if there is none of it in the default one. A pod
// that is in none has no namespace.
func (c *cluster) find(name, namespace string) (podName, error) {
	if ns, name, ok := strings.Cut(name, "/"); ok {
		return podName{ns, name}, nil
	}
	full := podName{cmp.Or(namespace, "default"), name}
	if _, ok := c.podAt[full]; ok || namespace != "" {
		return full, nil
	}
	var found []podName
	for i := range c.pods {
		if c.pods[i].name == name {
			found = append(found, c.pods[i].podName)
		}
	}
	switch len(found) {
	case 0:
		return podName{name: name}, nil
	case 1:
		return found[0], nil
	}
	slices.SortFunc(found, compareNames)
	var words []string
	for _, n := range found {
		words = append(words, n.namespace)
	}
	return full, fmt.Errorf("pods of the name %s are in the namespaces %s; say which, as in %s",
		name, enumerate(firstOf(words, 5), "and"), found[0])
}
