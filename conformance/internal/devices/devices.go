// SPDX-License-Identifier: Apache-2.0

//go:build !staging

// Package devices runs the device-taint-eviction controller. The build tag
// kubernetes1.34 selects that of Kubernetes 1.34, which learns about rules for
// device taints in another way.
package devices

import (
	"reflect"
	_ "unsafe" // for go:linkname

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/kubernetes/pkg/controller/devicetainteviction"
)

// A Controller is Kubernetes' device-taint-eviction controller.
type Controller = devicetainteviction.Controller

// New returns a controller that knows no devices. Its clients and informers are
// nil, because the functions that find the time of an eviction use none.
func New() *Controller {
	tc := new(Controller)
	pools := field(tc, "pools")
	pools.Set(reflect.MakeMap(pools.Type()))
	return tc
}

// field returns a field of the controller, which can be set.
func field(tc *Controller, name string) reflect.Value {
	f := reflect.ValueOf(tc).Elem().FieldByName(name)
	return reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem()
}

//go:linkname changeSlice k8s.io/kubernetes/pkg/controller/devicetainteviction.(*Controller).handleSliceChange
func changeSlice(tc *devicetainteviction.Controller, oldSlice, newSlice *resourceapi.ResourceSlice)
