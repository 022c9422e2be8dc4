#include "admission/repeated_findings.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "schema/catalog.hpp"
#include "schema/check_ids.hpp"

namespace dynamo::admission {
namespace {

// Where a rule reports the mistake that a check of the schema has found.
enum class Place : unsigned char {
  kBelow,  // below the field of the schema's error
  kAbove,
  kAnywhere,
};

struct Repetition {
  std::string_view check;
  std::string_view rule;
  Place place;
  std::string_view field = {};  // of the schema's error; "": any
};

constexpr Repetition kRepetitions[] = {
    {schema::ids::kComponentNames, "dgd.services.name-collision", Place::kBelow},
    {schema::ids::kContainerImage, "pod.image", Place::kBelow},
    {schema::ids::kInitContainerImage, "pod.image", Place::kBelow},
    {schema::ids::kSharedMemorySize, "storage.shm.size", Place::kBelow},
    // A pod without containers.
    {schema::ids::kRequired, "pod.image", Place::kAbove},
    // Two components without a name cannot be converted.
    {schema::ids::kType, "type.mismatch", Place::kAbove},
    {schema::ids::kDuplicateItem, "type.mismatch", Place::kAbove},
    {schema::ids::kEnum, "dgd.backend.mismatch", Place::kAnywhere, "spec.backendFramework"},
};

bool is_below(std::string_view field, std::string_view above) {
  if (!field.starts_with(above) || field.size() == above.size()) return false;
  return field[above.size()] == '.' || field[above.size()] == '[';
}

bool is_of_schema(const api::Error& error) {
  return schema::find_check(error.rule) != nullptr;
}

// Whether the check is about the value of one field: CEL rules are about several.
bool is_about_value(std::string_view check) {
  using namespace schema::ids;
  constexpr std::string_view kChecks[] = {kEnum,    kFormat,  kLength, kMaximum,
                                          kMinimum, kPattern, kType};
  return std::ranges::find(kChecks, check) != std::end(kChecks);
}

bool is_at(Place place, std::string_view field, std::string_view of_schema) {
  switch (place) {
    case Place::kBelow:
      return is_below(field, of_schema);
    case Place::kAbove:
      return is_below(of_schema, field);
    case Place::kAnywhere:
      break;
  }
  return true;
}

}  // namespace

bool is_explained(const api::Error& error, const api::Error& of_schema) {
  if (!is_of_schema(of_schema)) return false;
  if (of_schema.field == error.field) return true;
  if (of_schema.rule == schema::ids::kRequired && is_below(error.field, of_schema.field)) {
    return true;
  }
  return std::ranges::any_of(kRepetitions, [&](const Repetition& each) {
    return each.check == of_schema.rule && each.rule == error.rule &&
           (each.field.empty() || each.field == of_schema.field) &&
           is_at(each.place, error.field, of_schema.field);
  });
}

bool is_explained(const api::Warning& warning, const api::Error& known) {
  if (known.field == warning.field) {
    return known.rule == warning.rule || (is_of_schema(known) && is_about_value(known.rule));
  }
  const bool covers_fields_below =
      known.rule == schema::ids::kType || known.rule == schema::ids::kRequired;
  return covers_fields_below && is_below(warning.field, known.field);
}

void drop_explained_cel_errors(api::ErrorList& findings) {
  // A number below its minimum is not compared with the other one as well.
  const auto has_bad_number = [&](const api::Error& cel) {
    return std::ranges::any_of(findings.errors(), [&](const api::Error& other) {
      return other.rule == schema::ids::kMinimum &&
             (other.field == cel.field + ".replicas" || other.field == cel.field + ".minAvailable");
    });
  };
  // drop_errors_from() moves errors while it asks, so it cannot search them.
  std::vector<std::string> explained;
  for (const api::Error& error : findings.errors()) {
    if (error.rule == schema::ids::kMinAvailable && has_bad_number(error)) {
      explained.push_back(error.field);
    }
  }
  findings.drop_errors_from(0, [&](const api::Error& error) {
    return error.rule == schema::ids::kMinAvailable &&
           std::ranges::find(explained, error.field) != explained.end();
  });
}

}  // namespace dynamo::admission
