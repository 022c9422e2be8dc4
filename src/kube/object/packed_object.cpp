#include "kube/object/packed_object.hpp"

#include <algorithm>
#include <string_view>

#include "json/writer.hpp"

namespace dynamo::kube {
namespace {

void write_metadata(json::Writer& writer, json::Value metadata) {
  writer.key("metadata").start_object();
  for (const json::Member member : metadata.members()) {
    if (member.name == "managedFields") continue;
    writer.key(member.name).value(member.value);
  }
  writer.end_object();
}

bool is_left_out(std::string_view path, const PackOptions& options) {
  return std::find(options.left_out.begin(), options.left_out.end(), path) !=
         options.left_out.end();
}

bool is_kept(std::string_view name, const PackOptions& options) {
  if (name == "apiVersion" || name == "kind" || name == "metadata") return false;  // written first
  return !options.metadata_only && !is_left_out(name, options);
}

// Only a part of the member is left out.
bool is_thinned(json::Member member, const PackOptions& options) {
  if (!member.value.is_object()) return false;
  const std::string below = std::string(member.name) + '.';
  return std::any_of(options.left_out.begin(), options.left_out.end(),
                     [&below](const std::string& path) { return path.starts_with(below); });
}

void write_thinned(json::Writer& writer, json::Member member, const PackOptions& options) {
  const std::string below = std::string(member.name) + '.';
  writer.key(member.name).start_object();
  for (const json::Member each : member.value.members()) {
    if (!is_left_out(below + std::string(each.name), options)) {
      writer.key(each.name).value(each.value);
    }
  }
  writer.end_object();
}

}  // namespace

std::string packed_head(const Resource& resource) {
  std::string text;
  json::Writer(text)
      .start_object()
      .member("apiVersion", resource.api_version())
      .member("kind", resource.kind);
  return text;
}

void append_packed(std::string& text, const Resource& resource, json::Value object,
                   const PackOptions& options) {
  json::Writer writer(text);
  writer.start_object();
  writer.member("apiVersion", resource.api_version()).member("kind", resource.kind);
  write_metadata(writer, object["metadata"]);
  for (const json::Member member : object.members()) {
    if (!is_kept(member.name, options)) continue;
    if (is_thinned(member, options)) {
      write_thinned(writer, member, options);
    } else {
      writer.key(member.name).value(member.value);
    }
  }
  writer.end_object();
}

std::string packed(const Resource& resource, json::Value object, const PackOptions& options) {
  std::string text;
  append_packed(text, resource, object, options);
  return text;
}

}  // namespace dynamo::kube
