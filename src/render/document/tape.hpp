// Constant JSON values, so that the controllers' defaults are read through the same view as the
// user's fields.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "json/document.hpp"

namespace dynamo::render::tape {

// A value of `Size` nodes, for constants with static storage.
template <std::size_t Size>
struct Tape {
  std::array<json::Node, Size> nodes{};
  constexpr const json::Node* first() const { return nodes.data(); }
};

// A member of an object: its name, then its value.
template <std::size_t Size>
struct Field {
  std::array<json::Node, Size> nodes{};
};

namespace internal {

constexpr json::Node node(json::Type type) {
  json::Node made{};
  made.type = static_cast<std::uint32_t>(type) & 0xFU;
  made.span = 1;
  return made;
}

constexpr json::Node text_node(std::string_view text) {
  json::Node made = node(json::Type::kString);
  made.text = text.data();
  made.length = static_cast<std::uint32_t>(text.size()) & 0xFFFFFFFU;
  return made;
}

template <std::size_t Size, typename... Parts>
constexpr std::array<json::Node, Size> container(json::Type type, const Parts&... parts) {
  std::array<json::Node, Size> nodes{};
  nodes[0] = node(type);
  nodes[0].lacks = 0;
  nodes[0].length = sizeof...(Parts) & 0xFFFFFFFU;
  nodes[0].span = Size;
  std::size_t at = 1;
  [[maybe_unused]] const auto append = [&](const auto& part) {
    for (const json::Node& copied : part.nodes) nodes[at++] = copied;
  };
  (append(parts), ...);
  return nodes;
}

}  // namespace internal

constexpr Tape<1> text(std::string_view value) {
  return {{internal::text_node(value)}};
}

constexpr Tape<1> number(std::int64_t value) {
  json::Node made = internal::node(json::Type::kInteger);
  made.integer = value;
  return {{made}};
}

constexpr Tape<1> boolean(bool value) {
  json::Node made = internal::node(json::Type::kBoolean);
  made.integer = value ? 1 : 0;
  return {{made}};
}

template <std::size_t Size>
constexpr Field<Size + 1> field(std::string_view name, const Tape<Size>& value) {
  Field<Size + 1> made;
  made.nodes[0] = internal::text_node(name);
  for (std::size_t i = 0; i < Size; ++i) made.nodes[i + 1] = value.nodes[i];
  return made;
}

constexpr Field<2> field(std::string_view name, std::string_view value) {
  return field(name, text(value));
}

constexpr Field<2> field(std::string_view name, std::int64_t value) {
  return field(name, number(value));
}

template <std::size_t... Sizes>
constexpr Tape<1 + (Sizes + ... + 0)> object(const Field<Sizes>&... fields) {
  Tape<1 + (Sizes + ... + 0)> made{
      internal::container<1 + (Sizes + ... + 0)>(json::Type::kObject, fields...)};
  std::uint64_t classes = 0;
  [[maybe_unused]] const auto note = [&](const json::Node& name) {
    classes |= json::name_class({name.text, name.length});
  };
  (note(fields.nodes[0]), ...);
  made.nodes[0].lacks = ~classes;
  return made;
}

template <std::size_t... Sizes>
constexpr Tape<1 + (Sizes + ... + 0)> array(const Tape<Sizes>&... elements) {
  return {internal::container<1 + (Sizes + ... + 0)>(json::Type::kArray, elements...)};
}

}  // namespace dynamo::render::tape
