#include "schema/types.hpp"

#include <cstddef>
#include <cstdint>

#include "schema/properties.hpp"
#include "schema/quantity.hpp"
#include "schema/scalar.hpp"
#include "schema/wording.hpp"

namespace dynamo::schema {
namespace {

// An object without a schema: its content is left to the rules.
bool is_free(const Schema& schema) {
  return schema.type == Type::kObject && schema.preserve_unknown && schema.properties.empty();
}

// Fast path for most values: a text or boolean of the right type without further checks.
bool is_plainly_valid(const Schema& schema, json::Value value) {
  return (schema.type == Type::kString && value.is_string()) ||
         (schema.type == Type::kBoolean && value.is(json::Type::kBoolean));
}

// Recurses as deep as the tables, whatever the object contains.
class TypeChecker {
 public:
  explicit TypeChecker(TypeFindings& findings) : findings_(findings) {}

  void value(const Schema& schema, json::Value value, const api::FieldPath& path) {
    if (schema.type == Type::kIntOrString && is_quantity_schema(schema)) {
      return quantity(schema, value, path);
    }
    if (is_free(schema)) return;
    if (!has_type(schema, value)) {
      return found(api::ErrorType::kTypeInvalid, path, [&] { return wrong_type(schema, value); });
    }
    if (schema.type == Type::kObject) {
      object(schema, value, path);
    } else if (schema.type == Type::kArray) {
      std::size_t index = 0;
      for (const json::Value element : value.elements()) {
        if (!is_plainly_valid(*schema.each, element))
          this->value(*schema.each, element, path.index(index));
        ++index;
      }
    } else if (schema.format == Format::kInt32) {
      small_integer(*value.integer(), path);
    }
  }

 private:
  void object(const Schema& schema, json::Value object, const api::FieldPath& path) {
    PropertyCursor cursor{schema};
    for (const json::Member member : object.members()) {
      const Property* const property = cursor.find(member.name);
      if (property == nullptr) {
        if (schema.each == nullptr || is_plainly_valid(*schema.each, member.value)) continue;
        value(*schema.each, member.value, path.key(member.name));
      } else if (!is_plainly_valid(*property->schema, member.value) && !member.value.is_nothing()) {
        value(*property->schema, member.value, path.child(member.name));
      }
    }
  }

  void small_integer(std::int64_t found, const api::FieldPath& path) {
    if (found >= INT32_MIN && found <= INT32_MAX) return;
    this->found(api::ErrorType::kInvalid, path,
                [&] { return "must fit in 32 bits; found " + std::to_string(found); });
  }

  void quantity(const Schema& schema, json::Value value, const api::FieldPath& path) {
    const auto text = value.string();
    if (!text && !value.number()) {
      return found(api::ErrorType::kTypeInvalid, path, [&] { return wrong_type(schema, value); });
    }
    if (!text || text->empty() || is_quantity(*text)) return;
    found(api::ErrorType::kInvalid, path,
          [&] { return "must be a quantity such as 16Gi; found " + quoted(*text); });
  }

  template <typename MakeDetail>
  void found(api::ErrorType type, const api::FieldPath& path, MakeDetail make_detail) {
    if (!findings_.wants_text()) return findings_.counted();
    findings_.found(type, path, make_detail());
  }

  TypeFindings& findings_;
};

}  // namespace

void check_types(const Schema& schema, json::Value value, const api::FieldPath& path,
                 TypeFindings& findings) {
  TypeChecker(findings).value(schema, value, path);
}

}  // namespace dynamo::schema
