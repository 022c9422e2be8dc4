// Policy limits in addition to the catalogue: the parameters of rules.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace dynamo::api {

// The parameters for one object. Views into the policy, which must outlive them; an empty parameter
// is not checked.
struct Parameters {
  // Registries that images may come from: HOST[:PORT][/PATH], the host in lower case. A path
  // includes everything below it.
  std::span<const std::string> allowed_registries = {};
  std::optional<std::int64_t> max_replicas_per_service = std::nullopt;
  // URI schemes that LoRA adapters may be loaded from, such as "s3"; in lower case.
  std::span<const std::string> allowed_lora_schemes = {};
  // Resources that a main container must limit: Kubernetes names, or "gpu" for any vendor's GPU.
  std::span<const std::string> required_resource_limits = {};
};

}  // namespace dynamo::api
