#include "manifests/builders.hpp"

#include "json/parser.hpp"
#include "json/sorted_members.hpp"
#include "json/writer.hpp"
#include "json/yaml_writer.hpp"
#include "manifests/sorted_json.hpp"
#include "render/component/names.hpp"
#include "render/document/well_known.hpp"

namespace dynamo::render {
namespace {

std::string as_yaml(json::Value config) {
  std::string text;
  json::Writer out(text);
  out.start_object().member("apiVersion", kPickerConfigApiVersion);
  out.member("kind", kPickerConfigKind);
  for (const json::Member& member : json::sorted_members(config)) {
    if (member.name == "apiVersion" || member.name == "kind") continue;
    out.key(member.name);
    write_sorted(out, member.value);
  }
  out.end_object();
  std::string yaml;
  json::append_yaml(yaml, json::parse_copy(text)->root());
  return yaml;
}

}  // namespace

std::vector<Label> picker_labels(const Component& picker) {
  return {{.key = label::kComponent, .value = picker.service_name},
          {.key = label::kComponentType, .value = "epp"},
          {.key = label::kGraph, .value = picker.graph_name}};
}

DesiredObject build_picker_config(const Component& picker, const OwnerMetadata& owner) {
  const std::vector<Label> labels = picker_labels(picker);
  std::string data = "\"data\":";
  json::Writer out(data);
  out.start_object();
  out.member(kEndpointPickerConfigFile, as_yaml(picker.service.endpoint_picker_config()["config"]));
  out.end_object();
  const std::string name = endpoint_picker_config_name(picker.graph_name).str();
  return make_desired_object({.api_version = "v1",
                              .kind = "ConfigMap",
                              .name = name,
                              .namespace_name = picker.namespace_name,
                              .labels = labels,
                              .owner = owner},
                             data);
}

}  // namespace dynamo::render
