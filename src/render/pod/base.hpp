// The operator's defaults for a component's main container and pod, by component type.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "json/document.hpp"
#include "render/component/component.hpp"

namespace dynamo::render {

// The source of the value of one of the operator's own variables.
enum class ValueFrom : std::uint8_t {
  kText,      // `text` itself
  kPodField,  // downward API; `text` is the path
  kComponentType,
  kDynamoNamespace,
  kGraphName,
  kNamespace,
  kDiscovery,  // `text`, unless it is etcd
  kNatsAddress,
  kEtcdAddress,
  kModelExpressUrl,
  kPrometheusEndpoint,
  kClientTlsFile,  // `text` is the path; if pods get a certificate
  kWorkerHash,     // if the component has one
  kDiscoveryMode,  // `text`, if containers are discovered one by one
};

// The variables with which clients of NATS and etcd find their CA and certificate.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kClientTlsFiles = {
    {{"ETCD_AUTH_CA", "/etc/dynamo-client-tls/ca.crt"},
     {"ETCD_AUTH_CLIENT_CERT", "/etc/dynamo-client-tls/tls.crt"},
     {"ETCD_AUTH_CLIENT_KEY", "/etc/dynamo-client-tls/tls.key"},
     {"NATS_TLS_CA_CERT_PATH", "/etc/dynamo-client-tls/ca.crt"}}};

struct BaseVariable {
  std::string_view name;
  std::string_view text;
  ValueFrom from = ValueFrom::kText;
};

// Constants with static storage. JSON values are the first node of a tape, null if the type has no
// default.
struct Base {
  std::span<const std::string_view> command;
  std::span<const std::string_view> args;  // without those of an endpoint picker, see below
  const json::Node* ports = nullptr;
  const json::Node* liveness = nullptr;
  const json::Node* readiness = nullptr;
  const json::Node* startup = nullptr;
  std::span<const BaseVariable> variables;  // all of the operator's own, sorted by name
  std::string_view service_account;
  std::int64_t grace_period_seconds;
};

// As first-generation operators have them, and as later ones do.
const Base& base_of(ComponentType type);
const Base& later_base_of(ComponentType type);
// As the operator of the component has them.
inline const Base& base_of(const Component& component) {
  return component.has_later_operator() ? later_base_of(component.type) : base_of(component.type);
}

// The arguments of an endpoint picker. The result holds views of `pool` and `space`.
inline constexpr std::size_t kEndpointPickerArgs = 16;
std::array<std::string_view, kEndpointPickerArgs> endpoint_picker_args(std::string_view pool,
                                                                       std::string_view space);
// The same for later operators, whose picker takes long flags.
std::array<std::string_view, kEndpointPickerArgs> later_picker_args(std::string_view pool,
                                                                    std::string_view space);

}  // namespace dynamo::render
