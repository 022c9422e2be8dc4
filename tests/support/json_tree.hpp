// A mutable JSON value, for fakes that store objects. Not optimized.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.hpp"

namespace dynamo::test {

struct Tree {
  json::Type type = json::Type::kNull;
  std::string text;                // kString
  std::int64_t integer = 0;        // kInteger, kBoolean
  double number = 0;               // kNumber
  std::vector<std::string> names;  // kObject: parallel to children
  std::vector<Tree> children;      // kObject, kArray

  static Tree of(json::Value value);
  static Tree parse(std::string_view text);  // null if the text is not JSON
  static Tree string(std::string_view text);
  static Tree number_of(std::int64_t value);
  static Tree object();

  bool is_object() const { return type == json::Type::kObject; }
  bool is_array() const { return type == json::Type::kArray; }
  const Tree* find(std::string_view name) const;
  Tree* find(std::string_view name);
  // Returns the member of that name and creates it if missing; a value of another type becomes an
  // object.
  Tree& operator[](std::string_view name);
  void erase(std::string_view name);
  // The string at this path, or "".
  std::string at(std::initializer_list<std::string_view> path) const;

  std::string to_text() const;
  bool operator==(const Tree& other) const;  // ignores the order of members
};

}  // namespace dynamo::test
