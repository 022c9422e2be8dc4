#include "cli/check/image_field.hpp"

#include <cstddef>

#include "cli/input/locate.hpp"

namespace dynamo::cli {
namespace {

// The value of the field, or absent.
json::Value value_at(json::Value object, std::string_view field) {
  while (!field.empty()) {
    const auto step = go_towards(object, field);
    if (!step) return {};
    object = step->value;
  }
  return object;
}

// The path of container main's image in v1beta1, within a component.
std::string image_of_main(json::Value component) {
  std::size_t index = 0;
  for (const json::Value container : component["podTemplate"]["spec"]["containers"].elements()) {
    if (container["name"].string() == "main") {
      return ".podTemplate.spec.containers[" + std::to_string(index) + "].image";
    }
    ++index;
  }
  return {};
}

}  // namespace

std::string field_to_show(json::Value object, std::string_view field) {
  constexpr std::string_view kOverride = ".runtimeVersionOverride";
  if (!field.ends_with(kOverride) || value_at(object, field).exists()) return std::string(field);
  const std::string holder(field.substr(0, field.size() - kOverride.size()));
  const std::string candidates[] = {
      image_of_main(value_at(object, holder)), ".extraPodSpec.mainContainer.image", ".image",
      ".profilingConfig.profilerImage", ".deploymentOverrides.workersImage"};
  for (const std::string& candidate : candidates) {
    const bool has_image = !candidate.empty() && value_at(object, holder + candidate).is_string();
    if (has_image) return holder + candidate;
  }
  return std::string(field);
}

}  // namespace dynamo::cli
