// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

// Get fetches a page of a program that the test has started, as a user with all
// rights. The program's certificate is not verified: the program made it itself,
// and runs on this machine.
func (c *Cluster) Get(url string) (string, error) {
	client, err := rest.UnversionedRESTClientFor(&rest.Config{
		Host: url, BearerToken: c.Config.BearerToken, Timeout: 10 * time.Second,
		TLSClientConfig: rest.TLSClientConfig{Insecure: true},
		ContentConfig:   rest.ContentConfig{NegotiatedSerializer: scheme.Codecs},
	})
	if err != nil {
		return "", err
	}
	page, err := client.Get().DoRaw(c.Context())
	return string(page), err
}

// WaitHealthy waits until the page answers.
func (c *Cluster) WaitHealthy(url string) {
	c.tb.Helper()
	c.Eventually(url+" answers", func() error {
		_, err := c.Get(url)
		return err
	})
}

// Metrics fetches a page of metrics, by name.
func (c *Cluster) Metrics(url string) (map[string]*dto.MetricFamily, error) {
	page, err := c.Get(url)
	if err != nil {
		return nil, err
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	return parser.TextToMetricFamilies(strings.NewReader(page))
}
