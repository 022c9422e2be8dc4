#include "schema/complete.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "json/parser.hpp"
#include "schema/defaults.hpp"
#include "schema/members.hpp"
#include "schema/properties.hpp"

namespace dynamo::schema {
namespace {

// Fields that the API server always sets itself when an object is created.
bool is_servers(std::string_view field_of_metadata) {
  constexpr std::array<std::string_view, 8> kServers{
      "creationTimestamp", "deletionGracePeriodSeconds",
      "deletionTimestamp", "generation",
      "managedFields",     "resourceVersion",
      "selfLink",          "uid"};
  return std::ranges::find(kServers, field_of_metadata) != kServers.end();
}

// Recurses as deep as the tables, or within free-form values as deep as the document, whose reader
// limits the depth.
class Completion {
 public:
  explicit Completion(json::Document& out) : builder_(out) {}

  void value(const Schema& schema, json::Value value) {
    if (value.is_object() && schema.type == Type::kObject) return object(schema, value, {});
    if (value.is_array() && schema.type == Type::kArray) {
      builder_.start_array();
      for (const json::Value element : value.elements()) this->element(*schema.each, element);
      return builder_.end_array(value.size());
    }
    if (schema.preserve_unknown || schema.type == Type::kAny) return copy(value);
    without_fields(value);
  }

  // The whole object. If `has_status`, its status is replaced by the stored one.
  void root(const Resource& resource, json::Value object, json::Value stored_status,
            bool is_created) {
    metadata_ = find_property(*resource.schema, "metadata");
    is_created_ = is_created;
    const std::string_view replaced = resource.has_status ? "status" : "";
    this->object(*resource.schema, object, replaced, stored_status);
  }

 private:
  // `replaced` is a property that is neither completed nor copied; `instead`, if it exists,
  // replaces it.
  void object(const Schema& schema, json::Value object, std::string_view replaced,
              json::Value instead = {}) {
    PropertyCursor cursor{schema};
    std::uint64_t given = 0;
    std::size_t count = 0;
    builder_.start_object();
    each_that_counts(object, [&](const json::Member& member) {
      if (!replaced.empty() && member.name == replaced) return;
      if (is_created_ && in_metadata_ && &schema == metadata_->schema && is_servers(member.name)) {
        return;
      }
      const Property* const property = cursor.find(member.name);
      const bool was_in_metadata = in_metadata_;
      in_metadata_ = in_metadata_ || (property != nullptr && property == metadata_);
      if (property == nullptr) {
        count += entry(schema, member) ? 1 : 0;
      } else if (this->member(*property->schema, member)) {
        given |= std::uint64_t{1} << cursor.index_of(property);
        ++count;
      }
      in_metadata_ = was_in_metadata;
    });
    if (instead.exists()) {
      builder_.key(replaced);
      copy(instead);
      ++count;
    }
    std::uint64_t bit = 1;
    for (const Property& property : schema.properties) {
      const bool missing = (given & bit) == 0 && !property.schema->default_value.empty();
      bit <<= 1U;
      if (!missing) continue;
      builder_.key(property.name);
      default_of(*property.schema);
      ++count;
    }
    builder_.end_object(count);
  }

  template <typename Visit>
  static void each_that_counts(json::Value object, Visit visit) {
    if (has_unique_names(object)) {
      for (const json::Member member : object.members()) visit(member);
    } else {
      for (const json::Member& member : members_that_count(object)) visit(member);
    }
  }

  // Returns whether the member is kept. A null member is replaced by its default; in metadata,
  // which the API server decodes into a struct, null is the same as absent.
  bool member(const Schema& schema, const json::Member& member) {
    if (member.value.is_nothing() && (!schema.nullable || in_metadata_)) return false;
    builder_.key(member.name);
    value(schema, member.value);
    return true;
  }

  // Like member() for one that is not a property.
  bool entry(const Schema& schema, const json::Member& member) {
    if (schema.each != nullptr) {
      const bool is_null = member.value.is_nothing() && !schema.each->nullable;
      if (is_null && in_metadata_ && schema.each->type == Type::kString) {
        builder_.key(member.name);
        builder_.string("");  // the zero value of its Go type
        return true;
      }
      if (is_null && schema.each->default_value.empty()) return false;
      builder_.key(member.name);
      is_null ? default_of(*schema.each) : value(*schema.each, member.value);
      return true;
    }
    if (!schema.preserve_unknown) return false;
    builder_.key(member.name);
    copy(member.value);
    return true;
  }

  void element(const Schema& schema, json::Value element) {
    const bool is_null = element.is_nothing() && !schema.nullable;
    if (is_null && in_metadata_ && schema.type == Type::kString) return builder_.string("");
    is_null && !schema.default_value.empty() ? default_of(schema) : value(schema, element);
  }

  // The tables' texts are static; text parsed from them is moved into the document.
  void default_of(const Schema& schema) {
    const std::string_view text = schema.default_value;
    if (text.front() == '"' && text.find('\\') == std::string_view::npos) {
      return builder_.string(text.substr(1, text.size() - 2));
    }
    if (text.front() != '"' && text.front() != '{' && text.front() != '[') {
      return builder_.copy(default_value(schema));  // a number or a boolean refers to no text
    }
    const auto parsed = json::parse_copy(text);
    // The text is too long for the small-string buffer, so moving it keeps its bytes in place.
    builder_.own(std::move(parsed->text));
    value(schema, parsed->root());
  }

  // A value with a wrong type: its fields are unknown.
  void without_fields(json::Value value) {
    if (value.is_object()) {
      builder_.start_object();
      return builder_.end_object(0);
    }
    if (!value.is_array()) return builder_.copy(value);
    builder_.start_array();
    for (const json::Value element : value.elements()) without_fields(element);
    builder_.end_array(value.size());
  }

  // Unchanged, except for duplicate names.
  void copy(json::Value value) {
    if (value.is_object()) {
      std::size_t count = 0;
      builder_.start_object();
      each_that_counts(value, [&](const json::Member& member) {
        builder_.key(member.name);
        copy(member.value);
        ++count;
      });
      return builder_.end_object(count);
    }
    if (value.is_array()) {
      builder_.start_array();
      for (const json::Value element : value.elements()) copy(element);
      return builder_.end_array(value.size());
    }
    builder_.copy(value);
  }

  json::Builder builder_;
  const Property* metadata_ = nullptr;  // the property of the whole object
  bool in_metadata_ = false;
  bool is_created_ = false;
};

}  // namespace

void complete(const Resource& resource, json::Value object, json::Value old, json::Document& out) {
  Completion completion{out};
  if (!object.is_object()) return;
  completion.root(resource, object, resource.has_status ? old["status"] : json::Value{},
                  !old.exists());
}

void complete_value(const Schema& root, json::Value value, json::Document& out) {
  Completion completion{out};
  if (value.exists()) completion.value(root, value);
}

}  // namespace dynamo::schema
