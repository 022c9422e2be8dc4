#include "schema/validate.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/field_path.hpp"
#include "schema/builtin_checks.hpp"
#include "schema/check_ids.hpp"
#include "schema/correlation.hpp"
#include "schema/formats.hpp"
#include "schema/list_keys.hpp"
#include "schema/members.hpp"
#include "schema/other_version.hpp"
#include "schema/properties.hpp"
#include "schema/scalar.hpp"
#include "schema/suggest.hpp"
#include "schema/unknown_field.hpp"
#include "schema/wording.hpp"
#include "text/lookalike.hpp"

namespace dynamo::schema {
namespace {

using enum api::ErrorType;

// How much of the schema applies.
enum class Depth : unsigned char {
  kAll,
  kTypes,   // metadata: only types that the API server needs to decode it
  kFields,  // status: only unknown and duplicate fields
};

// Recurses as deep as the tables, or within free-form values as deep as the document, whose reader
// limits the depth.
class SchemaValidator {
 public:
  // `resource` is null for a value that is no object of one.
  SchemaValidator(const Resource* resource, json::Value old, api::ErrorList& findings,
                  FieldValidation field_validation)
      : resource_(resource), old_(old), findings_(findings), field_validation_(field_validation) {}

  void root(const Schema& schema, json::Value value) {
    const ValuePlace place{schema, value, old_};
    this->value(place);
  }

  // A member of the root, with only part of the schema.
  void root_member(const Schema& root, json::Value value, std::string_view name, Depth depth) {
    const Property* const property = find_property(root, name);
    if (property == nullptr || value.is_nothing()) return;
    const ValuePlace around{root, json::Value{}, json::Value{}};
    depth_ = depth;
    this->value(ValuePlace{around, *property->schema, value, api::FieldPath(name), name});
    depth_ = Depth::kAll;
  }

  // Skips a member in the traversal of the root: it is validated separately.
  void skip(std::string_view name) { (skipped_[0].empty() ? skipped_[0] : skipped_[1]) = name; }

 private:
  // Counts for one object.
  struct Tally {
    std::uint64_t given = 0;  // properties by index, except nulls that count as absent
    std::size_t entries = 0;  // members that are not properties
  };

  void value(const ValuePlace& place) {
    const Schema& schema = place.schema;
    if (depth_ != Depth::kFields && !has_type(schema, place.value)) wrong_type(place);
    if (place.value.is_object() && schema.type == Type::kObject) return object(place);
    if (place.value.is_array() && schema.type == Type::kArray) return list(place);
    if (schema.preserve_unknown || schema.type == Type::kAny) {
      return anything(place.value, place.path);
    }
    nothing_known(place.value, place.path);
  }

  // A member or element. A place, and the path that `path_of` builds, are only created for
  // containers and findings.
  template <typename MakePath>
  void child(const ValuePlace& parent, const Schema& schema, json::Value value,
             std::string_view name, MakePath path_of) {
    if (!value.is_object() && !value.is_array()) {
      if (depth_ == Depth::kFields) return;
      if (!fits(schema, value)) return scalar(ValuePlace{parent, schema, value, path_of(), name});
      if (!schema.validations.empty()) cel_rules({parent, schema, value, path_of(), name});
      return;
    }
    this->value(ValuePlace{parent, schema, value, path_of(), name});
  }

  // Reports a scalar that does not fit.
  void scalar(const ValuePlace& place) {
    if (!has_type(place.schema, place.value)) return wrong_type(place);
    if (depth_ == Depth::kTypes) return bad_timestamp(place);
    const ScalarProblem problem = check_scalar(place.schema, place.value);
    add(place, place.path, [&] { return describe_problem(problem, place.schema, place.value); });
  }

  bool fits(const Schema& schema, json::Value value) const {
    if (value.is(json::Type::kNull) && schema.nullable) return true;
    if (depth_ == Depth::kAll) return check_scalar(schema, value) == ScalarProblem::kNone;
    if (!has_type(schema, value)) return false;
    return schema.format != Format::kDateTime || is_timestamp(value.string_or_empty());
  }

