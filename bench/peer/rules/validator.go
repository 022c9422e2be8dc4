// Package rules validates a DynamoGraphDeployment by the same rules as dynamo-webhook, written the way
// a Go operator writes them: typed objects in, field.ErrorList out.
package rules

import (
	"context"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"dynamo-admission/bench/peer/api"
)

// OriginVersionAnnotation names the operator version that first saw an object.
const OriginVersionAnnotation = "nvidia.com/dynamo-operator-origin-version"

// GraphValidator is safe for concurrent use: it holds only facts fixed at start.
type GraphValidator struct {
	// InferencePoolServed: the cluster serves the API group inference.networking.k8s.io.
	InferencePoolServed bool
}

var _ admission.Validator[*api.DynamoGraphDeployment] = &GraphValidator{}

func (v *GraphValidator) ValidateCreate(_ context.Context, graph *api.DynamoGraphDeployment) (admission.Warnings, error) {
	var found findings
	v.validateStateless(graph, &found)
	return found.verdict(graph)
}

func (v *GraphValidator) ValidateUpdate(ctx context.Context, old, graph *api.DynamoGraphDeployment) (admission.Warnings, error) {
	// Finalizers must stay removable, but only if nothing else changes.
	if graph.DeletionTimestamp != nil && equality.Semantic.DeepEqual(old.Spec, graph.Spec) {
		return nil, nil
	}
	var found findings
	v.validateStateless(graph, &found)
	validateUpdate(old, graph, mayScale(ctx), &found)
	return found.verdict(graph)
}

func (v *GraphValidator) ValidateDelete(context.Context, *api.DynamoGraphDeployment) (admission.Warnings, error) {
	return nil, nil
}

// findings collects every independent error and warning of one request.
type findings struct {
	errors   field.ErrorList
	warnings admission.Warnings
}

func (f *findings) add(err *field.Error)                { f.errors = append(f.errors, err) }
func (f *findings) warn(text string)                    { f.warnings = append(f.warnings, text) }
func (f *findings) required(p *field.Path, text string) { f.add(field.Required(p, text)) }

func (f *findings) verdict(graph *api.DynamoGraphDeployment) (admission.Warnings, error) {
	if len(f.errors) == 0 {
		return f.warnings, nil
	}
	kind := api.GroupVersion.WithKind("DynamoGraphDeployment").GroupKind()
	return f.warnings, apierrors.NewInvalid(kind, graph.Name, f.errors)
}

// validateStateless applies the stateless rules in the order of the fields, services sorted by name.
func (v *GraphValidator) validateStateless(graph *api.DynamoGraphDeployment, found *findings) {
	spec := field.NewPath("spec")
	validateOriginVersion(graph.Annotations, found)
	validatePVCs(graph.Spec.PVCs, spec.Child("pvcs"), found)

	services := spec.Child("services")
	if len(graph.Spec.Services) == 0 {
		found.required(services, "must name at least one service")
	}
	for _, name := range slices.Sorted(maps.Keys(graph.Spec.Services)) {
		v.validateService(graph.Spec.Services[name], services.Key(name), found)
	}
	validateRestart(graph.Spec.Restart, graph.Spec.Services, spec.Child("restart"), found)
}
