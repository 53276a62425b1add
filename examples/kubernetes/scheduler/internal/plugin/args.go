// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"sigs.k8s.io/json"
)

// APIVersion and Kind are the API version and the kind of the plugin's args.
const (
	APIVersion = "taints.scheduler/v1"
	Kind       = "TaintsArgs"
)

// Args are the args of the plugin in a KubeSchedulerConfiguration.
type Args struct {
	// APIVersion and Kind are optional. If given, they must be those of this version.
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Redact leaves keys and values out of messages. It is true if not given: more
	// people can see the status of a pod than the nodes.
	Redact bool `json:"redact"`
}

// UnmarshalJSON refuses unknown fields, so that a misspelled field does not go
// unnoticed.
func (a *Args) UnmarshalJSON(data []byte) error {
	type plain Args // without this method
	strict, err := json.UnmarshalStrict(data, (*plain)(a))
	return errors.Join(append(strict, err)...)
}

func decodeArgs(object runtime.Object) (Args, error) {
	args := Args{APIVersion: APIVersion, Kind: Kind, Redact: true}
	if err := frameworkruntime.DecodeInto(object, &args); err != nil {
		return Args{}, fmt.Errorf("args of %s: %w", Name, err)
	}
	if args.APIVersion != APIVersion || args.Kind != Kind {
		return Args{}, fmt.Errorf("args of %s are %s of %s, want %s of %s", Name, args.Kind, args.APIVersion, Kind, APIVersion)
	}
	return args, nil
}
