// Paths and bodies of LoRA requests to inference servers. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dynamo::reconciler::model {

inline constexpr std::string_view kLoraPath = "/v1/loras";

// The body of a POST to kLoraPath: {"lora_name": NAME, "source": {"uri": URI}}.
std::string load_body(std::string_view model_name, std::string_view uri);

// The path of a DELETE: "/v1/loras/my%20lora/v1" for "my lora/v1". Slashes separate segments; dot
// segments and empty ones are resolved within the name and never above it. nullopt if no name
// remains, because the path would address all adapters.
std::optional<std::string> unload_path(std::string_view model_name);

}  // namespace dynamo::reconciler::model
