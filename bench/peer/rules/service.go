package rules

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"dynamo-admission/bench/peer/api"
)

func (v *GraphValidator) validateService(service *api.ServiceSpec, path *field.Path, found *findings) {
	if service == nil {
		found.required(path, "must be an object, found null")
		return
	}
	if service.DynamoNamespace != nil && *service.DynamoNamespace != "" {
		found.warn(fmt.Sprintf("%s: ignored; the namespace of the graph is used", path.Child("dynamoNamespace")))
	}
	if service.Replicas != nil && *service.Replicas < 0 {
		found.add(field.Invalid(path.Child("replicas"), *service.Replicas, "must be 0 or more"))
	}
	if service.Ingress != nil && service.Ingress.Enabled && service.Ingress.Host == "" {
		found.required(path.Child("ingress", "host"), "must be set when ingress is enabled")
	}
	for i := range service.VolumeMounts {
		if mount := &service.VolumeMounts[i]; mount.MountPoint == "" && !mount.UseAsCompilationCache {
			found.required(path.Child("volumeMounts").Index(i).Child("mountPoint"),
				"must be set unless useAsCompilationCache is true")
		}
	}
	if memory := service.SharedMemory; memory != nil && !memory.Disabled && memory.Size.IsZero() {
		found.required(path.Child("sharedMemory", "size"), "must be set unless disabled is true")
	}
	if service.Autoscaling != nil {
		found.warn(fmt.Sprintf("%s: ignored; use a scaling adapter", path.Child("autoscaling")))
	}
	if service.ComponentType == api.ComponentTypeEPP {
		v.validateEPP(service, path, found)
	}
}

func (v *GraphValidator) validateEPP(service *api.ServiceSpec, path *field.Path, found *findings) {
	if !v.InferencePoolServed {
		found.add(field.Forbidden(path, "needs the API group inference.networking.k8s.io, which is not served"))
	}
	if isMultinode(service) {
		found.add(field.Forbidden(path.Child("multinode"), "must be one node for an epp"))
	}
	if service.Replicas != nil && *service.Replicas != 1 {
		found.add(field.Invalid(path.Child("replicas"), *service.Replicas, "must be 1 for an epp"))
	}
	at := path.Child("eppConfig")
	config := service.EPPConfig
	if config == nil {
		found.required(at, "must be set for an epp")
		return
	}
	if config.ConfigMapRef == nil && config.Config == nil {
		found.required(at, "must hold configMapRef or config")
	}
	if config.ConfigMapRef != nil && config.Config != nil {
		found.add(field.Forbidden(at, "must hold only one of configMapRef and config"))
	}
	if config.ConfigMapRef != nil && config.ConfigMapRef.Name == "" {
		found.required(at.Child("configMapRef", "name"), "must not be empty")
	}
}

func isMultinode(service *api.ServiceSpec) bool {
	return service != nil && service.Multinode != nil && service.Multinode.NodeCount > 1
}
