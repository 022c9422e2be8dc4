#include "validators/content/container_syntax.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "text/names.hpp"

namespace dynamo::validators {
namespace {

constexpr std::size_t kLongestConfigKey = 253;
constexpr std::size_t kLongestPortName = 15;

constexpr bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
constexpr bool is_letter(char c) {
  return is_lower(c) || (c >= 'A' && c <= 'Z');
}
constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_key_character(char c) {
  return is_letter(c) || is_digit(c) || c == '-' || c == '_' || c == '.';
}

// Kubernetes refuses names that could be read as a parent directory.
bool is_directory(std::string_view text) {
  return text == "." || text.starts_with("..");
}

bool among(std::span<const std::string_view> list, std::string_view text) {
  return std::ranges::find(list, text) != list.end();
}

// "metadata.labels['KEY']": the path before the bracket, and the key.
struct SubscriptedPath {
  std::string_view path;
  std::string_view key;
  bool found = false;
};

SubscriptedPath split_subscript(std::string_view text) {
  constexpr std::string_view kOpen = "['";
  constexpr std::string_view kClose = "']";
  const std::size_t open = text.find(kOpen);
  if (open == std::string_view::npos || !text.ends_with(kClose)) return {};
  if (text.size() < open + kOpen.size() + kClose.size()) return {};
  const std::size_t begin = open + kOpen.size();
  return {text.substr(0, open), text.substr(begin, text.size() - begin - kClose.size()), true};
}

bool is_subscripted_metadata(const SubscriptedPath& parts) {
  if (parts.path == "metadata.labels") return text::is_qualified_name(parts.key);
  return parts.path == "metadata.annotations" && text::is_annotation_key(parts.key);
}

}  // namespace

bool is_strict_variable_name(std::string_view text) {
  return !text.empty() && !is_digit(text.front()) && !is_directory(text) &&
         std::ranges::all_of(text, is_key_character);
}

bool is_variable_name(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~' && c != '='; });
}

bool is_config_key(std::string_view text) {
  return !text.empty() && text.size() <= kLongestConfigKey && !is_directory(text) &&
         std::ranges::all_of(text, is_key_character);
}

bool is_port_name(std::string_view text) {
  if (text.empty() || text.size() > kLongestPortName) return false;
  if (text.front() == '-' || text.back() == '-') return false;
  if (text.find("--") != std::string_view::npos) return false;
  return std::ranges::any_of(text, is_lower) &&
         std::ranges::all_of(text, [](char c) { return is_lower(c) || is_digit(c) || c == '-'; });
}

bool is_header_name(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return is_letter(c) || is_digit(c) || c == '-'; });
}

bool has_parent_part(std::string_view path) {
  while (true) {
    const std::size_t slash = path.find('/');
    if (path.substr(0, slash) == "..") return true;
    if (slash == std::string_view::npos) return false;
    path.remove_prefix(slash + 1);
  }
}

bool is_path_in_volume(std::string_view path) {
  return !path.empty() && !path.starts_with('/') && !path.starts_with("..") &&
         !has_parent_part(path);
}

bool is_variable_field_path(std::string_view path) {
  constexpr std::array<std::string_view, 10> kPaths = {"metadata.name", "metadata.namespace",
                                                       "metadata.uid",  "spec.nodeName",
                                                       "spec.host",     "spec.serviceAccountName",
                                                       "status.hostIP", "status.hostIPs",
                                                       "status.podIP",  "status.podIPs"};
  return among(kPaths, path) || is_subscripted_metadata(split_subscript(path));
}

bool is_volume_field_path(std::string_view path) {
  constexpr std::array<std::string_view, 5> kPaths = {"metadata.name", "metadata.namespace",
                                                      "metadata.labels", "metadata.annotations",
                                                      "metadata.uid"};
  return among(kPaths, path) || is_subscripted_metadata(split_subscript(path));
}

bool is_container_resource(std::string_view text) {
  for (const std::string_view side : {"limits.", "requests."}) {
    if (!text.starts_with(side)) continue;
    const std::string_view name = text.substr(side.size());
    return name == "cpu" || name == "memory" || name == "ephemeral-storage" ||
           name.starts_with("hugepages-");
  }
  return false;
}

}  // namespace dynamo::validators
