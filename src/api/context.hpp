// What a verdict may depend on beside the object: who asks, how, and what is known of the cluster.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/kind.hpp"

namespace dynamo::api {

// Something about the cluster that may not be known here (no connection, discovery pending).
enum class Fact : unsigned char { kUnknown, kNo, kYes };

struct ClusterFacts {
  // Is the API group inference.networking.k8s.io served? A discovery that failed counts as kNo.
  Fact inference_pool_served = Fact::kUnknown;
};

// A service account as `--operator-service-account NS/NAME` names it.
struct ServiceAccount {
  std::string namespace_name;
  std::string name;
};

// How the process was set up; the same for every request.
struct Settings {
  std::string operator_version;  // stamped on new graphs; a semantic version
  std::optional<ServiceAccount> operator_service_account;  // narrows who may scale
  std::string restricted_namespace;                        // empty: the whole cluster is judged

  bool namespace_restricted() const { return !restricted_namespace.empty(); }
};

// One evaluation. Views into the request and the settings; lives as long as the call.
struct Context {
  Kind kind;
  Operation operation = Operation::kCreate;
  std::string_view namespace_name;
  std::string_view object_name;
  std::optional<std::string_view> user;  // user name; nothing when the request names no user
  std::string_view sub_resource;
  bool dry_run = false;
  const Settings& settings;
  const ClusterFacts& facts;
};

}  // namespace dynamo::api
