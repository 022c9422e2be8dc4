package main

import (
	"context"
	"encoding/json"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"dynamo-admission/bench/reconciler/peer/api"
)

// validateRequest has the denying rules that apply to the requests of the benchmark.
func validateRequest(_ context.Context, request *api.DynamoGraphDeploymentRequest) error {
	var found field.ErrorList
	profiling, path := &request.Spec.ProfilingConfig, field.NewPath("spec", "profilingConfig")
	if profiling.ProfilerImage == "" {
		found = append(found, field.Required(path.Child("profilerImage"), "must not be empty"))
	}
	if profiling.Config == nil || len(profiling.Config.Raw) == 0 {
		found = append(found, field.Required(path.Child("config"), "must be set"))
		return found.ToAggregate()
	}
	var config map[string]any
	if err := json.Unmarshal(profiling.Config.Raw, &config); err != nil {
		found = append(found, field.Invalid(path.Child("config"), string(profiling.Config.Raw), "must be an object"))
	}
	return found.ToAggregate()
}

func requireMinimum[T int32 | int64](value *T, minimum T, path *field.Path, found *field.ErrorList) {
	if value != nil && *value < minimum {
		*found = append(*found, field.Invalid(path, *value, "is too small"))
	}
}

// validateCheckpoint has the denying rules that apply to the checkpoints of the benchmark.
func validateCheckpoint(_ context.Context, checkpoint *api.DynamoCheckpoint) error {
	var found field.ErrorList
	identity, path := &checkpoint.Spec.Identity, field.NewPath("spec", "identity")
	if identity.BackendFramework == "" {
		found = append(found, field.Required(path.Child("backendFramework"), "must not be empty"))
	}
	if identity.Model == "" {
		found = append(found, field.Required(path.Child("model"), "must not be empty"))
	}
	job, path := &checkpoint.Spec.Job, field.NewPath("spec", "job")
	requireMinimum(job.ActiveDeadlineSeconds, 1, path.Child("activeDeadlineSeconds"), &found)
	requireMinimum(job.BackoffLimit, 0, path.Child("backoffLimit"), &found)
	requireMinimum(job.TTLSecondsAfterFinished, 0, path.Child("ttlSecondsAfterFinished"), &found)
	if len(job.PodTemplateSpec.Spec.Containers) == 0 {
		found = append(found, field.Required(path.Child("podTemplateSpec", "spec", "containers"), "must not be empty"))
	}
	return found.ToAggregate()
}
