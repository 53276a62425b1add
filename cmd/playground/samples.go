// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"net/url"

	"go.yaml.in/yaml/v4"
)

// A sample is a question and a form that shows the answer.
type sample struct {
	ID, Question, Note string
	Fields             map[string]string
}

//go:embed page/samples.yaml
var samplesYAML []byte

// samples are in the order of the page.
var samples = func() (list []sample) {
	if err := yaml.Unmarshal(samplesYAML, &list); err != nil {
		panic(err)
	}
	return list
}()

// Link returns the fragment of the link that opens the sample.
func (s sample) Link() string {
	values := url.Values{"observed": {"2026-11-21T12:00"}, "sample": {s.ID}}
	for name, value := range s.Fields {
		values.Set(name, value)
	}
	return "#" + values.Encode()
}
