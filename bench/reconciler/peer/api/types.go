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

type AdapterSpec struct {
	Replicas int32 `json:"replicas"`
	DGDRef   struct {
		Name        string `json:"name"`
		ServiceName string `json:"serviceName"`
	} `json:"dgdRef"`
}

type DynamoGraphDeploymentScalingAdapter struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   AdapterSpec `json:"spec,omitempty"`
	Status Status      `json:"status,omitempty"`
}

type DynamoGraphDeploymentScalingAdapterList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []DynamoGraphDeploymentScalingAdapter `json:"items"`
}

type RequestSpec struct {
	Model   string `json:"model"`
	Backend string `json:"backend,omitempty"`
}

type DynamoGraphDeploymentRequest struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   RequestSpec `json:"spec,omitempty"`
	Status Status      `json:"status,omitempty"`
}

type DynamoGraphDeploymentRequestList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []DynamoGraphDeploymentRequest `json:"items"`
}

type CheckpointSpec struct {
	Identity struct {
		Model            string `json:"model"`
		BackendFramework string `json:"backendFramework"`
	} `json:"identity"`
}

type DynamoCheckpoint struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   CheckpointSpec `json:"spec,omitempty"`
	Status Status         `json:"status,omitempty"`
}

type DynamoCheckpointList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []DynamoCheckpoint `json:"items"`
}

// AddToScheme makes the types of this package and of bench/peer/api known.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(graphs.GroupVersion, &DynamoComponentDeployment{}, &DynamoComponentDeploymentList{},
		&DynamoModel{}, &DynamoModelList{}, &DynamoGraphDeploymentScalingAdapter{}, &DynamoGraphDeploymentScalingAdapterList{},
		&DynamoGraphDeploymentRequest{}, &DynamoGraphDeploymentRequestList{}, &DynamoCheckpoint{}, &DynamoCheckpointList{})
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
	// The counts are never changed in place.
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

func (a *DynamoGraphDeploymentScalingAdapter) DeepCopyObject() runtime.Object {
	out := &DynamoGraphDeploymentScalingAdapter{TypeMeta: a.TypeMeta, Spec: a.Spec}
	a.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	a.Status.deepCopyInto(&out.Status)
	return out
}

func (l *DynamoGraphDeploymentScalingAdapterList) DeepCopyObject() runtime.Object {
	out := &DynamoGraphDeploymentScalingAdapterList{TypeMeta: l.TypeMeta, Items: make([]DynamoGraphDeploymentScalingAdapter, 0, len(l.Items))}
	l.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range l.Items {
		out.Items = append(out.Items, *l.Items[i].DeepCopyObject().(*DynamoGraphDeploymentScalingAdapter))
	}
	return out
}

func (r *DynamoGraphDeploymentRequest) DeepCopyObject() runtime.Object {
	out := &DynamoGraphDeploymentRequest{TypeMeta: r.TypeMeta, Spec: r.Spec}
	r.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	r.Status.deepCopyInto(&out.Status)
	return out
}

func (l *DynamoGraphDeploymentRequestList) DeepCopyObject() runtime.Object {
	out := &DynamoGraphDeploymentRequestList{TypeMeta: l.TypeMeta, Items: make([]DynamoGraphDeploymentRequest, 0, len(l.Items))}
	l.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range l.Items {
		out.Items = append(out.Items, *l.Items[i].DeepCopyObject().(*DynamoGraphDeploymentRequest))
	}
	return out
}

func (c *DynamoCheckpoint) DeepCopyObject() runtime.Object {
	out := &DynamoCheckpoint{TypeMeta: c.TypeMeta, Spec: c.Spec}
	c.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	c.Status.deepCopyInto(&out.Status)
	return out
}

func (l *DynamoCheckpointList) DeepCopyObject() runtime.Object {
	out := &DynamoCheckpointList{TypeMeta: l.TypeMeta, Items: make([]DynamoCheckpoint, 0, len(l.Items))}
	l.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range l.Items {
		out.Items = append(out.Items, *l.Items[i].DeepCopyObject().(*DynamoCheckpoint))
	}
	return out
}
