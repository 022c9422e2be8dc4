#include "kube/client/writes.hpp"

namespace dynamo::kube {
namespace {

void add_operation(json::Writer& writer, std::string_view path, std::string_view value) {
  writer.start_object().member("op", "replace").member("path", path).member("value", value);
  writer.end_object();
}

std::string finalizers_patch(const Object& seen, const std::vector<std::string>& finalizers) {
  std::string text;
  json::Writer writer(text);
  writer.start_array();
  add_operation(writer, "/metadata/uid", seen.uid());
  add_operation(writer, "/metadata/resourceVersion", seen.resource_version());
  writer.start_object().member("op", "add").member("path", "/metadata/finalizers");
  writer.key("value").start_array();
  for (const std::string& each : finalizers) writer.string(each);
  writer.end_array().end_object().end_array();
  return text;
}

void write_texts(json::Writer& writer, std::string_view key,
                 const std::map<std::string, std::string>& texts) {
  if (texts.empty()) return;
  writer.key(key).start_object();
  for (const auto& [name, value] : texts) writer.member(name, value);
  writer.end_object();
}

}  // namespace

std::string add_finalizer_patch(const Object& seen, std::string_view finalizer) {
  std::vector<std::string> all = finalizers_of(seen);
  if (!has_finalizer(seen, finalizer)) all.emplace_back(finalizer);
  return finalizers_patch(seen, all);
}

std::string remove_finalizer_patch(const Object& seen, std::string_view finalizer) {
  std::vector<std::string> all = finalizers_of(seen);
  std::erase(all, finalizer);
  return finalizers_patch(seen, all);
}

void write_apply_header(json::Writer& writer, const Resource& resource, const ApplyHeader& header) {
  writer.member("apiVersion", resource.api_version()).member("kind", resource.kind);
  writer.key("metadata").start_object();
  writer.member("name", header.key.name);
  if (!header.key.namespace_name.empty()) writer.member("namespace", header.key.namespace_name);
  if (!header.uid.empty()) writer.member("uid", header.uid);
  if (!header.resource_version.empty()) {
    writer.member("resourceVersion", header.resource_version);
  }
  write_texts(writer, "labels", header.labels);
  write_texts(writer, "annotations", header.annotations);
  if (!header.owners.empty()) {
    writer.key("ownerReferences").start_array();
    for (const OwnerReference& owner : header.owners) write_owner(writer, owner);
    writer.end_array();
  }
  writer.end_object();
}

std::string apply_status(const Resource& resource, const Object& seen, std::string_view status) {
  std::string text;
  json::Writer writer(text);
  writer.start_object();
  write_apply_header(writer, resource, {.key = key_of(seen), .uid = std::string(seen.uid())});
  writer.key("status").raw(status).end_object();
  return text;
}

std::string merge_status(const Object& seen, std::string_view status) {
  std::string text;
  json::Writer writer(text);
  writer.start_object().key("metadata").start_object();
  writer.member("uid", seen.uid()).member("resourceVersion", seen.resource_version());
  writer.end_object().key("status").raw(status).end_object();
  return text;
}

}  // namespace dynamo::kube
