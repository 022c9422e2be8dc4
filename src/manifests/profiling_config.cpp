#include "manifests/profiling_config.hpp"

#include <initializer_list>
#include <optional>
#include <vector>

#include "json/parser.hpp"
#include "json/writer.hpp"
#include "json/yaml_writer.hpp"
#include "manifests/sorted_json.hpp"

namespace dynamo::render {
namespace {

// A member that we set; nullopt keeps the user's value.
struct Entry {
  std::string_view name;
  std::optional<std::string_view> value;
  bool overrides = true;  // if false, set only if the user gives none
};

void write_section(json::Writer& out, json::Value users, std::initializer_list<Entry> ours) {
  std::vector<Entry> entries(ours);
  std::erase_if(entries, [&users](const Entry& entry) {
    return !entry.value || (!entry.overrides && users[entry.name].exists());
  });
  const auto is_ours = [&entries](std::string_view name) {
    for (const Entry& entry : entries) {
      if (entry.name == name) return true;
    }
    return false;
  };
  out.start_object();
  for (const Entry& entry : entries) out.member(entry.name, *entry.value);
  for (const auto [name, value] : users.members()) {
    if (!is_ours(name)) out.key(name).value(value);
  }
  out.end_object();
}

std::optional<std::string_view> given(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace

std::optional<RenderRefusal> refusal_of_config(const api::GraphDeploymentRequest& request) {
  const api::FieldPath spec("spec");
  const api::FieldPath profiling = spec.child("profilingConfig");
  const api::FieldPath path = profiling.child("config");
  const json::Value config = request.profiler_config();
  if (!config.is_nothing() && !config.is_object()) {
    return RenderRefusal{path.render(), "must be an object"};
  }
  for (const std::string_view section : {"deployment", "engine"}) {
    const json::Value value = config[section];
    if (!value.is_nothing() && !value.is_object()) {
      return RenderRefusal{path.child(section).render(), "must be an object"};
    }
  }
  return std::nullopt;
}

std::string profiling_config(const api::GraphDeploymentRequest& request,
                             std::string_view namespace_name) {
  const json::Value config = request.profiler_config();
  const json::Value overrides = request.spec()["deploymentOverrides"];
  const bool has_base = !request.profiling()["configMapRef"].is_nothing();
  std::string merged;
  json::Writer out(merged);
  out.start_object();
  for (const auto [name, value] : config.members()) {
    if (name != "deployment" && name != "engine") out.key(name).value(value);
  }
  if (!config["output_dir"].exists()) out.member("output_dir", "/data");
  out.key("deployment");
  write_section(out, config["deployment"],
                {{"namespace", namespace_name, false},
                 {"model", request.model()},
                 {"dgd_image", given(overrides["workersImage"].string_or_empty())}});
  out.key("engine");
  write_section(out, config["engine"],
                {{"backend", request.backend()},
                 {"config", has_base ? std::optional<std::string_view>("/config/disagg.yaml")
                                     : std::nullopt}});
  out.end_object();
  const auto parsed = json::parse_copy(merged);
  std::string sorted;
  json::Writer sorted_out(sorted);
  write_sorted(sorted_out, parsed->root());
  std::string yaml;
  json::append_yaml(yaml, json::parse_copy(sorted)->root());
  return yaml;
}

bool uses_ai_configurator(const api::GraphDeploymentRequest& request) {
  const json::Value sweep = request.profiler_config()["sweep"];
  const std::optional<bool> configured = sweep["useAiConfigurator"].boolean();
  return configured ? *configured : sweep["use_ai_configurator"].boolean().value_or(false);
}

}  // namespace dynamo::render
