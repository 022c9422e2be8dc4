// Package api holds typed structs of the kinds that bench/peer/api does not have, as far as the peer
// of the benchmark has to read them. They were written for this benchmark from the published CRDs.
package api

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	graphs "dynamo-admission/bench/peer/api"
)

type Status struct {
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

type DynamoComponentDeployment struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   graphs.ServiceSpec `json:"spec,omitempty"`
	Status Status             `json:"status,omitempty"`
}

type DynamoComponentDeploymentList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []DynamoComponentDeployment `json:"items"`
}

type ModelSpec struct {
	ModelName     string `json:"modelName"`
	BaseModelName string `json:"baseModelName"`
	ModelType     string `json:"modelType,omitempty"`
}

// ModelStatus has counts that the CRD requires of every status.
type ModelStatus struct {
	Status         `json:",inline"`
	ReadyEndpoints *int32 `json:"readyEndpoints,omitempty"`
	TotalEndpoints *int32 `json:"totalEndpoints,omitempty"`
}

type DynamoModel struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   ModelSpec   `json:"spec,omitempty"`
	Status ModelStatus `json:"status,omitempty"`
}

type DynamoModelList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []DynamoModel `json:"items"`
}

// AddToScheme makes the types of this package and of bench/peer/api known.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(graphs.GroupVersion, &DynamoComponentDeployment{}, &DynamoComponentDeploymentList{},
		&DynamoModel{}, &DynamoModelList{})
	return graphs.AddToScheme(scheme)
}

func (s *Status) deepCopyInto(out *Status) {
	out.Conditions = make([]metav1.Condition, len(s.Conditions))
	copy(out.Conditions, s.Conditions)
}

func (d *DynamoComponentDeployment) DeepCopyObject() runtime.Object {
	out := &DynamoComponentDeployment{TypeMeta: d.TypeMeta}
	d.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	d.Spec.DeepCopyInto(&out.Spec)
	d.Status.deepCopyInto(&out.Status)
	return out
}

func (l *DynamoComponentDeploymentList) DeepCopyObject() runtime.Object {
	out := &DynamoComponentDeploymentList{TypeMeta: l.TypeMeta, Items: make([]DynamoComponentDeployment, 0, len(l.Items))}
	l.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range l.Items {
		out.Items = append(out.Items, *l.Items[i].DeepCopyObject().(*DynamoComponentDeployment))
	}
	return out
}

func (m *DynamoModel) DeepCopyObject() runtime.Object {
	// The counts are never changed where they lie.
	out := &DynamoModel{TypeMeta: m.TypeMeta, Spec: m.Spec, Status: m.Status}
	m.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	m.Status.deepCopyInto(&out.Status.Status)
	return out
}

func (l *DynamoModelList) DeepCopyObject() runtime.Object {
	out := &DynamoModelList{TypeMeta: l.TypeMeta, Items: make([]DynamoModel, 0, len(l.Items))}
	l.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range l.Items {
		out.Items = append(out.Items, *l.Items[i].DeepCopyObject().(*DynamoModel))
	}
	return out
}
