#include "reconciler/model/lora_requests.hpp"

#include <vector>

#include "json/writer.hpp"
#include "kube/object/url.hpp"

namespace dynamo::reconciler::model {
namespace {

// The segments of a path, with dot segments resolved.
std::vector<std::string_view> segments_of(std::string_view name) {
  std::vector<std::string_view> segments;
  while (!name.empty()) {
    const std::size_t end = name.find('/');
    const std::string_view segment = name.substr(0, end);
    name = end == std::string_view::npos ? std::string_view() : name.substr(end + 1);
    if (segment.empty() || segment == ".") continue;
    if (segment != "..") {
      segments.push_back(segment);
    } else if (!segments.empty()) {
      segments.pop_back();
    }
  }
  return segments;
}

}  // namespace

std::string load_body(std::string_view model_name, std::string_view uri) {
  std::string body;
  json::Writer writer(body);
  writer.start_object().member("lora_name", model_name);
  writer.key("source").start_object().member("uri", uri).end_object().end_object();
  return body;
}

std::optional<std::string> unload_path(std::string_view model_name) {
  const std::vector<std::string_view> segments = segments_of(model_name);
  if (segments.empty()) return std::nullopt;
  std::string path(kLoraPath);
  for (const std::string_view segment : segments) {
    path += '/';
    kube::append_url_escaped(path, segment);
  }
  return path;
}

}  // namespace dynamo::reconciler::model
