// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
)

// AdaptTransport makes clients with this configuration do what the controller needs
// where the API server is busy or gone:
//
//   - A write returns what the API server says, be it to come again after a
//     while. A client would otherwise sleep and repeat it, up to ten times, and
//     keep a worker from other pods; the queue tries again.
//   - A read waits for an API server that cannot be reached. An informer would
//     otherwise look for it slower and slower, and notice up to a minute late
//     that it is back.
func AdaptTransport(config *rest.Config) {
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return transport{next} })
}

// Mapper knows the resources of what the controller reads and writes. The manager's
// own mapper would ask the API server for them while the controller is set up, and
// where that is gone the manager would not get to serve its health checks, or to stop.
func Mapper(*rest.Config, *http.Client) (meta.RESTMapper, error) {
	m := meta.NewDefaultRESTMapper(nil)
	m.Add(corev1.SchemeGroupVersion.WithKind("Pod"), meta.RESTScopeNamespace)
	m.Add(corev1.SchemeGroupVersion.WithKind("Node"), meta.RESTScopeRoot)
	return m, nil
}

type transport struct{ next http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (t transport) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method == http.MethodGet {
		return t.read(request)
	}
	response, err := t.next.RoundTrip(request)
	if err == nil {
		// The time is also in the body: see apierrors.SuggestsClientDelay.
		response.Header.Del("Retry-After")
	}
	return response, err
}

const (
	readPause = time.Second
	readsTold = 60 // each so many attempts the log says that the API server is gone
)

// read repeats a read until the API server can be reached or nobody waits for the
// answer any longer.
func (t transport) read(request *http.Request) (*http.Response, error) {
	for attempts := 0; ; attempts++ {
		response, err := t.next.RoundTrip(request)
		if err == nil || !noConnection(err) {
			return response, err
		}
		if attempts%readsTold == 0 {
			ctrl.Log.WithName(name).Info("Cannot reach the API server, and will try again",
				"path", request.URL.Path, "error", err.Error())
		}
		select {
		case <-request.Context().Done():
			return nil, err
		case <-time.After(readPause):
		}
	}
}

// noConnection reports whether there is no connection to the API server, or it broke
// off before an answer.
func noConnection(err error) bool {
	var network *net.OpError
	return errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// unreachable reports whether a write failed because there is no API server at the
// moment, which is not for the pod's sake. A timeout is something else: the API
// server may be busy with this very pod.
func unreachable(err error) bool {
	var transport *url.Error
	if errors.As(err, &transport) {
		return !transport.Timeout() && noConnection(err)
	}
	return apierrors.IsServiceUnavailable(err)
}

// WrappedRoundTripper lets client-go find what it wraps.
func (t transport) WrappedRoundTripper() http.RoundTripper { return t.next }
