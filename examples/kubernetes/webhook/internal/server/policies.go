// SPDX-License-Identifier: Apache-2.0

package server

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/examples/kubernetes/webhook/internal/policy"
)

// reloadInterval is how often the rules file is read.
const reloadInterval = 5 * time.Second

// Policies has the policy in use. It reads the rules file again when the file
// changes. The rules change as a whole: if the file cannot be read or is refused,
// the old rules stay in use.
type Policies struct {
	file    string
	seconds taints.DefaultSeconds
	log     logr.Logger
	policy  atomic.Pointer[policy.Policy]

	text    []byte // the contents of the file when it was last read
	problem string // what is wrong with the file
}

// OpenPolicies reads the rules file. If the name is empty, there are no rules.
func OpenPolicies(file string, seconds taints.DefaultSeconds, log logr.Logger) (*Policies, error) {
	p := &Policies{file: file, seconds: seconds, log: log}
	p.use(&policy.Rules{})
	if file == "" {
		return p, nil
	}
	return p, p.reload()
}

// Policy returns the policy in use.
func (p *Policies) Policy() *policy.Policy { return p.policy.Load() }

// Start reads the file periodically until the context ends.
func (p *Policies) Start(ctx context.Context) error {
	if p.file != "" {
		wait.UntilWithContext(ctx, p.update, reloadInterval)
	}
	return nil
}

// update reads the file again, and logs a problem once.
func (p *Policies) update(context.Context) {
	last := p.problem
	if err := p.reload(); err != nil && p.problem != last {
		p.log.Error(err, "the rules cannot be reloaded; the old ones stay in use")
	}
}

// reload reads the file, and uses its rules if they are new and valid.
func (p *Policies) reload() error {
	text, err := os.ReadFile(p.file)
	if err != nil {
		p.text = nil
		return p.fail(err)
	}
	if p.text != nil && bytes.Equal(text, p.text) {
		return nil
	}
	p.text = text
	rules, err := policy.ParseRules(text)
	if err != nil {
		return p.fail(fmt.Errorf("%s: %w", p.file, err))
	}
	p.use(rules)
	p.log.Info("new rules", "namespaces", len(rules.Namespaces), "dedications", len(rules.Dedications))
	return nil
}

func (p *Policies) fail(err error) error {
	p.problem = err.Error()
	rulesGood.Set(0)
	rulesFailures.Inc()
	return err
}

func (p *Policies) use(rules *policy.Rules) {
	p.policy.Store(&policy.Policy{Rules: *rules, Seconds: p.seconds})
	p.problem = ""
	rulesGood.Set(1)
	rulesLoaded.SetToCurrentTime()
}
