// The structural schemas of the custom resources: constant tables that refer to each other. They
// and the CRDs in deploy/charts/dynamo-crds are generated from deploy/crds/sources, so they always
// agree; no schema is parsed at program start.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace dynamo::api {
enum class OperatorGeneration : unsigned char;
}

namespace dynamo::schema {

enum class Type : unsigned char {
  kObject,  // with the listed properties, or with any names and values of one schema
  kArray,
  kString,
  kInteger,
  kNumber,
  kBoolean,
  kIntOrString,  // x-kubernetes-int-or-string
  kAny,          // x-kubernetes-preserve-unknown-fields without a type
};

enum class Format : unsigned char { kNone, kByte, kInt32, kInt64, kDateTime };

// x-kubernetes-list-type; a list without one is atomic.
enum class ListType : unsigned char { kAtomic, kSet, kMap };

// The x-kubernetes-validations rules, each a function in builtin_checks.cpp.
enum class CelRule : unsigned char {
  kClaimCreation,      // a claim with create: true has size, storage class and access mode
  kCheckpointSource,   // an enabled checkpoint has a reference or an identity
  kIdentityUnchanged,  // a checkpoint's identity never changes (a transition rule)
  // Of the later generation:
  kCheckpointJob,          // a checkpoint with a reference has no job
  kComponentNames,         // names of components differ in more than case
  kContainerImage,         // a container other than main has an image
  kEppConfigSource,        // an endpoint picker has either a configuration or a reference to one
  kEppConfigType,          // only an endpoint picker has its configuration
  kExecutorBackend,        // the annotation of vLLM's executor is mp or ray
  kGmsClientContainers,    // only an intra-pod memory service has client containers
  kGmsClientPods,          // only an inter-pod memory service has client pods
  kGmsClientPodsReserved,  // a memory service has no client pods
  kInitContainerImage,     // an init container has an image
  kKvPreferredWeight,      // a preferred transfer policy has a weight
  kKvTopology,             // a transfer policy has either a label key or a topology
  kKvWeightEnforcement,    // only a preferred transfer policy has a weight
  kLabelPrefix,            // the prefix of a label key has at most 253 characters
  kMinAvailable,           // minAvailable is at most replicas
  kMinAvailableUnchanged,  // minAvailable never changes (a transition rule)
  kRestartOnCreate,   // a new graph has no restart (needs to know whether there is an old value)
  kSharedMemorySize,  // shared memory has a size above 0, or is disabled
  kSingleEpp,         // a graph has at most one endpoint picker
};

struct Validation {
  CelRule rule;
  std::string_view message;  // as in the CRD
};

// Bounds of a value; only schemas with bounds refer to one. Lengths count code points, as in JSON
// Schema.
struct Limits {
  std::span<const std::string_view> enumeration = {};  // strings only; empty: anything
  std::optional<double> minimum = {};
  std::optional<double> maximum = {};
  std::optional<std::uint32_t> min_length = {};
  std::optional<std::uint32_t> max_length = {};
  std::optional<std::uint32_t> min_items = {};
  std::optional<std::uint32_t> max_items = {};
  std::optional<std::uint32_t> max_properties = {};
  std::string_view pattern = {};  // RE2 syntax; empty: anything
};

struct Property;

struct Schema {
  Type type;
  Format format = Format::kNone;
  ListType list_type = ListType::kAtomic;
  bool nullable = false;
  bool preserve_unknown = false;              // properties that are not listed are kept unchanged
  std::span<const Property> properties = {};  // sorted by name; at most 64
  // The index of the first property for each first letter from a to z, and their number; null: no
  // index.
  const std::uint8_t* first_letters = nullptr;
  const Schema* each = nullptr;  // elements of an array; values of a map
  const Limits* limits = nullptr;
  std::span<const Validation> validations = {};
  std::span<const std::string_view> list_map_keys = {};  // ListType::kMap
  std::string_view default_value = {};                   // JSON text; empty: no default
};

struct Property {
  std::string_view name;
  const Schema* schema;
  bool required = false;
};

// One version of a custom resource definition.
struct Resource {
  std::string_view kind;
  std::string_view list_kind;
  std::string_view plural;
  std::string_view singular;
  std::string_view short_name;
  std::string_view api_version;  // "nvidia.com/v1alpha1"
  bool has_status;               // the status subresource
  // The whole object. Its property `metadata` is the schema of ObjectMeta, which the API server
  // validates itself and the CRD does not list.
  const Schema* schema;
};

// "v1alpha1".
constexpr std::string_view version_of(const Resource& resource) {
  return resource.api_version.substr(resource.api_version.find('/') + 1);
}

// All resources of group nvidia.com: those of resources(), then those of later_resources().
std::span<const Resource> all_resources();

// The resources of the first generation of operators, which has version v1alpha1, sorted by kind.
std::span<const Resource> resources();

// The resources of the later generation: those of version v1alpha1 sorted by kind, then those of
// v1beta1, which four kinds have.
std::span<const Resource> later_resources();

// The resource of that kind in the first generation, or null. Case-sensitive.
const Resource* find_resource(std::string_view kind);

// The resource of that kind and API version ("nvidia.com/v1beta1"), or null. Only the later
// generation has v1beta1; for another API version an unknown generation counts as the first.
const Resource* find_resource(std::string_view kind, std::string_view api_version,
                              api::OperatorGeneration generation);

}  // namespace dynamo::schema
