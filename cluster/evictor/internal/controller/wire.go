// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// stripped sends a request, and strips the pods of the answer as they arrive, one
// toleration at a time. A client decodes the whole answer at once, and a pod of 1.5 MB
// takes more than 10 MB when it is decoded.
func (t transport) stripped(request *http.Request) (*http.Response, error) {
	response, err := t.next.RoundTrip(request)
	raw := stripper(request)
	if err != nil || raw == nil || response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != runtime.ContentTypeProtobuf {
		return response, err
	}
	defer response.Body.Close()
	// The encoding of API servers: four bytes, and a runtime.Unknown.
	magic, err := whole(response.Body, 4)
	if err != nil {
		return nil, err
	}
	unknown, err := message{1: whole, 2: raw, 3: whole, 4: whole}.read(response.Body, mostBytes)
	if err != nil {
		return nil, err
	}
	answer := append(magic, unknown...)
	response.Body, response.ContentLength = io.NopCloser(bytes.NewReader(answer)), int64(len(answer))
	response.Header.Del("Content-Length")
	return response, nil
}

// stripper returns what strips the pods in the answer to a request, or nil if it has none.
func stripper(request *http.Request) field {
	pod := func(r io.Reader, size int64) ([]byte, error) { return stripPod(request.Context(), r, size) }
	one, _ := path.Match("/api/v1/namespaces/*/pods/*", strings.TrimSuffix(request.URL.Path, "/status"))
	switch {
	case request.URL.Path == "/api/v1/pods":
		return message{1: whole, 2: pod}.read
	case one && (request.Method == http.MethodGet || request.Method == http.MethodPatch):
		return pod
	}
	return nil
}

// stripPod strips a pod. Who asks about it sees all of its tolerations.
func stripPod(ctx context.Context, r io.Reader, size int64) ([]byte, error) {
	kept := newKeeper()
	about, _ := ctx.Value(questionKey{}).(*question)
	toleration := func(r io.Reader, size int64) ([]byte, error) {
		content, err := whole(r, size)
		var t corev1.Toleration
		if err = errors.Join(err, t.Unmarshal(content)); err != nil {
			return nil, err
		}
		kept.add(&t)
		if about != nil {
			about.add(&t)
		}
		return nil, nil
	}
	meta := message{1: whole, 3: whole, 5: whole, 6: whole, 7: whole, 8: whole, 9: whole} // as stripMeta
	content, err := message{
		1: meta.read,
		2: message{10: whole, 22: toleration}.read,
		3: message{2: whole}.read,
	}.read(r, size)
	var p corev1.Pod
	if err = errors.Join(err, p.Unmarshal(content)); err != nil {
		return nil, err
	}
	p.Spec.Tolerations = kept.list()
	_, _ = strip(&p)
	p.Status.ObservedGeneration = size
	return p.Marshal()
}

// A field reads the content of a field, and returns what is kept of it, or nil.
type field func(r io.Reader, size int64) ([]byte, error)

// A message has the fields that are kept, by number. A number is always kept.
type message map[uint64]field

// read reads a message of the size.
func (m message) read(body io.Reader, size int64) ([]byte, error) {
	r := bufio.NewReaderSize(body, int(min(size, 4096)))
	kept := []byte{}
	for {
		tag, err := binary.ReadUvarint(r)
		if err == io.EOF {
			return kept, nil
		}
		value, errValue := binary.ReadUvarint(r) // or the size
		if err = errors.Join(err, errValue); err != nil {
			return nil, err
		}
		switch tag % 8 {
		case 0:
			kept = binary.AppendUvarint(binary.AppendUvarint(kept, tag), value)
		case 2:
			read := m[tag/8]
			if read == nil {
				read = nothing
			}
			left := &io.LimitedReader{R: r, N: int64(value)}
			content, err := read(left, left.N)
			if err != nil {
				return nil, err
			}
			if left.N != 0 {
				return nil, io.ErrUnexpectedEOF
			}
			if content != nil {
				kept = binary.AppendUvarint(binary.AppendUvarint(kept, tag), uint64(len(content)))
				kept = append(kept, content...)
			}
		default:
			return nil, fmt.Errorf("a message has a field of type %d, want 0 or 2", tag%8)
		}
	}
}

func nothing(r io.Reader, _ int64) ([]byte, error) {
	_, err := io.Copy(io.Discard, r)
	return nil, err
}

// mostBytes bounds a field that is kept as it is. An API server accepts 3 MB.
const mostBytes = 16 << 20

func whole(r io.Reader, size int64) ([]byte, error) {
	if size < 0 || size > mostBytes {
		return nil, fmt.Errorf("a field has %d bytes", size)
	}
	content := make([]byte, size)
	_, err := io.ReadFull(r, content)
	return content, err
}
