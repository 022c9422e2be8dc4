// Package api holds typed structs of the kinds that bench/peer/api does not have, as far as the peer
// of the benchmark has to read them. They were written for this benchmark from the published CRDs.
package api

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
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

type ProfilingConfig struct {
	ProfilerImage string                       `json:"profilerImage"`
	Config        *runtime.RawExtension        `json:"config,omitempty"`
	OutputPVC     string                       `json:"outputPVC,omitempty"`
	Resources     *corev1.ResourceRequirements `json:"resources,omitempty"`
	Tolerations   []corev1.Toleration          `json:"tolerations,omitempty"`
}

type DeploymentOverrides struct {
	Name         string            `json:"name,omitempty"`
	Namespace    string            `json:"namespace,omitempty"`
	Labels       map[string]string `json:"labels,omitempty"`
	Annotations  map[string]string `json:"annotations,omitempty"`
	WorkersImage string            `json:"workersImage,omitempty"`
}

type RequestSpec struct {
	Model               string               `json:"model"`
	Backend             string               `json:"backend,omitempty"`
	ProfilingConfig     ProfilingConfig      `json:"profilingConfig"`
	AutoApply           bool                 `json:"autoApply,omitempty"`
	UseMocker           bool                 `json:"useMocker,omitempty"`
	EnableGPUDiscovery  bool                 `json:"enableGpuDiscovery,omitempty"`
	DeploymentOverrides *DeploymentOverrides `json:"deploymentOverrides,omitempty"`
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

type CheckpointIdentity struct {
	Model                string            `json:"model"`
	BackendFramework     string            `json:"backendFramework"`
	DynamoVersion        string            `json:"dynamoVersion,omitempty"`
	TensorParallelSize   int32             `json:"tensorParallelSize,omitempty"`
	PipelineParallelSize int32             `json:"pipelineParallelSize,omitempty"`
	Dtype                string            `json:"dtype,omitempty"`
	MaxModelLen          int32             `json:"maxModelLen,omitempty"`
	ExtraParameters      map[string]string `json:"extraParameters,omitempty"`
}

type CheckpointJob struct {
	PodTemplateSpec         corev1.PodTemplateSpec `json:"podTemplateSpec"`
	ActiveDeadlineSeconds   *int64                 `json:"activeDeadlineSeconds,omitempty"`
	BackoffLimit            *int32                 `json:"backoffLimit,omitempty"`
	TTLSecondsAfterFinished *int32                 `json:"ttlSecondsAfterFinished,omitempty"`
}

type CheckpointSpec struct {
	Identity CheckpointIdentity `json:"identity"`
	Job      CheckpointJob      `json:"job"`
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

func (p *ProfilingConfig) deepCopyInto(out *ProfilingConfig) {
	*out = *p
	out.Config = p.Config.DeepCopy()
	out.Resources = p.Resources.DeepCopy()
	out.Tolerations = make([]corev1.Toleration, len(p.Tolerations))
	for i := range p.Tolerations {
		p.Tolerations[i].DeepCopyInto(&out.Tolerations[i])
	}
}

func (r *RequestSpec) deepCopyInto(out *RequestSpec) {
	*out = *r
	r.ProfilingConfig.deepCopyInto(&out.ProfilingConfig)
	if r.DeploymentOverrides != nil {
		overrides := *r.DeploymentOverrides
		overrides.Labels = maps.Clone(overrides.Labels)
		overrides.Annotations = maps.Clone(overrides.Annotations)
		out.DeploymentOverrides = &overrides
	}
}

func (r *DynamoGraphDeploymentRequest) DeepCopyObject() runtime.Object {
	out := &DynamoGraphDeploymentRequest{TypeMeta: r.TypeMeta}
	r.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	r.Spec.deepCopyInto(&out.Spec)
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

func (c *CheckpointSpec) deepCopyInto(out *CheckpointSpec) {
	// The limits of the Job are never changed in place.
	*out = *c
	out.Identity.ExtraParameters = maps.Clone(c.Identity.ExtraParameters)
	c.Job.PodTemplateSpec.DeepCopyInto(&out.Job.PodTemplateSpec)
}

func (c *DynamoCheckpoint) DeepCopyObject() runtime.Object {
	out := &DynamoCheckpoint{TypeMeta: c.TypeMeta}
	c.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	c.Spec.deepCopyInto(&out.Spec)
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
