#include "schema/unknown_field.hpp"

#include <vector>

#include "schema/properties.hpp"

namespace dynamo::schema {
namespace {

constexpr std::string_view kMainContainer = "mainContainer";

// Paths of the fields of that name in the objects directly below.
std::vector<std::string> find_below(const Schema& schema, std::string_view name) {
  std::vector<std::string> paths;
  for (const Property& property : schema.properties) {
    if (find_property(*property.schema, name) == nullptr) continue;
    paths.push_back(std::string(property.name) + "." + std::string(name));
  }
  return paths;
}

// The same, one level further down.
std::vector<std::string> find_two_below(const Schema& schema, std::string_view name) {
  std::vector<std::string> paths;
  for (const Property& property : schema.properties) {
    for (const std::string& path : find_below(*property.schema, name)) {
      paths.push_back(std::string(property.name) + "." + path);
    }
  }
  return paths;
}

std::string choose(const std::vector<std::string>& paths) {
  if (paths.size() == 1) return paths.front();
  for (const std::string& path : paths) {
    if (path.find(kMainContainer) != std::string::npos) return path;
  }
  return {};
}

}  // namespace

KnownPlace find_elsewhere(const FieldScope& scope, std::string_view name) {
  for (const FieldScope* around = scope.around; around != nullptr; around = around->around) {
    if (find_property(*around->schema, name) != nullptr) return {around, {}};
  }
  std::string below = choose(find_below(*scope.schema, name));
  if (below.empty()) below = choose(find_two_below(*scope.schema, name));
  return {nullptr, std::move(below)};
}

}  // namespace dynamo::schema
