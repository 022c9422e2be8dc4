// Every field of every kind with every wrong JSON type.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "json/writer.hpp"
#include "tests/support/findings.hpp"
#include "tests/support/objects.hpp"
#include "tests/validators/field_forms.hpp"

namespace dynamo::test {
namespace {

struct Sample {
  json::Type type;
  std::string_view text;
};
constexpr std::array kSamples{
    Sample{json::Type::kNull, "null"},    Sample{json::Type::kBoolean, "true"},
    Sample{json::Type::kInteger, "7"},    Sample{json::Type::kNumber, "1.5"},
    Sample{json::Type::kString, "\"7\""}, Sample{json::Type::kArray, "[]"},
    Sample{json::Type::kObject, "{}"},
};

bool accepts(Form form, json::Type type) {
  switch (form) {
    case Form::kString:
      return type == json::Type::kString;
    case Form::kBoolean:
      return type == json::Type::kBoolean;
    case Form::kInt32:
    case Form::kInt64:
      return type == json::Type::kInteger;
    case Form::kNumber:
      return type == json::Type::kInteger || type == json::Type::kNumber;
    case Form::kQuantity:
      return type == json::Type::kInteger || type == json::Type::kNumber ||
             type == json::Type::kString;
    case Form::kObject:
      return type == json::Type::kObject;
    case Form::kList:
      return type == json::Type::kArray;
  }
  return false;
}

// One step of a path: a member's name, or an index (always 0).
struct Step {
  std::string name;
  bool index = false;
  bool operator==(const Step&) const = default;
};

std::vector<Step> steps_of(std::string_view path) {
  std::vector<Step> steps;
  while (!path.empty()) {
    if (path.front() == '[') {
      const std::string_view key = path.substr(1, path.find(']') - 1);
      steps.push_back({std::string(key), key == "0"});
      path.remove_prefix(key.size() + 2);
    } else {
      if (path.front() == '.') path.remove_prefix(1);
      const std::string_view name = path.substr(0, path.find_first_of(".["));
      steps.push_back({std::string(name), false});
      path.remove_prefix(name.size());
    }
  }
  return steps;
}

// An object with `value` at the path, and next to it a label of a wrong type.
std::string object_with(const std::string& path, std::string_view value) {
  const std::vector<Step> steps = steps_of(path);
  std::string text;
  json::Writer writer{text};
  writer.start_object();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].index) {
      writer.start_array();
    } else {
      if (i > 0) writer.start_object();
      writer.key(steps[i].name);
    }
  }
  writer.raw(value);
  for (std::size_t i = steps.size(); i-- > 1;) {
    if (steps[i].index) {
      writer.end_array();
    } else {
      writer.end_object();
    }
  }
  writer.key("status").start_object().end_object();
  if (!path.starts_with("metadata")) {
    writer.key("metadata").raw(R"({"labels":{"sibling":7}})");
  } else {
    writer.key("spec").raw(R"([])");
  }
  writer.end_object();
  return text;
}

const Finding& sibling_of(const std::string& path) {
  static const Finding label{api::ErrorType::kTypeInvalid, "metadata.labels[sibling]",
                             "type.mismatch"};
  static const Finding spec{api::ErrorType::kTypeInvalid, "spec", "type.mismatch"};
  return path.starts_with("metadata") ? spec : label;
}

class WrongTypesTest : public testing::TestWithParam<api::KindNames> {};

TEST_P(WrongTypesTest, WrongTypeGetsExactlyOneError) {
  std::size_t fields = 0;
  for (const KindField& field : all_fields()) {
    if (field.kind != GetParam().kind) continue;
    ++fields;
    for (const Sample& sample : kSamples) {
      // null counts as absent in a field, and is an error as an entry of a list or map.
      const bool entry = field.path.ends_with(']');
      if (sample.type == json::Type::kNull && !entry) continue;
      if (accepts(field.form, sample.type)) continue;
      SCOPED_TRACE(field.path + ": " + std::string(sample.text));
      const json::Document object = from_yaml(object_with(field.path, sample.text));

      const std::vector<Finding> errors =
          errors_of(evaluate_rules({.kind = field.kind}, object.root()));

      const Finding wanted{api::ErrorType::kTypeInvalid, field.path, "type.mismatch"};
      const auto of_types = [](const Finding& error) { return error.rule == "type.mismatch"; };
      EXPECT_EQ(std::ranges::count_if(errors, of_types), 2);
      EXPECT_EQ(std::ranges::count(errors, wanted), 1);
      EXPECT_EQ(std::ranges::count(errors, sibling_of(field.path)), 1);
      EXPECT_TRUE(std::ranges::none_of(errors, [&](const Finding& error) {
        return !of_types(error) && error.field.starts_with(field.path);
      }));
    }
  }
  EXPECT_GE(fields, 15U);  // metadata alone has 13
}

TEST_P(WrongTypesTest, RightTypeGetsNoError) {
  for (const KindField& field : all_fields()) {
    if (field.kind != GetParam().kind) continue;
    for (const Sample& sample : kSamples) {
      const bool absent = sample.type == json::Type::kNull && !field.path.ends_with(']');
      if (!absent && !accepts(field.form, sample.type)) continue;
      SCOPED_TRACE(field.path + ": " + std::string(sample.text));
      const json::Document object = from_yaml(object_with(field.path, sample.text));

      std::vector<Finding> errors = errors_of(evaluate_rules({.kind = field.kind}, object.root()));

      std::erase_if(errors, [](const Finding& error) { return error.rule != "type.mismatch"; });
      EXPECT_EQ(errors, std::vector{sibling_of(field.path)});
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Of, WrongTypesTest, testing::ValuesIn(api::kKinds),
                         [](const auto& test) { return std::string(test.param.singular); });

// Values that overflow 32-bit integers are refused; those of 64-bit integers are not.
TEST(IntegerFields, OverflowOf32BitsIsRefused) {
  for (const KindField& field : all_fields()) {
    if (field.form != Form::kInt32 && field.form != Form::kInt64) continue;
    for (const std::string_view value : {"2147483648", "-2147483649"}) {
      SCOPED_TRACE(field.path + ": " + std::string(value));
      const json::Document object = from_yaml(object_with(field.path, value));
      const std::vector<Finding> errors =
          errors_of(evaluate_rules({.kind = field.kind}, object.root()));
      const Finding too_wide{api::ErrorType::kInvalid, field.path, "type.mismatch"};
      EXPECT_EQ(std::ranges::count(errors, too_wide), field.form == Form::kInt32 ? 1 : 0);
    }
  }
}

}  // namespace
}  // namespace dynamo::test
