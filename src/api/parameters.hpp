// What a policy asks of objects beyond what the catalogue does: the limits that rules measure by.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace dynamo::api {

// The parameters that hold for one object. Views into the policy, which must outlive them; what is
// empty is not asked for.
struct Parameters {
  // Registries that images may come from: HOST[:PORT][/PATH], the host in lower case. A path counts
  // with all that is below it.
  std::span<const std::string> allowed_registries = {};
  std::optional<std::int64_t> max_replicas_per_service = std::nullopt;
  // Schemes of the URIs that LoRA adapters may be loaded from, such as "s3"; in lower case.
  std::span<const std::string> allowed_lora_schemes = {};
  // Resources that a main container must limit: Kubernetes' names, or "gpu" for one of any vendor.
  std::span<const std::string> required_resource_limits = {};
};

}  // namespace dynamo::api
