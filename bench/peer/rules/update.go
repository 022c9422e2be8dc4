package rules

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"dynamo-admission/bench/peer/api"
)

// mayScale reports whether the requester may change replicas that a scaling adapter owns: the
// operator or the planner. A request without user info may not.
func mayScale(ctx context.Context) bool {
	request, err := admission.RequestFromContext(ctx)
	if err != nil {
		return false
	}
	parts := strings.Split(request.UserInfo.Username, ":")
	if len(parts) != 4 || parts[0] != "system" || parts[1] != "serviceaccount" {
		return false
	}
	return strings.HasSuffix(parts[3], "-dynamo-operator-controller-manager") ||
		strings.HasSuffix(parts[3], "planner-serviceaccount")
}

func validateUpdate(old, graph *api.DynamoGraphDeployment, mayScale bool, found *findings) {
	spec := field.NewPath("spec")
	if old.Spec.BackendFramework != graph.Spec.BackendFramework {
		found.add(field.Forbidden(spec.Child("backendFramework"), fmt.Sprintf(
			"must stay %q; create a new graph instead", old.Spec.BackendFramework)))
		found.warn("spec.backendFramework cannot be changed after creation")
	}

	services := spec.Child("services")
	added := missingFrom(old.Spec.Services, graph.Spec.Services)
	removed := missingFrom(graph.Spec.Services, old.Spec.Services)
	if len(added)+len(removed) > 0 {
		found.add(field.Forbidden(services, fmt.Sprintf(
			"must keep the services it was created with; added %v, removed %v", added, removed)))
	}

	for _, name := range slices.Sorted(maps.Keys(graph.Spec.Services)) {
		now, path := graph.Spec.Services[name], services.Key(name)
		before, existed := old.Spec.Services[name]
		if !existed || now == nil || before == nil {
			continue
		}
		if isMultinode(before) != isMultinode(now) {
			found.add(field.Forbidden(path.Child("multinode"), "must not change between one node and many"))
		}
		if (adapterEnabled(before) || adapterEnabled(now)) && replicas(before) != replicas(now) && !mayScale {
			found.add(field.Forbidden(path.Child("replicas"),
				"must not change while a scaling adapter is enabled; scale the adapter instead"))
		}
	}
}

// missingFrom returns the names in services that base lacks, in order.
func missingFrom(base, services map[string]*api.ServiceSpec) []string {
	var names []string
	for name := range services {
		if _, known := base[name]; !known {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func adapterEnabled(service *api.ServiceSpec) bool {
	return service.ScalingAdapter != nil && service.ScalingAdapter.Enabled
}

func replicas(service *api.ServiceSpec) int32 {
	if service.Replicas == nil {
		return 1
	}
	return *service.Replicas
}
