#include "schema/same_value.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "json/sorted_members.hpp"
#include "schema/defaults.hpp"
#include "schema/list_keys.hpp"
#include "schema/properties.hpp"

namespace dynamo::schema {
namespace {

// Values with a wrong type lose their fields.
bool same_without_fields(json::Value left, json::Value right) {
  if (left.is_object() && right.is_object()) return true;
  if (!left.is_array() || !right.is_array()) return json::equal(left, right);
  if (left.size() != right.size()) return false;
  auto other = right.elements().begin();
  for (const json::Value element : left.elements()) {
    if (!same_without_fields(element, *other)) return false;
    ++other;
  }
  return true;
}

class Comparison {
 public:
  // `sees_all`: whether fields without a schema are compared.
  explicit Comparison(bool sees_all) : sees_all_(sees_all) {}

  bool same(const Schema& schema, json::Value left, json::Value right) const {
    if (!left.exists() || !right.exists()) return left.exists() == right.exists();
    if (left.is_object() && right.is_object() && schema.type == Type::kObject) {
      return same_objects(schema, left, right);
    }
    if (left.is_array() && right.is_array() && schema.type == Type::kArray) {
      return schema.list_type == ListType::kMap ? same_keyed_lists(schema, left, right)
                                                : same_lists(schema, left, right);
    }
    if (schema.type == Type::kAny || schema.preserve_unknown) {
      return sees_all_ || !left.is_object() || left.size() + right.size() == 0
                 ? json::equal(left, right)
                 : false;
    }
    return same_without_fields(left, right);
  }

 private:
  bool same_objects(const Schema& schema, json::Value left, json::Value right) const {
    const std::vector<json::Member> ours = json::sorted_members(left);
    const std::vector<json::Member> theirs = json::sorted_members(right);
    auto one = ours.begin();
    auto other = theirs.begin();
    while (one != ours.end() || other != theirs.end()) {
      const bool take_one =
          one != ours.end() && (other == theirs.end() || one->name <= other->name);
      const bool take_other =
          other != theirs.end() && (one == ours.end() || other->name <= one->name);
      const std::string_view name = take_one ? one->name : other->name;
      const json::Value of_one = take_one ? one->value : json::Value{};
      const json::Value of_other = take_other ? other->value : json::Value{};
      if (!same_member(schema, name, of_one, of_other)) return false;
      if (take_one) ++one;
      if (take_other) ++other;
    }
    return true;
  }

  bool same_member(const Schema& schema, std::string_view name, json::Value left,
                   json::Value right) const {
    const Property* const property = find_property(schema, name);
    const Schema* const known = property != nullptr ? property->schema : schema.each;
    if (known != nullptr) return same(*known, effective(*known, left), effective(*known, right));
    return !schema.preserve_unknown || (sees_all_ && json::equal(left, right));
  }

  bool same_keyed_lists(const Schema& schema, json::Value left, json::Value right) const {
    if (left.size() != right.size()) return false;
    const KeyedItems others{schema, right};
    for (const json::Value element : left.elements()) {
      if (!same(*schema.each, element, others.find(element))) return false;
    }
    return true;
  }

  // Lists are compared completely, independent of sees_all_.
  static bool same_lists(const Schema& schema, json::Value left, json::Value right) {
    if (left.size() != right.size()) return false;
    const Comparison whole{true};
    auto other = right.elements().begin();
    for (const json::Value element : left.elements()) {
      if (!whole.same(*schema.each, element, *other)) return false;
      ++other;
    }
    return true;
  }

  bool sees_all_;
};

}  // namespace

bool are_same_value(const Schema& schema, json::Value left, json::Value right) {
  return Comparison(true).same(schema, left, right);
}

bool is_unchanged(const Schema& schema, json::Value now, json::Value before) {
  return Comparison(false).same(schema, now, before);
}

}  // namespace dynamo::schema
