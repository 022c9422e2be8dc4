package api

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// DynamoGraphDeployment is a graph of services that serve one model together.
//
// +kubebuilder:object:root=true
type DynamoGraphDeployment struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   GraphSpec   `json:"spec,omitempty"`
	Status GraphStatus `json:"status,omitempty"`
}

// DynamoGraphDeploymentList is the list form, which a scheme requires for every kind.
//
// +kubebuilder:object:root=true
type DynamoGraphDeploymentList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []DynamoGraphDeployment `json:"items"`
}

type GraphSpec struct {
	BackendFramework string                  `json:"backendFramework,omitempty"`
	Envs             []corev1.EnvVar         `json:"envs,omitempty"`
	PVCs             []PVC                   `json:"pvcs,omitempty"`
	Restart          *Restart                `json:"restart,omitempty"`
	Services         map[string]*ServiceSpec `json:"services,omitempty"`
}

type PVC struct {
	Create           *bool                             `json:"create,omitempty"`
	Name             *string                           `json:"name"`
	Size             resource.Quantity                 `json:"size,omitempty"`
	StorageClass     string                            `json:"storageClass,omitempty"`
	VolumeAccessMode corev1.PersistentVolumeAccessMode `json:"volumeAccessMode,omitempty"`
}

type RestartStrategyType string

const (
	RestartSequential RestartStrategyType = "Sequential"
	RestartParallel   RestartStrategyType = "Parallel"
)

type Restart struct {
	ID       string           `json:"id"`
	Strategy *RestartStrategy `json:"strategy,omitempty"`
}

type RestartStrategy struct {
	Order []string            `json:"order,omitempty"`
	Type  RestartStrategyType `json:"type,omitempty"`
}

type GraphStatus struct {
	Checkpoints map[string]CheckpointStatus `json:"checkpoints,omitempty"`
	Conditions  []metav1.Condition          `json:"conditions,omitempty"`
	Restart     *RestartStatus              `json:"restart,omitempty"`
	Services    map[string]ReplicaStatus    `json:"services,omitempty"`
	State       string                      `json:"state,omitempty"`
}

type CheckpointStatus struct {
	CheckpointName string `json:"checkpointName,omitempty"`
	IdentityHash   string `json:"identityHash,omitempty"`
	Ready          bool   `json:"ready,omitempty"`
}

type RestartStatus struct {
	InProgress []string `json:"inProgress,omitempty"`
	ObservedID string   `json:"observedID,omitempty"`
	Phase      string   `json:"phase,omitempty"`
}

type ReplicaStatus struct {
	AvailableReplicas *int32 `json:"availableReplicas,omitempty"`
	ComponentKind     string `json:"componentKind"`
	ComponentName     string `json:"componentName"`
	ReadyReplicas     *int32 `json:"readyReplicas,omitempty"`
	Replicas          int32  `json:"replicas"`
	UpdatedReplicas   int32  `json:"updatedReplicas"`
}
