#include "validators/shape.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "validators/content/quantity.hpp"
#include "validators/core_pod_shapes.hpp"
#include "validators/shape_table.hpp"

namespace dynamo::validators {
namespace {

using shapes::Field;
using shapes::Form;
using shapes::kAny;
using shapes::kBoolean;
using shapes::kInt32;
using shapes::kInt64;
using shapes::kNumber;
using shapes::kQuantity;
using shapes::kString;
using shapes::kStringMap;
using shapes::kStrings;
using shapes::Shape;

constexpr Field kOwnerFields[] = {
    {"apiVersion", &kString},  {"blockOwnerDeletion", &kBoolean},
    {"controller", &kBoolean}, {"kind", &kString},
    {"name", &kString},        {"uid", &kString},
};
constexpr Shape kOwner{Form::kObject, kOwnerFields};
constexpr Shape kOwners{Form::kList, {}, &kOwner};
constexpr Field kMetadataFields[] = {
    {"annotations", &kStringMap}, {"deletionTimestamp", &kString}, {"finalizers", &kStrings},
    {"generateName", &kString},   {"labels", &kStringMap},         {"name", &kString},
    {"namespace", &kString},      {"ownerReferences", &kOwners},
};
constexpr Shape kMetadata{Form::kObject, kMetadataFields};

// --- the service spec, in the order of names --------------------------------------------------

constexpr Shape kMetrics{Form::kList, {}, &shapes::kMetricSpec};
constexpr Field kAutoscalingFields[] = {
    {"behavior", &shapes::kHorizontalPodAutoscalerBehavior},
    {"enabled", &kBoolean},
    {"maxReplicas", &kInt32},
    {"metrics", &kMetrics},
    {"minReplicas", &kInt32},
};
constexpr Shape kAutoscaling{Form::kObject, kAutoscalingFields};

constexpr Field kIdentityFields[] = {
    {"backendFramework", &kString},    {"dtype", &kString},
    {"dynamoVersion", &kString},       {"extraParameters", &kStringMap},
    {"maxModelLen", &kInt32},          {"model", &kString},
    {"pipelineParallelSize", &kInt32}, {"tensorParallelSize", &kInt32},
};
constexpr Shape kIdentity{Form::kObject, kIdentityFields};

constexpr Field kServiceCheckpointFields[] = {
    {"checkpointRef", &kString},
    {"enabled", &kBoolean},
    {"identity", &kIdentity},
    {"mode", &kString},
};
constexpr Shape kServiceCheckpoint{Form::kObject, kServiceCheckpointFields};

constexpr Shape kEnvironment{Form::kList, {}, &shapes::kEnvVar};

constexpr Field kPluginFields[] = {{"name", &kString}, {"parameters", &kAny}, {"type", &kString}};
constexpr Shape kPlugin{Form::kObject, kPluginFields};
constexpr Shape kPlugins{Form::kList, {}, &kPlugin};
constexpr Field kProfilePluginFields[] = {{"pluginRef", &kString}, {"weight", &kInt32}};
constexpr Shape kProfilePlugin{Form::kObject, kProfilePluginFields};
constexpr Shape kProfilePlugins{Form::kList, {}, &kProfilePlugin};
constexpr Field kProfileFields[] = {{"name", &kString}, {"plugins", &kProfilePlugins}};
constexpr Shape kProfile{Form::kObject, kProfileFields};
constexpr Shape kProfiles{Form::kList, {}, &kProfile};
constexpr Field kSaturationFields[] = {
    {"kvCacheUtilThreshold", &kNumber},
    {"metricsStalenessThreshold", &kString},
    {"queueDepthThreshold", &kInt64},
};
constexpr Shape kSaturation{Form::kObject, kSaturationFields};
constexpr Field kPickerInlineFields[] = {
    {"apiVersion", &kString},
    {"featureGates", &kStrings},
    {"kind", &kString},
    {"plugins", &kPlugins},
    {"saturationDetector", &kSaturation},
    {"schedulingProfiles", &kProfiles},
};
constexpr Shape kPickerInline{Form::kObject, kPickerInlineFields};
constexpr Field kPickerFields[] = {{"config", &kPickerInline},
                                   {"configMapRef", &shapes::kConfigMapKeySelector}};
constexpr Shape kPicker{Form::kObject, kPickerFields};

constexpr Field kPodMetadataFields[] = {{"annotations", &kStringMap}, {"labels", &kStringMap}};
constexpr Shape kPodMetadata{Form::kObject, kPodMetadataFields};

// A pod spec with the main container beside it.
constexpr auto kExtraPodSpecFields =
    shapes::with_field(shapes::kPodSpecFields, {"mainContainer", &shapes::kContainer});
constexpr Shape kExtraPodSpec{Form::kObject, kExtraPodSpecFields};

constexpr Field kIngressTlsFields[] = {{"secretName", &kString}};
constexpr Shape kIngressTls{Form::kObject, kIngressTlsFields};
constexpr Field kIngressFields[] = {
    {"annotations", &kStringMap},
    {"enabled", &kBoolean},
    {"host", &kString},
    {"hostPrefix", &kString},
    {"hostSuffix", &kString},
    {"ingressControllerClassName", &kString},
    {"labels", &kStringMap},
    {"tls", &kIngressTls},
    {"useVirtualService", &kBoolean},
    {"virtualServiceGateway", &kString},
};
constexpr Shape kIngress{Form::kObject, kIngressFields};

constexpr Field kModelReferenceFields[] = {{"name", &kString}, {"revision", &kString}};
constexpr Shape kModelReference{Form::kObject, kModelReferenceFields};
constexpr Field kMultinodeFields[] = {{"nodeCount", &kInt32}};
constexpr Shape kMultinode{Form::kObject, kMultinodeFields};

constexpr Field kResourceFields[] = {
    {"cpu", &kString},     {"custom", &kStringMap}, {"gpu", &kString},
    {"gpuType", &kString}, {"memory", &kString},
};
constexpr Shape kResourceItem{Form::kObject, kResourceFields};
constexpr Shape kClaims{Form::kList, {}, &shapes::kResourceClaim};
constexpr Field kResourcesFields[] = {
    {"claims", &kClaims}, {"limits", &kResourceItem}, {"requests", &kResourceItem}};
constexpr Shape kResources{Form::kObject, kResourcesFields};

constexpr Field kScalingAdapterFields[] = {{"enabled", &kBoolean}};
constexpr Shape kScalingAdapter{Form::kObject, kScalingAdapterFields};
constexpr Field kSharedMemoryFields[] = {{"disabled", &kBoolean}, {"size", &kQuantity}};
constexpr Shape kSharedMemory{Form::kObject, kSharedMemoryFields};
constexpr Field kVolumeMountFields[] = {
    {"mountPoint", &kString}, {"name", &kString}, {"useAsCompilationCache", &kBoolean}};
constexpr Shape kVolumeMount{Form::kObject, kVolumeMountFields};
constexpr Shape kVolumeMounts{Form::kList, {}, &kVolumeMount};

// A DynamoComponentDeployment's spec is a service and names its backend; in a graph's service that
// field does not exist, so that listing it here does no harm.
constexpr Field kServiceFields[] = {
    {"annotations", &kStringMap},
    {"autoscaling", &kAutoscaling},
    {"backendFramework", &kString},
    {"checkpoint", &kServiceCheckpoint},
    {"componentType", &kString},
    {"dynamoNamespace", &kString},
    {"envFromSecret", &kString},
    {"envs", &kEnvironment},
    {"eppConfig", &kPicker},
    {"extraPodMetadata", &kPodMetadata},
    {"extraPodSpec", &kExtraPodSpec},
    {"globalDynamoNamespace", &kBoolean},
    {"ingress", &kIngress},
    {"labels", &kStringMap},
    {"livenessProbe", &shapes::kProbe},
    {"modelRef", &kModelReference},
    {"multinode", &kMultinode},
    {"readinessProbe", &shapes::kProbe},
    {"replicas", &kInt32},
    {"resources", &kResources},
    {"scalingAdapter", &kScalingAdapter},
    {"serviceName", &kString},
    {"sharedMemory", &kSharedMemory},
    {"subComponentType", &kString},
    {"volumeMounts", &kVolumeMounts},
};
constexpr Shape kService{Form::kObject, kServiceFields};
constexpr Shape kServices{Form::kMap, {}, &kService};

// --- the specs of the kinds -------------------------------------------------------------------

constexpr Field kPvcFields[] = {
    {"create", &kBoolean},          {"name", &kString},
    {"size", &kQuantity},           {"storageClass", &kString},
    {"volumeAccessMode", &kString},
};
constexpr Shape kPvc{Form::kObject, kPvcFields};
constexpr Shape kPvcs{Form::kList, {}, &kPvc};
constexpr Field kStrategyFields[] = {{"order", &kStrings}, {"type", &kString}};
constexpr Shape kStrategy{Form::kObject, kStrategyFields};
constexpr Field kRestartFields[] = {{"id", &kString}, {"strategy", &kStrategy}};
constexpr Shape kRestart{Form::kObject, kRestartFields};
constexpr Field kGraphDeploymentFields[] = {
    {"backendFramework", &kString}, {"envs", &kEnvironment},  {"pvcs", &kPvcs},
    {"restart", &kRestart},         {"services", &kServices},
};
constexpr Shape kGraphDeployment{Form::kObject, kGraphDeploymentFields};

constexpr Field kSourceFields[] = {{"uri", &kString}};
constexpr Shape kSource{Form::kObject, kSourceFields};
constexpr Field kModelFields[] = {
    {"baseModelName", &kString},
    {"modelName", &kString},
    {"modelType", &kString},
    {"source", &kSource},
};
constexpr Shape kModel{Form::kObject, kModelFields};

constexpr Field kOverridesFields[] = {
    {"annotations", &kStringMap}, {"labels", &kStringMap},    {"name", &kString},
    {"namespace", &kString},      {"workersImage", &kString},
};
constexpr Shape kOverrides{Form::kObject, kOverridesFields};
constexpr Shape kTolerations{Form::kList, {}, &shapes::kToleration};
// `config` is left to the rule dgdr.config.parses.
constexpr Field kProfilingFields[] = {
    {"configMapRef", &shapes::kConfigMapKeySelector},
    {"outputPVC", &kString},
    {"profilerImage", &kString},
    {"resources", &shapes::kResourceRequirements},
    {"tolerations", &kTolerations},
};
constexpr Shape kProfiling{Form::kObject, kProfilingFields};
constexpr Field kGraphDeploymentRequestFields[] = {
    {"autoApply", &kBoolean},          {"backend", &kString}, {"deploymentOverrides", &kOverrides},
    {"enableGpuDiscovery", &kBoolean}, {"model", &kString},   {"profilingConfig", &kProfiling},
    {"useMocker", &kBoolean},
};
constexpr Shape kGraphDeploymentRequest{Form::kObject, kGraphDeploymentRequestFields};

constexpr Field kPodTemplateFields[] = {{"metadata", &kPodMetadata}, {"spec", &shapes::kPodSpec}};
constexpr Shape kPodTemplate{Form::kObject, kPodTemplateFields};
constexpr Field kJobFields[] = {
    {"activeDeadlineSeconds", &kInt64},
    {"backoffLimit", &kInt32},
    {"podTemplateSpec", &kPodTemplate},
    {"ttlSecondsAfterFinished", &kInt32},
};
constexpr Shape kJob{Form::kObject, kJobFields};
constexpr Field kCheckpointFields[] = {{"identity", &kIdentity}, {"job", &kJob}};
constexpr Shape kCheckpoint{Form::kObject, kCheckpointFields};

constexpr Field kReferenceFields[] = {{"name", &kString}, {"serviceName", &kString}};
constexpr Shape kReference{Form::kObject, kReferenceFields};
constexpr Field kAdapterFields[] = {{"dgdRef", &kReference}, {"replicas", &kInt32}};
constexpr Shape kAdapter{Form::kObject, kAdapterFields};

// By api::Kind.
constexpr std::array<const Shape*, api::kKindCount> kSpecs{
    &kGraphDeployment, &kService, &kModel, &kGraphDeploymentRequest, &kCheckpoint, &kAdapter};

// The walk below relies on the order of the fields.
constexpr bool is_sorted(const Shape& shape) {
  const bool has_one = shape.form == Form::kMap || shape.form == Form::kList;
  if (has_one && !is_sorted(*shape.of)) return false;
  for (std::size_t at = 0; at < shape.fields.size(); ++at) {
    if (at > 0 && shape.fields[at - 1].name >= shape.fields[at].name) return false;
    if (!is_sorted(*shape.fields[at].shape)) return false;
  }
  return true;
}
static_assert(is_sorted(kMetadata) && is_sorted(kGraphDeployment) && is_sorted(kModel) &&
              is_sorted(kGraphDeploymentRequest) && is_sorted(kCheckpoint) && is_sorted(kAdapter));

constexpr std::string_view describe(Form form) {
  switch (form) {
    case Form::kAny:
      return "anything";
    case Form::kString:
      return "a string";
    case Form::kBoolean:
      return "true or false";
    case Form::kInt32:
    case Form::kInt64:
      return "an integer";
    case Form::kNumber:
      return "a number";
    case Form::kIntOrString:
      return "an integer or a string";
    case Form::kQuantity:
      return "a quantity such as 16Gi";
    case Form::kObject:
    case Form::kMap:
      return "an object";
    case Form::kList:
      return "a list";
  }
  return "something else";
}

bool has_form(json::Value value, Form form) {
  switch (form) {
    case Form::kAny:
      return true;
    case Form::kString:
      return value.is_string();
    case Form::kBoolean:
      return value.is(json::Type::kBoolean);
    case Form::kInt32:
    case Form::kInt64:
      return value.integer().has_value();
    case Form::kNumber:
      return value.number().has_value();
    case Form::kIntOrString:
      return value.is_string() || value.integer().has_value();
    case Form::kQuantity:
      return value.is_string() || value.number().has_value();
    case Form::kObject:
    case Form::kMap:
      return value.is_object();
    case Form::kList:
      return value.is_array();
  }
  return false;
}

class Walk {
 public:
  explicit Walk(Report& report) : report_(report) {}

