// In-place view of the service spec that DynamoGraphDeployment (spec.services[NAME]) and
// DynamoComponentDeployment (spec) share. A field with the wrong type reads as absent; the type
// rules report it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "json/document.hpp"

namespace dynamo::api {

class Service {
 public:
  explicit Service(json::Value spec) : spec_(spec) {}

  json::Value value() const { return spec_; }
  std::string_view component_type() const { return spec_["componentType"].string_or_empty(); }
  bool is_endpoint_picker() const { return component_type() == "epp"; }
  std::string_view dynamo_namespace() const { return spec_["dynamoNamespace"].string_or_empty(); }
  bool is_in_global_dynamo_namespace() const { return is_true(spec_["globalDynamoNamespace"]); }

  std::optional<std::int64_t> replicas() const { return spec_["replicas"].integer(); }
  // Absent counts as one, as in the operator.
  std::int64_t effective_replicas() const { return replicas().value_or(1); }

  std::int64_t node_count() const { return spec_["multinode"]["nodeCount"].integer().value_or(1); }
  bool is_multinode() const { return node_count() > 1; }
  // A node count exists but is not an integer.
  bool is_node_count_unreadable() const {
    const json::Value count = spec_["multinode"]["nodeCount"];
    return !count.is_nothing() && !count.integer();
  }

  bool has_autoscaling() const { return !spec_["autoscaling"].is_nothing(); }
  bool is_scaling_adapter_enabled() const { return is_true(spec_["scalingAdapter"]["enabled"]); }

  bool is_ingress_enabled() const { return is_true(spec_["ingress"]["enabled"]); }
  std::string_view ingress_host() const { return spec_["ingress"]["host"].string_or_empty(); }

  bool has_shared_memory() const { return !spec_["sharedMemory"].is_nothing(); }
  bool is_shared_memory_disabled() const { return is_true(spec_["sharedMemory"]["disabled"]); }
  json::Value shared_memory_size() const { return spec_["sharedMemory"]["size"]; }

  json::Value volume_mounts() const { return spec_["volumeMounts"]; }
  json::Value endpoint_picker_config() const { return spec_["eppConfig"]; }

 private:
  static bool is_true(json::Value value) { return value.boolean().value_or(false); }
  json::Value spec_;
};

}  // namespace dynamo::api