  void object(const ValuePlace& place) {
    Tally tally;
    PropertyCursor cursor{place.schema};
    if (has_unique_names(place.value)) {
      for (const json::Member member : place.value.members()) {
        this->member(place, member, cursor, tally);
      }
    } else {
      for (const std::string_view name : repeated_names(place.value)) {
        duplicate_field(path_of(place, name));
      }
      for (const json::Member& member : members_that_count(place.value)) {
        this->member(place, member, cursor, tally);
      }
    }
    if (depth_ == Depth::kAll) whole_object(place, tally);
  }

  void member(const ValuePlace& place, const json::Member& member, PropertyCursor& cursor,
              Tally& tally) {
    const Property* const property = cursor.find(member.name);
    if (property == nullptr) {
      if (entry(place, member)) ++tally.entries;
      return;
    }
    if (!counts(*property->schema, member.value)) return;
    tally.given |= std::uint64_t{1} << cursor.index_of(property);
    if (is_skipped(place, member.name)) return;
    child(place, *property->schema, member.value, member.name,
          [&] { return place.child_path(member.name); });
  }

  // A member that is not a property; returns whether it counts as a map entry.
  bool entry(const ValuePlace& place, const json::Member& member) {
    const Schema& schema = place.schema;
    if (schema.each != nullptr) {
      if (!counts(*schema.each, member.value)) return false;
      child(place, *schema.each, member.value, member.name,
            [&] { return place.path.key(member.name); });
      return true;
    }
    if (!schema.preserve_unknown) unknown_field(place, member.name);
    anything(member.value, place.unknown_path(member.name));
    return true;
  }

  // Checks of an object as a whole: missing fields, number of entries, CEL rules.
  void whole_object(const ValuePlace& place, const Tally& tally) {
    const Schema& schema = place.schema;
    const std::size_t entries = tally.entries;
    std::uint64_t bit = 1;
    for (const Property& property : schema.properties) {
      const bool missing = property.required && (tally.given & bit) == 0;
      bit <<= 1U;
      if (!missing || !property.schema->default_value.empty()) continue;
      add(place, place.child_path(property.name), [] {
        return ProblemText{kRequired, ids::kRequired, "must be set"};
      });
    }
    if (schema.limits != nullptr && schema.limits->max_properties &&
        entries > *schema.limits->max_properties) {
      add(place, place.path, [&] {
        return ProblemText{kTooMany, ids::kProperties,
                           "must have at most " + std::to_string(*schema.limits->max_properties) +
                               " entries; found " + std::to_string(entries)};
      });
    }
    cel_rules(place);
  }

  void cel_rules(const ValuePlace& place) {
    for (const Validation& validation : place.schema.validations) {
      // Finding the old value is expensive.
      const bool wants_old = old_.exists() && needs_old_value(validation.rule);
      const json::Value before = wants_old ? place.correlated() : json::Value{};
      if (holds(validation.rule, {place.schema, place.value, before})) continue;
      const api::FieldPath spec{"spec"};
      const bool is_identity = validation.rule == CelRule::kIdentityUnchanged;
      add(place, is_identity ? spec.child("identity") : place.path, [&] {
        return ProblemText{kInvalid, id_of(validation.rule), std::string(validation.message)};
      });
    }
  }

  void list(const ValuePlace& place) {
    const Schema& schema = place.schema;
    std::size_t index = 0;
    for (const json::Value element : place.value.elements()) {
      const std::size_t at = index++;
      // Metadata is decoded leniently: null is the empty value there.
      if (depth_ != Depth::kAll && element.is_nothing()) continue;
      child(place, *schema.each, element, {}, [&] { return place.path.index(at); });
    }
    if (depth_ != Depth::kAll) return;
    if (schema.limits != nullptr) item_count(place);
    if (schema.list_type != ListType::kAtomic) repetitions(place);
    cel_rules(place);
  }

  void item_count(const ValuePlace& place) {
    const Limits& limits = *place.schema.limits;
    const std::size_t count = place.value.size();
    const bool too_many = limits.max_items && count > *limits.max_items;
    if (!too_many && (!limits.min_items || count >= *limits.min_items)) return;
    add(place, place.path, [&] {
      const std::string bound = too_many ? "at most " + std::to_string(*limits.max_items)
                                         : "at least " + std::to_string(*limits.min_items);
      return ProblemText{too_many ? kTooMany : kInvalid, ids::kItems,
                         "must have " + bound + " items; found " + std::to_string(count)};
    });
  }

