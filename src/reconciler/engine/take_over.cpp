#include "reconciler/engine/take_over.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "json/writer.hpp"

namespace dynamo::reconciler {
namespace {

std::string_view text_of(json::Value entry, std::string_view name) {
  return entry[name].string_or_empty();
}

bool is_of_object(json::Value entry, std::string_view api_version) {
  return text_of(entry, "subresource").empty() && text_of(entry, "apiVersion") == api_version &&
         text_of(entry, "fieldsType") == "FieldsV1";
}

bool is_former(json::Value entry, std::string_view manager) {
  const std::string_view name = text_of(entry, "manager");
  return text_of(entry, "operation") == "Update" &&
         (name == manager || std::ranges::find(kFormerManagers, name) != kFormerManagers.end());
}

bool is_applied(json::Value entry, std::string_view manager) {
  return text_of(entry, "operation") == "Apply" && text_of(entry, "manager") == manager;
}

// In the metadata, no manager owns these fields: all clients add their entries, and an entry that
// no manager applies is not removed.
bool is_shared(std::string_view field) {
  return field == "f:finalizers" || field == "f:ownerReferences";
}

// Field sets are nested objects. `of`: the enclosing field; "" at the top.
void write_union(json::Writer& out, const std::vector<json::Value>& sets, std::string_view of) {
  std::map<std::string_view, std::vector<json::Value>> by_name;
  for (const json::Value& set : sets) {
    for (const json::Member member : set.members()) {
      if (of != "f:metadata" || !is_shared(member.name)) {
        by_name[member.name].push_back(member.value);
      }
    }
  }
  out.start_object();
  for (const auto& [name, values] : by_name) {
    out.key(name);
    write_union(out, values, name);
  }
  out.end_object();
}

}  // namespace

std::string take_over_patch(const kube::Object& live, std::string_view api_version,
                            std::string_view manager) {
  const json::Value entries = live.root()["metadata"]["managedFields"];
  std::vector<json::Value> ours;
  std::vector<json::Value> others;
  bool any = false;
  for (const json::Value entry : entries.elements()) {
    const bool former = is_of_object(entry, api_version) && is_former(entry, manager);
    const bool is_ours = former || (is_of_object(entry, api_version) && is_applied(entry, manager));
    any = any || former;
    (is_ours ? ours : others).push_back(entry);
  }
  if (!any) return "";
  std::vector<json::Value> sets;
  sets.reserve(ours.size());
  for (const json::Value& entry : ours) sets.push_back(entry["fieldsV1"]);
  std::string text;
  json::Writer out(text);
  out.start_array().start_object().member("op", "replace");
  out.member("path", "/metadata/managedFields").key("value").start_array();
  out.start_object().member("manager", manager).member("operation", "Apply");
  out.member("apiVersion", api_version);
  const std::string_view time = text_of(ours.front(), "time");
  if (!time.empty()) out.member("time", time);
  out.member("fieldsType", "FieldsV1").key("fieldsV1");
  write_union(out, sets, "");
  out.end_object();
  for (const json::Value& entry : others) out.value(entry);
  out.end_array().end_object();
  out.start_object().member("op", "replace").member("path", "/metadata/resourceVersion");
  out.member("value", live.resource_version()).end_object().end_array();
  return text;
}

}  // namespace dynamo::reconciler
