package main

import (
	"fmt"

	"github.com/seed-0529bac1/taints/dra"
	resourceapi "k8s.io/api/resource/v1"
)

func main() {
	device := []resourceapi.DeviceTaint{{Key: "broken", Effect: resourceapi.DeviceTaintEffectNoExecute}}
	fmt.Println(dra.Options().Compile().Filter(dra.Taints(device)))
}
