// The conversions of the four kinds.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "conversion/payload.hpp"
#include "conversion/tree.hpp"

namespace dynamo::conversion {

// One object during its conversion.
struct ObjectConversion {
  Arena& arena;
  PayloadReader& payloads;
  const Node* source;
  Node* target;  // has the metadata already
  // The payload annotations of the source: nullopt if it lacks them.
  std::optional<std::string_view> source_spec;
  std::optional<std::string_view> source_status;
  // The payload annotations of the target.
  std::optional<std::string> target_spec = std::nullopt;
  std::optional<std::string> target_status = std::nullopt;

  std::string_view name() const { return text_of(find(source, "metadata"), "name"); }
  bool has_source_payload() const { return source_spec || source_status; }
};

// Each function converts spec and status, and returns the reason if the object cannot be converted.
using ConvertObject = std::optional<std::string> (*)(ObjectConversion&);

std::optional<std::string> convert_graph_to_beta(ObjectConversion& object);
std::optional<std::string> convert_graph_to_alpha(ObjectConversion& object);
std::optional<std::string> convert_component_deployment_to_beta(ObjectConversion& object);
std::optional<std::string> convert_component_deployment_to_alpha(ObjectConversion& object);
std::optional<std::string> convert_request_to_beta(ObjectConversion& object);
std::optional<std::string> convert_request_to_alpha(ObjectConversion& object);
std::optional<std::string> convert_scaling_adapter_to_beta(ObjectConversion& object);
std::optional<std::string> convert_scaling_adapter_to_alpha(ObjectConversion& object);

// Sets `spec` or `status` of an object, unless it is zero.
void set_part(Arena& arena, Node* object, std::string_view name, const Node* part);

}  // namespace dynamo::conversion
