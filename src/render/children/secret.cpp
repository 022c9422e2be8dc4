#include "render/children/secret.hpp"

#include "json/writer.hpp"

namespace dynamo::render {

Child secret_copy_child(json::Value source, std::string_view namespace_name) {
  std::string members;
  for (const std::string_view name : {"type", "data"}) {
    if (source[name].is_nothing()) continue;
    if (!members.empty()) members += ',';
    members += '"';
    members += name;
    members += "\":";
    members += json::to_text(source[name]);
  }
  return make_child({.api_version = "v1",
                     .kind = "Secret",
                     .name = source["metadata"]["name"].string_or_empty(),
                     .namespace_name = namespace_name,
                     .tracked = false},
                    members);
}

}  // namespace dynamo::render
