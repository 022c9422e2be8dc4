// A JSON value that can be changed: for fakes that keep objects. Not for speed.
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
  std::vector<std::string> names;  // kObject: beside children
  std::vector<Tree> children;      // kObject, kArray

  static Tree of(json::Value value);
  static Tree parse(std::string_view text);  // null when it is no JSON
  static Tree string(std::string_view text);
  static Tree number_of(std::int64_t value);
  static Tree object();

  bool is_object() const { return type == json::Type::kObject; }
  bool is_array() const { return type == json::Type::kArray; }
  const Tree* find(std::string_view name) const;
  Tree* find(std::string_view name);
  // The member of that name, made when it is missing; turns what is no object into one.
  Tree& operator[](std::string_view name);
  void erase(std::string_view name);
  // The text of the string at these names, or "".
  std::string at(std::initializer_list<std::string_view> path) const;

  std::string to_text() const;
  bool operator==(const Tree& other) const;  // whatever the order of members
};

}  // namespace dynamo::test
