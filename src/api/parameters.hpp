// Policy limits in addition to the catalog: the parameters of rules.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace dynamo::api {

// A limit on what authors may choose: nullopt limits nothing, an empty list allows nothing.
using AllowList = std::optional<std::span<const std::string>>;

// The parameters that hold for one object. Views into the policy, which must outlive them. An empty
// span and nullopt limit nothing; an empty AllowList allows nothing.
struct Parameters {
  // Registries that images may come from: HOST[:PORT][/PATH], the host in lower case. A path
  // includes everything below it.
  std::span<const std::string> allowed_registries = {};
  std::optional<std::int64_t> max_replicas_per_service = std::nullopt;
  // URI schemes that LoRA adapters may be loaded from, such as "s3"; in lower case.
  std::span<const std::string> allowed_lora_schemes = {};
  // Resources that a main container must limit: Kubernetes names, or "gpu" for any vendor's GPU.
  std::span<const std::string> required_resource_limits = {};

  // Service accounts that a pod may name, as globs.
  AllowList allowed_service_accounts = std::nullopt;
  // Absolute paths of nodes without a slash at the end; each includes everything below it.
  AllowList allowed_host_paths = std::nullopt;
  // Values of kHostAccessNames.
  AllowList allowed_host_access = std::nullopt;
  // Hosts of Ingresses and VirtualServices, as globs in lower case.
  AllowList allowed_ingress_hosts = std::nullopt;
  // Istio gateways, NAMESPACE/NAME or NAME, as globs.
  AllowList allowed_istio_gateways = std::nullopt;

  // The Istio gateway and the host suffix of frontends in the operator's configuration. Always
  // allowed; "" if unknown.
  std::string_view own_istio_gateway = {};
  std::string_view own_host_suffix = {};
};

// Kinds of access to a node that a policy can allow. kPrivileged includes Windows host processes,
// unmasked /proc and capabilities beyond those that container runtimes grant.
enum class HostAccess : std::uint8_t { kNetwork, kPid, kIpc, kPrivileged };
inline constexpr std::array<std::string_view, 4> kHostAccessNames{"network", "pid", "ipc",
                                                                  "privileged"};

constexpr std::string_view name(HostAccess access) {
  return kHostAccessNames[static_cast<std::size_t>(access)];
}

}  // namespace dynamo::api
