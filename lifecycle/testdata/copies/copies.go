// Package copies copies a queue, which "go vet" should find.
package copies

import "github.com/seed-0529bac1/taints/lifecycle"

var queue lifecycle.Queue[string]

func byValue(q lifecycle.Queue[string]) int { return q.Len() }

func assigned() int {
	q := queue
	return q.Len()
}
