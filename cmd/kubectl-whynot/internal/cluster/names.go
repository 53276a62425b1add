// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"errors"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// checkNames returns an error unless Kubernetes allows the names of the object, its
// namespace and its owner. Commands repeat them, and none of them is like a flag.
func checkNames(m *metav1.ObjectMeta) error {
	const format = "%s is %q, which Kubernetes does not allow"
	owner := ownerOf(m)
	switch {
	case m.Name == "":
		return errors.New("metadata.name is missing")
	case !isName(m.Name):
		return fmt.Errorf(format, "metadata.name", m.Name)
	case m.Namespace != "" && (!isName(m.Namespace) || strings.Contains(m.Namespace, ".")):
		return fmt.Errorf(format, "metadata.namespace", m.Namespace)
	case owner != (Owner{}) && !isName(owner.Name):
		return fmt.Errorf(format, "the name of the owner in metadata.ownerReferences", owner.Name)
	}
	return nil
}

// isName reports whether the text is a DNS subdomain, as names of objects are.
func isName(s string) bool {
	last := '.'
	for _, r := range s {
		isSign := r == '-' && last != '.' || r == '.' && last != '.' && last != '-'
		if !isSign && (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			return false
		}
		last = r
	}
	return last != '.' && last != '-' && len(s) <= 253
}
