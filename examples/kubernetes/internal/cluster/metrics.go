// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"k8s.io/client-go/rest"
)

// Get fetches a page of a program that the test has started, as the user who may do
// everything. The program's own certificate is not looked at: it made it itself, and
// it runs on this machine.
func (c *Cluster) Get(url string) (string, error) {
	client, err := rest.HTTPClientFor(&rest.Config{
		BearerToken: c.Config.BearerToken, Timeout: 10 * time.Second, TLSClientConfig: rest.TLSClientConfig{Insecure: true},
	})
	if err != nil {
		return "", err
	}
	request, err := http.NewRequestWithContext(c.Context(), http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	response, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return "", err
	}
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s: %s: %.200s", url, response.Status, body)
	}
	return string(body), nil
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