  void repetitions(const ValuePlace& place) {
    for (const Repetition& repetition : find_repetitions(place.schema, place.value)) {
      if (has_old_key_violation(place)) return;
      report(place.path.index(repetition.index), [&] {
        return ProblemText{kDuplicate, ids::kDuplicateItem,
                           "must differ from the other items in its " + key_names(place.schema) +
                               "; [" + std::to_string(repetition.first) + "] has the same"};
      });
    }
  }

  // The API server does not check the keys of lists if the stored object violates them.
  bool has_old_key_violation(const ValuePlace& place) {
    if (!has_old_key_violation_) {
      const ValuePlace* root = &place;
      while (root->parent != nullptr) root = root->parent;
      has_old_key_violation_ = has_key_violation(root->schema, old_);
    }
    return *has_old_key_violation_;
  }

  // A value without a schema: only its names must be unique.
  void anything(json::Value value, const api::FieldPath& path) {
    if (value.is_array()) {
      std::size_t index = 0;
      for (const json::Value element : value.elements()) anything(element, path.index(index++));
    }
    if (!value.is_object()) return;
    if (!has_unique_names(value)) {
      for (const std::string_view name : repeated_names(value)) {
        duplicate_field(any_member(path, name));
      }
    }
    for (const json::Member member : value.members()) {
      if (!member.value.is_object() && !member.value.is_array()) continue;
      anything(member.value, any_member(path, member.name));
    }
  }

  // A list or an object where the schema allows neither. The API server prunes its content and
  // reports that, even if an update leaves the wrong type unchanged.
  void nothing_known(json::Value value, const api::FieldPath& path) {
    if (value.is_array()) {
      std::size_t index = 0;
      for (const json::Value element : value.elements()) {
        nothing_known(element, path.index(index++));
      }
    }
    for (const json::Member member : value.members()) {
      report(any_member(path, member.name), [] {
        return ProblemText{kInvalid, ids::kUnknownField,
                           "must be a field that the API knows; remove it"};
      });
    }
  }

  // Names outside the schema are arbitrary: a dot in one must not look like two steps.
  static api::FieldPath any_member(const api::FieldPath& path, std::string_view name) {
    const bool is_plain = name.find_first_of(".[]") == std::string_view::npos;
    return is_plain ? path.child(name) : path.key(name);
  }

  static api::FieldPath path_of(const ValuePlace& place, std::string_view name) {
    if (find_property(place.schema, name) != nullptr) return place.child_path(name);
    return place.schema.each != nullptr ? place.path.key(name) : place.unknown_path(name);
  }

  void duplicate_field(const api::FieldPath& path) {
    const auto text = [] {
      return ProblemText{kDuplicate, ids::kDuplicateField,
                         "must occur once; found it again, and the last one would count"};
    };
    if (!field_validation_.duplicates_deny) return warn(path, text);
    report(path, text);
  }

  void unknown_field(const ValuePlace& place, std::string_view name) {
    const api::FieldPath path = place.unknown_path(name);
    const auto text = [&] {
      return ProblemText{kInvalid, ids::kUnknownField,
                         unknown_text() + lookalike_advice(name) + advice(place, name)};
    };
    if (field_validation_.unknown != UnknownFields::kDeny) return warn(path, text);
    report(path, text);
  }

  std::string unknown_text() const {
    switch (field_validation_.unknown) {
      case UnknownFields::kDeny:
        break;
      case UnknownFields::kWarn:
        return "is dropped; must be a field that the API knows";
      case UnknownFields::kNewer:
        return "is not validated; only a later API may know the field, and if yours does not it "
               "is dropped";
    }
    return "must be a field that the API knows";
  }

  // "; the name contains U+200B ZERO WIDTH SPACE": without that character it may be a known name.
  static std::string lookalike_advice(std::string_view name) {
    const std::string note = text::suspect_note(name);
    return note.empty() ? note : "; the name " + note;
  }

  // "; did you mean "replicas"?"
  std::string advice(const ValuePlace& place, std::string_view name) const {
    const std::string in_other_version = other_version_advice(place, name);
    const std::string_view near = nearest_property(place.schema, name);
    if (!near.empty()) {
      return did_you_mean(near) + (in_other_version.empty() ? "" : " " + in_other_version);
    }
    if (!in_other_version.empty()) return "; " + in_other_version;
    const KnownPlace elsewhere = find_elsewhere(place, name);
    if (!elsewhere.below.empty()) return did_you_mean(elsewhere.below);
    if (elsewhere.around != nullptr) {
      const auto& around = static_cast<const ValuePlace&>(*elsewhere.around);
      return did_you_mean(around.child_path(name).render());
    }
    return "; remove it";
  }

