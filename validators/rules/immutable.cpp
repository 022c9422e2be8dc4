#include "validators/rules/immutable.hpp"

#include <string>

namespace dynamo::validators {

namespace {

std::string quoted_or(std::string_view text, std::string_view otherwise) {
  return text.empty() ? std::string(otherwise) : quoted(text);
}

}  // namespace

void require_unchanged(std::string_view before, std::string_view now, const api::FieldPath& path,
                       Report& report, api::ErrorType type) {
  if (before == now) return;
  report.add(type, path,
             "must not change after creation; was " + quoted_or(before, "not set") + ", found " +
                 quoted_or(now, "nothing") + "; delete the object and create it again");
  report.also_warn(path, "is immutable; to change it, delete the object and create it again");
}

}  // namespace dynamo::validators
