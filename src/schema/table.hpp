// The structural schemas of the custom resources: constant tables that refer to each other. They
// and the CRDs in deploy/charts/dynamo-crds are generated from deploy/crds/sources, so they always
// agree; no schema is parsed at program start.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

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
  const Schema* each = nullptr;               // elements of an array; values of a map
  const Limits* limits = nullptr;
  std::span<const std::string_view> list_map_keys = {};  // ListType::kMap
  std::string_view default_value = {};                   // JSON text; empty: no default
  std::span<const Validation> validations = {};
};

struct Property {
  std::string_view name;
  const Schema* schema;
  bool required = false;
};

// One custom resource definition.
struct Resource {
  std::string_view kind;
  std::string_view list_kind;
  std::string_view plural;
  std::string_view singular;
  std::string_view short_name;
  bool has_status;  // the status subresource
  // The whole object. Its property `metadata` is the schema of ObjectMeta, which the API server
  // validates itself and the CRD does not list.
  const Schema* schema;
};

// All resources of group nvidia.com, version v1alpha1, sorted by kind.
std::span<const Resource> resources();

// The resource of that kind, or null. Case-sensitive.
const Resource* find_resource(std::string_view kind);

}  // namespace dynamo::schema
