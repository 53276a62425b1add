// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
)

// writeJSON writes the report as encoding/json does, except that it holds one
// element of the long lists at a time. Of a large cluster all of them together
// are several times what the report takes.
func (r *report) writeJSON(w io.Writer) error {
	short := *r
	short.Pending, short.Evictions, short.Groups = []pending{}, []eviction{}, []groupRow{}
	var frame bytes.Buffer
	if err := newEncoder(&frame, "").Encode(&short); err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	rest, err := writeList(out, frame.Bytes(), "pending", r.Pending)
	if err == nil {
		rest, err = writeList(out, rest, "evictions", r.Evictions)
	}
	if err == nil {
		rest, err = writeList(out, rest, "groups", r.Groups)
	}
	if err != nil {
		return err
	}
	out.Write(rest)
	return out.Flush()
}

// writeList writes the frame up to and with the empty list of the name, into
// which it puts the elements, and returns the rest of the frame. The line feed
// and the indent tell the list from other text, because in strings these are escaped.
func writeList[E any](out *bufio.Writer, frame []byte, name string, list []E) (rest []byte, err error) {
	if len(list) == 0 {
		return frame, nil
	}
	begin := "\n  \"" + name + "\": ["
	before, rest, _ := bytes.Cut(frame, []byte(begin+"]"))
	out.Write(before)
	out.WriteString(begin)
	var element bytes.Buffer
	e := newEncoder(&element, "    ")
	for i := range list {
		element.Reset()
		if err := e.Encode(&list[i]); err != nil {
			return nil, err
		}
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString("\n    ")
		if _, err := out.Write(bytes.TrimSuffix(element.Bytes(), []byte("\n"))); err != nil {
			return nil, err
		}
	}
	out.WriteString("\n  ]")
	return rest, nil
}

func newEncoder(w io.Writer, prefix string) *json.Encoder {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent(prefix, "  ")
	return e
}
