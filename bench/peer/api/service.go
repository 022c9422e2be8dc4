package api

import (
	"encoding/json"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ComponentTypeEPP marks the service that picks endpoints for an inference gateway.
const ComponentTypeEPP = "epp"

// ServiceSpec is one service of a graph.
type ServiceSpec struct {
	Annotations           map[string]string  `json:"annotations,omitempty"`
	Autoscaling           *Autoscaling       `json:"autoscaling,omitempty"`
	Checkpoint            *ServiceCheckpoint `json:"checkpoint,omitempty"`
	ComponentType         string             `json:"componentType,omitempty"`
	DynamoNamespace       *string            `json:"dynamoNamespace,omitempty"`
	EnvFromSecret         *string            `json:"envFromSecret,omitempty"`
	Envs                  []corev1.EnvVar    `json:"envs,omitempty"`
	EPPConfig             *EPPConfig         `json:"eppConfig,omitempty"`
	ExtraPodMetadata      *ExtraPodMetadata  `json:"extraPodMetadata,omitempty"`
	ExtraPodSpec          *ExtraPodSpec      `json:"extraPodSpec,omitempty"`
	GlobalDynamoNamespace bool               `json:"globalDynamoNamespace,omitempty"`
	Ingress               *Ingress           `json:"ingress,omitempty"`
	Labels                map[string]string  `json:"labels,omitempty"`
	LivenessProbe         *corev1.Probe      `json:"livenessProbe,omitempty"`
	ModelRef              *ModelReference    `json:"modelRef,omitempty"`
	Multinode             *Multinode         `json:"multinode,omitempty"`
	ReadinessProbe        *corev1.Probe      `json:"readinessProbe,omitempty"`
	Replicas              *int32             `json:"replicas,omitempty"`
	Resources             *Resources         `json:"resources,omitempty"`
	ScalingAdapter        *ScalingAdapter    `json:"scalingAdapter,omitempty"`
	ServiceName           string             `json:"serviceName,omitempty"`
	SharedMemory          *SharedMemory      `json:"sharedMemory,omitempty"`
	SubComponentType      string             `json:"subComponentType,omitempty"`
	VolumeMounts          []VolumeMount      `json:"volumeMounts,omitempty"`
}

type Autoscaling struct {
	Behavior    *autoscalingv2.HorizontalPodAutoscalerBehavior `json:"behavior,omitempty"`
	Enabled     bool                                           `json:"enabled,omitempty"`
	MaxReplicas int                                            `json:"maxReplicas,omitempty"`
	Metrics     []autoscalingv2.MetricSpec                     `json:"metrics,omitempty"`
	MinReplicas int                                            `json:"minReplicas,omitempty"`
}

type ServiceCheckpoint struct {
	CheckpointRef *string             `json:"checkpointRef,omitempty"`
	Enabled       bool                `json:"enabled,omitempty"`
	Identity      *CheckpointIdentity `json:"identity,omitempty"`
	Mode          string              `json:"mode,omitempty"`
}

type CheckpointIdentity struct {
	BackendFramework     string            `json:"backendFramework"`
	DType                string            `json:"dtype,omitempty"`
	DynamoVersion        string            `json:"dynamoVersion,omitempty"`
	ExtraParameters      map[string]string `json:"extraParameters,omitempty"`
	MaxModelLen          int32             `json:"maxModelLen,omitempty"`
	Model                string            `json:"model"`
	PipelineParallelSize int32             `json:"pipelineParallelSize,omitempty"`
	TensorParallelSize   int32             `json:"tensorParallelSize,omitempty"`
}

type EPPConfig struct {
	Config       *EndpointPickerConfig        `json:"config,omitempty"`
	ConfigMapRef *corev1.ConfigMapKeySelector `json:"configMapRef,omitempty"`
}

type EndpointPickerConfig struct {
	metav1.TypeMeta    `json:",inline"`
	FeatureGates       []string            `json:"featureGates,omitempty"`
	Plugins            []PickerPlugin      `json:"plugins"`
	SaturationDetector *SaturationDetector `json:"saturationDetector,omitempty"`
	SchedulingProfiles []SchedulingProfile `json:"schedulingProfiles"`
}

type PickerPlugin struct {
	Name       string          `json:"name"`
	Parameters json.RawMessage `json:"parameters"`
	Type       string          `json:"type"`
}

type SaturationDetector struct {
	KVCacheUtilThreshold      float64         `json:"kvCacheUtilThreshold,omitempty"`
	MetricsStalenessThreshold metav1.Duration `json:"metricsStalenessThreshold,omitempty"`
	QueueDepthThreshold       int             `json:"queueDepthThreshold,omitempty"`
}

type SchedulingProfile struct {
	Name    string             `json:"name"`
	Plugins []SchedulingPlugin `json:"plugins"`
}

type SchedulingPlugin struct {
	PluginRef string `json:"pluginRef"`
	Weight    *int   `json:"weight"`
}

type ExtraPodMetadata struct {
	Annotations map[string]string `json:"annotations,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
}

// ExtraPodSpec is a whole core PodSpec with a separate main container.
type ExtraPodSpec struct {
	*corev1.PodSpec `json:",inline"`
	MainContainer   *corev1.Container `json:"mainContainer,omitempty"`
}

type Ingress struct {
	Annotations                map[string]string `json:"annotations,omitempty"`
	Enabled                    bool              `json:"enabled,omitempty"`
	Host                       string            `json:"host,omitempty"`
	HostPrefix                 *string           `json:"hostPrefix,omitempty"`
	HostSuffix                 *string           `json:"hostSuffix,omitempty"`
	IngressControllerClassName *string           `json:"ingressControllerClassName,omitempty"`
	Labels                     map[string]string `json:"labels,omitempty"`
	TLS                        *IngressTLS       `json:"tls,omitempty"`
	UseVirtualService          bool              `json:"useVirtualService,omitempty"`
	VirtualServiceGateway      *string           `json:"virtualServiceGateway,omitempty"`
}

type IngressTLS struct {
	SecretName string `json:"secretName,omitempty"`
}

type ModelReference struct {
	Name     string `json:"name"`
	Revision string `json:"revision,omitempty"`
}

type Multinode struct {
	NodeCount int32 `json:"nodeCount"`
}

type Resources struct {
	Claims   []corev1.ResourceClaim `json:"claims,omitempty"`
	Limits   *ResourceAmounts       `json:"limits,omitempty"`
	Requests *ResourceAmounts       `json:"requests,omitempty"`
}

type ResourceAmounts struct {
	CPU     string            `json:"cpu,omitempty"`
	Custom  map[string]string `json:"custom,omitempty"`
	GPU     string            `json:"gpu,omitempty"`
	GPUType string            `json:"gpuType,omitempty"`
	Memory  string            `json:"memory,omitempty"`
}

type ScalingAdapter struct {
	Enabled bool `json:"enabled,omitempty"`
}

type SharedMemory struct {
	Disabled bool              `json:"disabled,omitempty"`
	Size     resource.Quantity `json:"size,omitempty"`
}

type VolumeMount struct {
	MountPoint            string `json:"mountPoint,omitempty"`
	Name                  string `json:"name"`
	UseAsCompilationCache bool   `json:"useAsCompilationCache,omitempty"`
}
