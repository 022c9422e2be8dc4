#include "json/pointer.hpp"

#include <algorithm>
#include <charconv>

namespace dynamo::json {

void append_pointer_token(std::string& pointer, std::string_view token) {
  pointer += '/';
  for (const char c : token) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer += c;
    }
  }
}

std::string take_pointer_token(std::string_view& pointer) {
  pointer.remove_prefix(1);
  const std::string_view raw = pointer.substr(0, pointer.find('/'));
  pointer.remove_prefix(raw.size());
  std::string token;
  token.reserve(raw.size());
  for (std::size_t at = 0; at < raw.size(); ++at) {
    if (raw[at] == '~' && at + 1 < raw.size() && (raw[at + 1] == '0' || raw[at + 1] == '1')) {
      token += raw[at + 1] == '0' ? '~' : '/';
      ++at;
    } else {
      token += raw[at];
    }
  }
  return token;
}

std::optional<std::size_t> pointer_index(std::string_view token) {
  if (token.empty() || (token.size() > 1 && token.front() == '0')) return std::nullopt;
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), index);
  if (error != std::errc{} || end != token.data() + token.size()) return std::nullopt;
  return index;
}

namespace {

Value element_at(Value array, std::string_view token) {
  const auto index = pointer_index(token);
  if (!index || *index >= array.size()) return Value{};
  auto at = array.elements().begin();
  for (std::size_t i = 0; i < *index; ++i) ++at;
  return *at;
}

}  // namespace

Value at_pointer(Value root, std::string_view pointer) {
  Value value = root;
  while (!pointer.empty() && value.exists()) {
    if (pointer.front() != '/') return Value{};
    const std::string token = take_pointer_token(pointer);
    value = value.is_array() ? element_at(value, token) : value[token];
  }
  return value;
}

}  // namespace dynamo::json
