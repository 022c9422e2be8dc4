#include "kube/packed_object.hpp"

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

bool is_kept(std::string_view name, const PackOptions& options) {
  if (name == "apiVersion" || name == "kind" || name == "metadata") return false;  // written first
  if (options.metadata_only) return false;
  return std::find(options.left_out.begin(), options.left_out.end(), name) ==
         options.left_out.end();
}

}  // namespace

std::string packed(const Resource& resource, json::Value object, const PackOptions& options) {
  std::string text;
  json::Writer writer(text);
  writer.start_object();
  writer.member("apiVersion", resource.api_version()).member("kind", resource.kind);
  write_metadata(writer, object["metadata"]);
  for (const json::Member member : object.members()) {
    if (is_kept(member.name, options)) writer.key(member.name).value(member.value);
  }
  writer.end_object();
  text.shrink_to_fit();
  return text;
}

}  // namespace dynamo::kube