  // Recursion is as deep as the table above, whatever the object holds.
  void value(json::Value value, const Shape& shape, const api::FieldPath& path) {
    if (!has_form(value, shape.form)) return wrong_type(value, shape, path);
    switch (shape.form) {
      case Form::kObject:
        return fields(value, shape.fields, path);
      case Form::kMap:
        for (const json::Member member : value.members()) {
          this->value(member.value, *shape.of, path.key(member.name));
        }
        return;
      case Form::kList: {
        std::size_t index = 0;
        for (const json::Value element : value.elements()) {
          this->value(element, *shape.of, path.index(index++));
        }
        return;
      }
      case Form::kInt32:
        return small_integer(*value.integer(), path);
      case Form::kQuantity:
        return quantity(value, path);
      default:
        return;
    }
  }

 private:
  // Both sides are nearly always sorted by name, so the search goes on where it stopped.
  void fields(json::Value object, std::span<const Field> known, const api::FieldPath& path) {
    if (known.empty()) return;
    std::size_t at = 0;
    for (const json::Member member : object.members()) {
      const std::size_t found = find(known, at, member.name);
      if (found == known.size()) continue;
      at = found;
      // A null field counts as absent; a null entry of a map or list does not.
      if (member.value.is_nothing()) continue;
      value(member.value, *known[found].shape, path.child(member.name));
    }
  }

