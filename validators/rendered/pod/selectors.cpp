#include "validators/rendered/pod/selectors.hpp"

#include <algorithm>

#include "text/names.hpp"
#include "validators/rendered/pod/visit.hpp"
#include "validators/rendered/pod/vocabulary.hpp"

namespace dynamo::validators::pod {
namespace {

using api::ErrorType;
using api::FieldPath;

constexpr std::string_view kKeyForm =
    "must be at most 63 letters, digits, '-', '_' and '.', after an optional domain and '/'";
constexpr std::string_view kValueForm =
    "must be at most 63 letters, digits, '-', '_' and '.', beginning and ending with a letter or "
    "digit";

bool takes_values(std::string_view op) {
  return op == "In" || op == "NotIn";
}
bool tests(std::string_view op) {
  return op == "Exists" || op == "DoesNotExist";
}

void check_key(json::Value requirement, const FieldPath& path, Report& report) {
  const std::string_view key = requirement["key"].string_or_empty();
  if (text::is_qualified_name(key)) return;
  report.add(ErrorType::kInvalid, path.child("key"), [&] { return found(kKeyForm, key); });
}

void check_values_of(json::Value requirement, const FieldPath& path, Report& report) {
  const FieldPath values = path.child("values");
  std::size_t index = 0;
  for (const json::Value value : requirement["values"].elements()) {
    const std::string_view text = value.string_or_empty();
    if (!text::is_label_value(text)) {
      report.add(ErrorType::kInvalid, values.index(index), [&] { return found(kValueForm, text); });
    }
    ++index;
  }
}

// Checks the number of values against the operator. Unknown operators are not checked.
void check_operator(json::Value requirement, std::span<const std::string_view> operators,
                    const FieldPath& path, Report& report) {
  const json::Value given = requirement["operator"];
  const std::string_view op = given.string_or_empty();
  const std::size_t values = list_size(requirement["values"]);
  const auto which = [&] { return about({requirement["key"].string_or_empty(), op}); };
  if (op.empty()) {
    report.add(ErrorType::kRequired, path.child("operator"), "must be set, such as \"In\"");
  } else if (std::ranges::find(operators, op) == operators.end()) {
    check_spelling(given, operators, path.child("operator"), report);
  } else if (takes_values(op) && values == 0) {
    report.add(
        ErrorType::kRequired, path.child("values"),
        [&] { return found("must hold a value for the operator", op, "add one"); }, which);
  } else if (tests(op) && values > 0) {
    report.add(
        ErrorType::kForbidden, path.child("values"),
        [&] {
          return found("must not be set for the operator", op, "remove the values, or use \"In\"");
        },
        which);
  } else if (!takes_values(op) && !tests(op) && values != 1) {
    report.add(
        ErrorType::kRequired, path.child("values"),
        [&] { return found("must hold one value for the operator", op); }, which);
  }
}

}  // namespace

void check_label_map(json::Value labels, const FieldPath& path, Report& report) {
  for (const json::Member& label : labels.members()) {
    const std::string_view key = label.name;
    if (!text::is_qualified_name(key)) {
      report.add(ErrorType::kInvalid, path.key(key), [&] { return found(kKeyForm, key); });
    }
    const std::string_view text = label.value.string_or_empty();
    if (!text::is_label_value(text)) {
      report.add(ErrorType::kInvalid, path.key(key), [&] { return found(kValueForm, text); });
    }
  }
}

void check_label_selector(json::Value selector, const FieldPath& path, Report& report) {
  if (!selector.is_object()) return;
  check_label_map(selector["matchLabels"], path.child("matchLabels"), report);
  const FieldPath expressions = path.child("matchExpressions");
  std::size_t index = 0;
  for (const json::Value requirement : selector["matchExpressions"].elements()) {
    const FieldPath at = expressions.index(index++);
    check_operator(requirement, kLabelOperators.words, at, report);
    check_key(requirement, at, report);
    check_values_of(requirement, at, report);
  }
}

void check_node_term(json::Value term, bool check_values, const FieldPath& path, Report& report) {
  const FieldPath expressions = path.child("matchExpressions");
  std::size_t index = 0;
  for (const json::Value requirement : term["matchExpressions"].elements()) {
    const FieldPath at = expressions.index(index++);
    check_operator(requirement, kNodeOperators.words, at, report);
    check_key(requirement, at, report);
    if (check_values) check_values_of(requirement, at, report);
  }
  const FieldPath fields = path.child("matchFields");
  index = 0;
  for (const json::Value requirement : term["matchFields"].elements()) {
    const FieldPath at = fields.index(index++);
    const std::string_view op = requirement["operator"].string_or_empty();
    const std::string_view key = requirement["key"].string_or_empty();
    if (std::ranges::find(kNodeFieldOperators.words, op) == kNodeFieldOperators.words.end() ||
        list_size(requirement["values"]) != 1) {
      report.add(
          ErrorType::kInvalid, at,
          [&] { return found("must have the operator In or NotIn and one value", op); },
          [&] {
            return about({key, op});
          });
    }
    const std::string_view known = kNodeFields.words.front();
    if (key != known) {
      report.add(ErrorType::kInvalid, at.child("key"),
                 [&] { return found("must be " + quoted(known), key); });
    }
  }
}

}  // namespace dynamo::validators::pod
