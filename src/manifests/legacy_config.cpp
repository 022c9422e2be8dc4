#include "manifests/legacy_config.hpp"

#include <algorithm>

#include "json/sorted_members.hpp"
#include "json/writer.hpp"
#include "render/document/name.hpp"
#include "render/document/well_known.hpp"

namespace dynamo::render {
namespace {

json::Value member(json::Value object, std::string_view lower) {
  for (const auto [name, value] : object.members()) {
    const bool same = std::ranges::equal(
        name, lower, [](char letter, char wanted) { return to_lower(letter) == wanted; });
    if (same) return value;
  }
  return {};
}

// Writes with sorted member names and replaces the port of `service`.
void write_sorted(json::Writer& out, json::Value value, std::string_view service, int depth) {
  if (value.is_array()) {
    out.start_array();
    for (const json::Value element : value.elements()) write_sorted(out, element, {}, depth + 1);
    out.end_array();
    return;
  }
  if (!value.is_object()) {
    out.value(value);
    return;
  }
  out.start_object();
  const bool ours = depth == 1 && !service.empty();
  bool port_written = !ours;
  for (const json::Member& member : json::sorted_members(value)) {
    if (!port_written && member.name >= "port") {
      out.key("port").integer(port::kHttp);
      port_written = true;
      if (member.name == "port") continue;
    }
    out.key(member.name);
    const bool inner = depth == 0 && member.name == service;
    write_sorted(out, member.value, inner ? service : std::string_view{}, depth + 1);
  }
  if (!port_written) out.key("port").integer(port::kHttp);
  out.end_object();
}

}  // namespace

LegacyService legacy_service(json::Value config, std::string_view service) {
  const json::Value args = member(config[service], "serviceargs");
  const json::Value resources = member(args, "resources");
  return {.workers = member(args, "workers").integer(),
          .cpu = member(resources, "cpu"),
          .memory = member(resources, "memory"),
          .gpu = member(resources, "gpu"),
          .custom = member(resources, "custom")};
}

std::string legacy_config_of_frontend(json::Value config, std::string_view service) {
  std::string text;
  json::Writer out(text);
  write_sorted(out, config, service, 0);
  return text;
}

}  // namespace dynamo::render
