// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// lists is a transport that strips the pods of a list as they arrive. A client decodes
// the whole list at once, and a pod of 1.5 MB takes more than 10 MB when it is decoded.
type lists struct{ next http.RoundTripper }

// WrappedRoundTripper returns the wrapped transport for client-go.
func (l lists) WrappedRoundTripper() http.RoundTripper { return l.next }

// RoundTrip implements [http.RoundTripper].
func (l lists) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := l.next.RoundTrip(request)
	if err != nil || response.StatusCode != http.StatusOK || request.URL.Path != "/api/v1/pods" || request.URL.Query().Has("watch") ||
		response.Header.Get("Content-Type") != runtime.ContentTypeProtobuf {
		return response, err
	}
	defer response.Body.Close()
	list, err := stripList(response.Body)
	if err != nil {
		return nil, err
	}
	response.Body, response.ContentLength = io.NopCloser(bytes.NewReader(list)), int64(len(list))
	response.Header.Del("Content-Length")
	return response, nil
}

// stripList strips the pods of a list in the encoding of API servers: four bytes, and a
// [runtime.Unknown] with a [corev1.PodList].
func stripList(body io.Reader) ([]byte, error) {
	var magic [4]byte
	if _, err := io.ReadFull(body, magic[:]); err != nil {
		return nil, err
	}
	list, err := rewrite(body, func(raw io.Reader, _ uint64) ([]byte, error) { return rewrite(raw, stripPod) })
	return append(magic[:], list...), err
}

// rewrite rewrites the second field of a message: Raw or Items. All fields of both
// messages have a length.
func rewrite(body io.Reader, second func(io.Reader, uint64) ([]byte, error)) (message []byte, err error) {
	r := bufio.NewReader(body)
	for {
		tag, err := binary.ReadUvarint(r)
		if err == io.EOF {
			return message, nil
		}
		size, errSize := binary.ReadUvarint(r)
		if err = errors.Join(err, errSize); err != nil {
			return nil, err
		}
		if tag%8 != 2 {
			return nil, fmt.Errorf("a list of pods has a field of type %d, want 2", tag%8)
		}
		read := readAll
		if tag/8 == 2 {
			read = second
		}
		field := &io.LimitedReader{R: r, N: int64(size)}
		content, err := read(field, size)
		if err == nil && field.N > 0 {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, err
		}
		message = binary.AppendUvarint(binary.AppendUvarint(message, tag), uint64(len(content)))
		message = append(message, content...)
	}
}

func readAll(r io.Reader, size uint64) ([]byte, error) {
	content := make([]byte, size)
	_, err := io.ReadFull(r, content)
	return content, err
}

// large is held while a pod of more than largePod bytes is decoded: many lists may be
// read at a time.
var large sync.Mutex

const largePod = 64 << 10

func stripPod(r io.Reader, size uint64) ([]byte, error) {
	if size > largePod {
		large.Lock()
		defer large.Unlock()
	}
	content, err := readAll(r, size)
	if err != nil {
		return nil, err
	}
	var p corev1.Pod
	if err := p.Unmarshal(content); err != nil {
		return nil, err
	}
	_, _ = strip(&p)
	return p.Marshal()
}
