// SPDX-License-Identifier: Apache-2.0

// Package managers reads from an object's managedFields who wrote a field, and when.
package managers

import (
	"bytes"
	"encoding/json"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A Write is the last write to a field. The zero Write means that nothing is known.
type Write struct {
	By string    // the manager: by default the first part of the client's user agent
	At time.Time // of the manager's last change to the object, so the field may be older
}

// LastWrite returns the last write to the field with this path, as in "spec", "taints".
func LastWrite(list []metav1.ManagedFieldsEntry, path ...string) (last Write) {
	for _, e := range list {
		if e.FieldsV1 == nil || e.Time == nil || e.Time.Time.Before(last.At) || !has(e.FieldsV1.GetRawBytes(), path) {
			continue
		}
		last = Write{e.Manager, e.Time.Time}
	}
	return last
}

// has reports whether the set of fields has the path. Most sets lack the name.
func has(fields []byte, path []string) bool {
	if !bytes.Contains(fields, []byte(`"f:`+path[len(path)-1]+`"`)) {
		return false
	}
	for _, name := range path {
		var members map[string]json.RawMessage
		if json.Unmarshal(fields, &members) != nil || members["f:"+name] == nil {
			return false
		}
		fields = members["f:"+name]
	}
	return true
}
