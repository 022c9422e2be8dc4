#include "kube/object/resource.hpp"

#include "kube/object/url.hpp"

namespace dynamo::kube {

std::string Resource::path(std::string_view namespace_name, std::string_view name,
                           std::string_view subresource) const {
  std::string path = group.empty() ? "/api/" : "/apis/";
  if (!group.empty()) {
    path += group;
    path += '/';
  }
  path += version;
  const auto append = [&path](std::string_view part) {
    if (part.empty()) return;
    path += '/';
    append_url_escaped(path, part);
  };
  if (namespaced && !namespace_name.empty()) {
    append("namespaces");
    append(namespace_name);
  }
  append(plural);
  append(name);
  append(subresource);
  return path;
}

std::string Resource::api_version() const {
  std::string text;
  if (!group.empty()) {
    text += group;
    text += '/';
  }
  text += version;
  return text;
}

}  // namespace dynamo::kube
