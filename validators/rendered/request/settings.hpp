// Reads the profiler's settings from a request. Each may be spelled minNumGpusPerEngine or
// min_num_gpus_per_engine.
#pragma once

#include <string_view>

#include "api/context.hpp"
#include "json/document.hpp"
#include "validators/operator_profile.hpp"

namespace dynamo::validators::requests {

// Whether `key` is the snake case spelling of the camel case `name`. Names without an upper case
// letter have only one spelling.
constexpr bool is_snake_case_of(std::string_view key, std::string_view name) {
  std::size_t at = 0;
  bool differs = false;
  for (const char letter : name) {
    const bool upper = letter >= 'A' && letter <= 'Z';
    if (upper && (at >= key.size() || key[at++] != '_')) return false;
    const char wanted = upper ? static_cast<char>(letter - 'A' + 'a') : letter;
    if (at >= key.size() || key[at++] != wanted) return false;
    differs = differs || upper;
  }
  return differs && at == key.size();
}

constexpr bool is_spelling_of(std::string_view key, std::string_view name) {
  return key == name || is_snake_case_of(key, name);
}

// A setting with the key that was found. null counts as absent; `key` is then the name.
struct Setting {
  std::string_view key;
  json::Value value;

  bool exists() const { return value.exists(); }
};

// The setting with that name in either spelling; the profiler prefers camel case. Linear.
inline Setting find_setting(json::Value section, std::string_view name) {
  Setting first{.key = name, .value = {}};
  Setting second;
  for (const auto [key, value] : section.members()) {
    if (value.is_nothing()) continue;
    if (key == name) first.value = value;
    if (is_snake_case_of(key, name)) second = {.key = key, .value = value};
  }
  return first.exists() || !second.exists() ? first : second;
}

// The names of settings of a model cache.
struct ModelCacheNames {
  std::string_view path;   // of the model on the volume
  std::string_view mount;  // of the volume in the job
};

inline ModelCacheNames model_cache_names(const api::Context& context) {
  const bool is_later =
      severity_of(OperatorBehaviour::kNewerCacheSetting, context) == Severity::kOff;
  return is_later ? ModelCacheNames{"modelPathInPvc", "pvcMountPath"}
                  : ModelCacheNames{"pvcPath", "mountPath"};
}

}  // namespace dynamo::validators::requests
