// SPDX-License-Identifier: Apache-2.0

// Package semantics reads the tables of docs/semantics.md, for the tests that
// compare the library and Kubernetes with them.
package semantics

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/docs"
)

// The column headers of the tables.
const (
	Matching = "taint, toleration, options, tolerated"
	Effects  = "node's taints, pod's tolerations, options, placed, avoided, untolerated NoExecute"
	Eviction = "node's taints, pod's tolerations, policy, leaves"
	Added    = "call, adds"
	Defaults = "call, pod's tolerations, result"
)

// Read returns the rows of the tables of the document in the repository's root,
// keyed by the headers of their columns.
func Read(root string) (map[string][]Row, error) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "semantics.md"))
	if err != nil {
		return nil, err
	}
	tables, err := docs.Tables(string(text))
	if err != nil {
		return nil, err
	}
	rows := map[string][]Row{}
	for _, t := range tables {
		head := strings.Join(t.Columns, ", ")
		for _, r := range t.Rows {
			rows[head] = append(rows[head], Row{r})
		}
	}
	return rows, nil
}

// A Row is a row of one of the tables. Its methods panic with the reason if
// they cannot read it.
type Row struct{ docs.Row }

// Yes reports whether the column contains yes. It must contain yes or no.
func (r Row) Yes(column string) bool {
	cell := r.Cell(column)
	if cell != "yes" && cell != "no" {
		panic(fmt.Sprintf("%s: want yes or no, got %q", column, cell))
	}
	return cell == "yes"
}

// Options reads the options that the column names.
func (r Row) Options(column string) (o taints.Options) {
	for _, name := range r.spans(column, "") {
		switch name {
		case "NoComparison":
			o.NoComparison = true
		case "KeyWildcards":
			o.KeyWildcards = true
		default:
			panic("no option " + name)
		}
	}
	return o
}

// Taints reads the taints in the column.
func (r Row) Taints(column string) []taints.Taint {
	return list(r.spans(column, "none"), taints.ParseTaint)
}

// Tolerations reads the tolerations in the column, with wildcards if the options
// have them.
func (r Row) Tolerations(column string, o taints.Options) []taints.Toleration {
	return Tolerations(r.spans(column, "none"), o)
}

// Tolerations reads each of the texts, with wildcards if the options have them.
func Tolerations(texts []string, o taints.Options) []taints.Toleration {
	o.NoComparison = false
	return list(texts, o.ParseToleration)
}

// spans returns the texts between backquotes in the column, which must contain
// nothing else. It returns nil if the column contains the word none.
func (r Row) spans(column, none string) []string {
	cell := r.Cell(column)
	if cell == none {
		return nil
	}
	if rest := strings.Trim(docs.WithoutCode(cell), ", "); rest != "" {
		panic(fmt.Sprintf("%s: cannot read %q", column, rest))
	}
	texts := r.Code(column)
	if len(texts) == 0 {
		panic(column + ": nothing there")
	}
	return texts
}

// list reads each of the texts. A text that begins with a brace is JSON.
func list[T any](texts []string, parse func(string) (T, error)) []T {
	var all []T
	for _, text := range texts {
		x, err := parse(text)
		if strings.HasPrefix(text, "{") {
			if err == nil {
				panic("JSON is for what has no other form: " + text)
			}
			d := json.NewDecoder(strings.NewReader(text))
			d.DisallowUnknownFields()
			err = d.Decode(&x)
		}
		if err != nil {
			panic(err)
		}
		all = append(all, x)
	}
	return all
}
