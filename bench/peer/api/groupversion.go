// Package api holds typed structs for the DynamoGraphDeployment of nvidia.com/v1alpha1, as far as an
// admission webhook has to decode them. They were written for this benchmark from the fields of the
// published CRD.
//
// +kubebuilder:object:generate=true
// +groupName=nvidia.com
package api

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion of every type in this package.
var GroupVersion = schema.GroupVersion{Group: "nvidia.com", Version: "v1alpha1"}

// AddToScheme makes the types known to a decoder.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion, &DynamoGraphDeployment{}, &DynamoGraphDeploymentList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