  // "v1alpha1 has this field: ...", or empty.
  std::string other_version_advice(const ValuePlace& place, std::string_view name) const {
    const bool is_known =
        resource_ != nullptr && field_validation_.unknown != UnknownFields::kNewer;
    return is_known ? advise_other_schema(*resource_, place, name) : std::string();
  }

  void wrong_type(const ValuePlace& place) {
    const auto text = [&] {
      return describe_problem(ScalarProblem::kType, place.schema, place.value);
    };
    if (depth_ == Depth::kTypes) return report(place.path, text);
    add(place, place.path, text);
  }

  void bad_timestamp(const ValuePlace& place) {
    report(place.path,
           [&] { return describe_problem(ScalarProblem::kFormat, place.schema, place.value); });
  }

  // Whether the API server considers a member as present.
  static bool counts(const Schema& schema, json::Value value) {
    return !value.is(json::Type::kNull) || schema.nullable;
  }

  bool is_skipped(const ValuePlace& place, std::string_view name) const {
    return place.parent == nullptr && (name == skipped_[0] || name == skipped_[1]);
  }

  // Adds a finding of the schema, unless an update left everything it covers unchanged.
  template <typename Text>
  void add(const ValuePlace& place, const api::FieldPath& path, Text text) {
    if (old_.exists() && place.is_unchanged()) return;
    report(path, text);
  }

  template <typename Text>
  void report(const api::FieldPath& path, Text text) {
    if (findings_.are_errors_full()) return findings_.omit_error();
    ProblemText found = text();
    findings_.add({found.type, path.render(), std::move(found.detail), found.id});
  }

  template <typename Text>
  void warn(const api::FieldPath& path, Text text) {
    if (findings_.are_warnings_full()) return findings_.omit_warning();
    ProblemText found = text();
    findings_.warn({path.render(), std::move(found.detail), found.id});
  }

  const Resource* const resource_;
  const json::Value old_;
  api::ErrorList& findings_;
  const FieldValidation field_validation_;
  Depth depth_ = Depth::kAll;
  std::string_view skipped_[2];
  std::optional<bool> has_old_key_violation_;
};

// Checks apiVersion or kind.
void type_member(json::Value object, std::string_view name, std::string_view wanted,
                 std::string_view id, api::ErrorList& findings) {
  const json::Value value = object[name];
  if (value.string() == wanted) return;
  if (value.is_nothing()) {
    findings.add({kRequired, std::string(name), "must be " + std::string(wanted), id});
  } else if (const auto text = value.string()) {
    findings.add({kInvalid, std::string(name),
                  "must be " + std::string(wanted) + "; found " + quoted(*text), id});
  } else {
    findings.add(
        {kTypeInvalid, std::string(name),
         "must be " + std::string(wanted) + "; found " + std::string(json::type_name(value.type())),
         ids::kType});
  }
}

}  // namespace

void validate(const Resource& resource, json::Value object, json::Value old,
              api::ErrorList& findings, FieldValidation field_validation) {
  SchemaValidator validator{&resource, old, findings, field_validation};
  if (!object.is_object()) return validator.root(*resource.schema, object);
  type_member(object, "apiVersion", resource.api_version, ids::kApiVersion, findings);
  type_member(object, "kind", resource.kind, ids::kKind, findings);
  const json::Value metadata = object["metadata"];
  validator.root_member(*resource.schema, metadata, "metadata", Depth::kTypes);
  validate_metadata(metadata, old.exists(), findings);
  validator.skip("metadata");
  if (resource.has_status) {
    validator.root_member(*resource.schema, object["status"], "status", Depth::kFields);
    validator.skip("status");
  }
  validator.root(*resource.schema, object);
}

void validate_value(const Schema& root, json::Value value, json::Value old,
                    api::ErrorList& findings) {
  if (value.exists()) SchemaValidator{nullptr, old, findings, {}}.root(root, value);
}

}  // namespace dynamo::schema
