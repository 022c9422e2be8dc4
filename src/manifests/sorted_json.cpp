#include "manifests/sorted_json.hpp"

#include "json/sorted_members.hpp"

namespace dynamo::render {

void write_sorted(json::Writer& out, json::Value value) {
  if (value.is_array()) {
    out.start_array();
    for (const json::Value element : value.elements()) write_sorted(out, element);
    out.end_array();
    return;
  }
  if (!value.is_object()) {
    out.value(value);
    return;
  }
  out.start_object();
  for (const json::Member& member : json::sorted_members(value)) {
    out.key(member.name);
    write_sorted(out, member.value);
  }
  out.end_object();
}

}  // namespace dynamo::render
