#include "validators/content/registry.hpp"

#include <algorithm>

#include "validators/content/image.hpp"

namespace dynamo::validators {
namespace {

constexpr std::string_view kDockerHub = "docker.io";
constexpr std::string_view kOldDockerHub = "index.docker.io";
constexpr std::string_view kLibrary = "library";

constexpr char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}

bool same_host(std::string_view left, std::string_view right) {
  return left.size() == right.size() && std::ranges::equal(left, right, {}, lower, lower);
}

// Whether the path is the folder or below it.
bool is_below(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

}  // namespace

std::optional<std::string> parse_registry(std::string_view text) {
  if (text.ends_with('/')) text.remove_suffix(1);
  const std::size_t slash = text.find('/');
  const std::string_view host = text.substr(0, slash);
  if (!names_registry(host)) return std::nullopt;
  const bool has_path = slash != std::string_view::npos;
  const std::string_view path = has_path ? text.substr(slash + 1) : std::string_view{};
  if (path.find_first_of(":@") != std::string_view::npos || (has_path && path.empty())) {
    return std::nullopt;
  }
  std::string registry(host);
  std::ranges::transform(registry, registry.begin(), lower);
  if (registry == kOldDockerHub) registry = kDockerHub;
  if (has_path) registry.append("/").append(path);
  if (!is_image_reference(has_path ? registry : registry + "/image")) return std::nullopt;
  return registry;
}

ImageSource::ImageSource(std::string_view image) : host_(kDockerHub) {
  image = image.substr(0, image.find('@'));
  const std::size_t last_slash = image.rfind('/');
  const std::size_t colon = image.rfind(':');
  if (colon != std::string_view::npos &&
      (last_slash == std::string_view::npos || colon > last_slash)) {
    image = image.substr(0, colon);
  }
  path_ = image;
  if (const std::size_t slash = image.find('/');
      slash != std::string_view::npos && names_registry(image.substr(0, slash))) {
    host_ = image.substr(0, slash);
    path_ = image.substr(slash + 1);
    if (same_host(host_, kOldDockerHub)) host_ = kDockerHub;
  }
  in_library_ = same_host(host_, kDockerHub) && path_.find('/') == std::string_view::npos;
}

bool ImageSource::is_from(std::string_view registry) const {
  const std::size_t slash = registry.find('/');
  if (!same_host(host_, registry.substr(0, slash))) return false;
  if (slash == std::string_view::npos) return true;
  std::string_view folder = registry.substr(slash + 1);
  if (!in_library_) return is_below(path_, folder);
  if (!is_below(folder, kLibrary)) return false;
  folder.remove_prefix(kLibrary.size());
  return folder.empty() || is_below(path_, folder.substr(1));
}

}  // namespace dynamo::validators
