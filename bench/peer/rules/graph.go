package rules

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"dynamo-admission/bench/peer/api"
)

func validateOriginVersion(annotations map[string]string, found *findings) {
	value, present := annotations[OriginVersionAnnotation]
	if !present || isLenientSemver(value) {
		return
	}
	path := field.NewPath("metadata", "annotations").Key(OriginVersionAnnotation)
	found.add(field.Invalid(path, value, "must be a semantic version such as 1.2.3"))
}

// isLenientSemver accepts common spellings of a version: a leading v, one to three core numbers,
// a pre-release and build part.
func isLenientSemver(text string) bool {
	text = strings.TrimPrefix(text, "v")
	text, build, hasBuild := strings.Cut(text, "+")
	if hasBuild && !identifiersHold(build, false) {
		return false
	}
	core, pre, hasPre := strings.Cut(text, "-")
	if hasPre && !identifiersHold(pre, true) {
		return false
	}
	numbers := strings.Split(core, ".")
	if len(numbers) > 3 {
		return false
	}
	for _, number := range numbers {
		if !isNumeric(number) {
			return false
		}
	}
	return true
}

func identifiersHold(text string, refuseLeadingZero bool) bool {
	for _, part := range strings.Split(text, ".") {
		if part == "" {
			return false
		}
		for _, r := range part {
			if !isAlphanumericOrDash(r) {
				return false
			}
		}
		if refuseLeadingZero && len(part) > 1 && part[0] == '0' && isNumeric(part) {
			return false
		}
	}
	return true
}

func isNumeric(text string) bool {
	for _, r := range text {
		if r < '0' || r > '9' {
			return false
		}
	}
	return text != ""
}

func isAlphanumericOrDash(r rune) bool {
	return r == '-' || (r >= '0' && r <= '9') || (r >= 'a' && r <= 'z') || (r >= 'A' && r <= 'Z')
}

func validatePVCs(pvcs []api.PVC, path *field.Path, found *findings) {
	for i := range pvcs {
		pvc, at := &pvcs[i], path.Index(i)
		if pvc.Name == nil || *pvc.Name == "" {
			found.required(at.Child("name"), "must not be empty")
		}
		if pvc.Create == nil || !*pvc.Create {
			continue
		}
		if pvc.Size.IsZero() {
			found.required(at.Child("size"), "must be set when create is true")
		}
		if pvc.StorageClass == "" {
			found.required(at.Child("storageClass"), "must be set when create is true")
		}
		if pvc.VolumeAccessMode == "" {
			found.required(at.Child("volumeAccessMode"), "must be set when create is true")
		}
	}
}

func validateRestart(restart *api.Restart, services map[string]*api.ServiceSpec, path *field.Path, found *findings) {
	if restart == nil {
		return
	}
	if restart.ID == "" {
		found.required(path.Child("id"), "must not be empty")
	}
	if restart.Strategy == nil || len(restart.Strategy.Order) == 0 {
		return
	}
	order, at := restart.Strategy.Order, path.Child("strategy", "order")
	if restart.Strategy.Type == api.RestartParallel {
		found.add(field.Forbidden(at, "must be empty when the strategy is Parallel"))
		return
	}
	distinct := make(map[string]struct{}, len(order))
	for _, name := range order {
		distinct[name] = struct{}{}
	}
	if len(distinct) < len(order) {
		found.add(field.Duplicate(at, order))
	}
	if len(distinct) != len(services) {
		found.add(field.Invalid(at, len(distinct), fmt.Sprintf("must name each of the %d services", len(services))))
	}
	for i, name := range order {
		if _, known := services[name]; !known {
			found.add(field.NotFound(at.Index(i), name))
		}
	}
}