  static std::size_t find(std::span<const Field> known, std::size_t from, std::string_view name) {
    for (std::size_t at = from; at < known.size() && known[at].name <= name; ++at) {
      if (known[at].name == name) return at;
    }
    for (std::size_t at = 0; at < from; ++at) {
      if (known[at].name == name) return at;
    }
    return known.size();
  }

  void wrong_type(json::Value found, const Shape& shape, const api::FieldPath& path) {
    report_.add(api::ErrorType::kTypeInvalid, path,
                "must be " + std::string(describe(shape.form)) + "; found " +
                    std::string(json::type_name(found.type())));
  }

  void small_integer(std::int64_t found, const api::FieldPath& path) {
    if (found >= INT32_MIN && found <= INT32_MAX) return;
    report_.add(api::ErrorType::kInvalid, path,
                "must fit in 32 bits; found " + std::to_string(found));
  }

  void quantity(json::Value found, const api::FieldPath& path) {
    const auto text = found.string();
    if (!text || text->empty() || is_quantity(*text)) return;
    report_.add(api::ErrorType::kInvalid, path,
                "must be a quantity such as 16Gi; found " + quoted(*text));
  }

  Report& report_;
};

}  // namespace

void field_types(const api::Context& context, const api::Object& now, const api::Object*,
                 Report& report) {
  Walk walk{report};
  const json::Value metadata = now.value()["metadata"];
  if (!metadata.is_nothing()) walk.value(metadata, kMetadata, api::FieldPath("metadata"));
  const json::Value spec = now.spec();
  const Shape& shape = *kSpecs[static_cast<std::size_t>(context.kind)];
  if (!spec.is_nothing()) walk.value(spec, shape, api::FieldPath("spec"));
}

}  // namespace dynamo::validators
