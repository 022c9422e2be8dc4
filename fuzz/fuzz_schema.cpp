// For any object, every resource's schema validates it the same way twice, completes it to an
// object with known fields only, and reports nothing new for unchanged parts of an update. The
// input is an object, or an object with the members "object" and "old".
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/error_list.hpp"
#include "fuzz/check.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "schema/check_ids.hpp"
#include "schema/complete.hpp"
#include "schema/properties.hpp"
#include "schema/validate.hpp"

namespace api = dynamo::api;
namespace fuzz = dynamo::fuzz;
namespace ids = dynamo::schema::ids;
namespace json = dynamo::json;
namespace schema = dynamo::schema;

namespace {

bool same(const api::Error& one, const api::Error& other) {
  return one.type == other.type && one.field == other.field && one.detail == other.detail &&
         one.rule == other.rule;
}

api::ErrorList validate_object(const schema::Resource& resource, json::Value object,
                               json::Value old) {
  api::ErrorList findings;
  schema::validate(resource, object, old, findings);
  api::ErrorList again;
  schema::validate(resource, object, old, again);
  fuzz::require(std::ranges::equal(findings.errors(), again.errors(), same) &&
                    findings.omitted_errors() == again.omitted_errors(),
                "a second validation must agree");
  return findings;
}

bool is_about_names(const api::Error& error) {
  return error.rule == ids::kUnknownField || error.rule == ids::kDuplicateField;
}

// Checks that the API server makes on every update: metadata, apiVersion, kind, field names, and
// the presence of a spec.
bool is_never_ratcheted(const api::Error& error) {
  return is_about_names(error) || error.field.starts_with("metadata") ||
         error.field == "apiVersion" || error.field == "kind" ||
         (error.rule == ids::kRequired && error.field == "spec");
}

// Whether the field is an item or a direct member of one, which may be its key.
bool is_item_or_member(std::string_view field) {
  const std::size_t bracket = field.rfind(']');
  return bracket != std::string_view::npos &&
         field.substr(bracket + 1).find('.', 1) == std::string_view::npos;
}

// Whether the value has a preserved field that no schema describes.
bool completed_keeps_unknown_fields(const schema::Schema& schema, json::Value value) {
  for (const json::Member member : value.members()) {
    const schema::Property* const property = schema::find_property(schema, member.name);
    const schema::Schema* const known = property != nullptr ? property->schema : schema.each;
    if (known == nullptr || completed_keeps_unknown_fields(*known, member.value)) return true;
  }
  for (const json::Value element : value.elements()) {
    if (schema.each != nullptr && completed_keeps_unknown_fields(*schema.each, element)) {
      return true;
    }
  }
  return false;
}

void check(const schema::Resource& resource, json::Value object, json::Value old) {
  validate_object(resource, object, old);
  json::Document completed;
  schema::complete(resource, object, {}, completed);
  if (!object.is_object()) return fuzz::require(completed.empty(), "only objects are completed");
  fuzz::check_tape(completed.root());

  json::Document twice;
  schema::complete(resource, completed.root(), {}, twice);
  fuzz::require(json::to_text(completed.root()) == json::to_text(twice.root()),
                "to complete again changes nothing");

  const api::ErrorList of_completed = validate_object(resource, completed.root(), {});
  fuzz::require(std::ranges::none_of(of_completed.errors(), is_about_names),
                "every field of a completed object is known and unique");

  // Not ratcheted either: an item of a keyed list that lacks a key, repeats one, has one of a wrong
  // type, or is no object; and values with fields that no schema describes.
  if (completed_keeps_unknown_fields(*resource.schema, completed.root()) ||
      std::ranges::any_of(of_completed.errors(), [](const api::Error& error) {
        return error.rule == ids::kRequired || error.rule == ids::kDuplicateItem ||
               (error.rule == ids::kType && is_item_or_member(error.field));
      })) {
    return;
  }
  const api::ErrorList of_no_change = validate_object(resource, completed.root(), completed.root());
  fuzz::require(std::ranges::all_of(of_no_change.errors(), is_never_ratcheted),
                "an update that changes nothing breaks no schema");
  const api::ErrorList of_raw = validate_object(resource, object, completed.root());
  fuzz::require(std::ranges::all_of(of_raw.errors(), is_never_ratcheted),
                "what is completed is not changed");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kLargest = std::size_t{64} << 10U;
  if (size > kLargest) return 0;
  const auto parsed = json::parse_copy(fuzz::as_text(data, size), {.max_depth = 64});
  if (parsed->error) return 0;
  const json::Value wrapped = parsed->root()["object"];
  const json::Value object = wrapped.exists() ? wrapped : parsed->root();
  const json::Value old = wrapped.exists() ? parsed->root()["old"] : json::Value{};
  for (const schema::Resource& resource : schema::all_resources()) check(resource, object, old);
  return 0;
}
