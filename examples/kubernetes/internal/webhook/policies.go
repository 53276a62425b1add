// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/seed-0529bac1/taints"
)

// Policies is the policy in use. The rules of a file are read again when the file
// changes: all of them count from then on, or, where the file cannot be read or is
// refused, those from before. It is safe for concurrent use.
type Policies struct {
	file     string
	defaults taints.DefaultSeconds

	mu       sync.RWMutex
	policy   *Policy
	loaded   time.Time // when the rules in use were read
	tried    []byte    // what was read last, good or not
	problem  string    // what is wrong with it
	failures uint64
}

// OpenPolicies reads the file of rules, see [ParseRules]; without a name there are none.
func OpenPolicies(file string, defaults taints.DefaultSeconds) (*Policies, error) {
	p := &Policies{file: file, defaults: defaults, policy: &Policy{Defaults: defaults}, loaded: time.Now()}
	if _, err := p.reload(); err != nil {
		return nil, err
	}
	return p, nil
}

// Policy returns the policy in use. It does not change.
func (p *Policies) Policy() *Policy {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.policy
}

// reload reads the file, and reports whether that led to another policy, or to
// another problem, which is the error then.
func (p *Policies) reload() (changed bool, err error) {
	if p.file == "" {
		return false, nil
	}
	text, err := os.ReadFile(p.file)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil && p.tried != nil && bytes.Equal(text, p.tried) {
		return false, nil
	}
	var rules Rules
	if err == nil {
		p.tried = text
		if rules, err = ParseRules(text); err != nil {
			err = fmt.Errorf("%s: %w", p.file, err)
		}
	} else {
		p.tried = nil
	}
	if err != nil {
		changed = p.problem != err.Error()
		p.problem = err.Error()
		p.failures++
		return changed, err
	}
	p.policy, p.loaded, p.problem = &Policy{Rules: rules, Defaults: p.defaults}, time.Now(), ""
	return true, nil
}

// watch reads the file again at each interval until the context is done.
func (p *Policies) watch(ctx context.Context, interval time.Duration, log *slog.Logger) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		switch changed, err := p.reload(); {
		case changed && err != nil:
			log.Warn("the rules cannot be read again; the last ones stay in use", "error", err.Error())
		case changed:
			namespaces, dedications := p.Policy().Rules.Len()
			log.Info("new rules", "namespaces", namespaces, "dedications", dedications)
		}
	}
}

// state returns what the metrics say.
func (p *Policies) state() (loaded time.Time, good bool, failures uint64) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.loaded, p.problem == "", p.failures
}
