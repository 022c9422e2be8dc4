#include "api/error_list.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace dynamo::api {
namespace {

Error error(std::string field, std::string_view rule = "a.rule",
            ErrorType type = ErrorType::kInvalid, std::string detail = "must hold") {
  return {type, std::move(field), std::move(detail), rule};
}

Warning warning(std::string field) {
  return {std::move(field), "is ignored", "a.rule"};
}

TEST(ErrorText, UsesCauseNamesOfKubernetes) {
  EXPECT_EQ(cause_reason(ErrorType::kRequired), "FieldValueRequired");
  EXPECT_EQ(cause_reason(ErrorType::kInvalid), "FieldValueInvalid");
  EXPECT_EQ(cause_reason(ErrorType::kNotSupported), "FieldValueNotSupported");
  EXPECT_EQ(cause_reason(ErrorType::kForbidden), "FieldValueForbidden");
  EXPECT_EQ(cause_reason(ErrorType::kDuplicate), "FieldValueDuplicate");
  EXPECT_EQ(cause_reason(ErrorType::kNotFound), "FieldValueNotFound");
  EXPECT_EQ(cause_reason(ErrorType::kTypeInvalid), "FieldValueTypeInvalid");
  EXPECT_EQ(cause_reason(ErrorType::kTooLong), "FieldValueTooLong");
  EXPECT_EQ(cause_reason(ErrorType::kTooMany), "FieldValueTooMany");
}

TEST(ErrorText, ContainsTypeDetailAndRule) {
  EXPECT_EQ(error("f", "r.id", ErrorType::kRequired).message(), "Required value: must hold [r.id]");
  EXPECT_EQ(error("f", "r.id", ErrorType::kInvalid).message(), "Invalid value: must hold [r.id]");
  EXPECT_EQ(error("f", "r.id", ErrorType::kNotSupported).message(),
            "Unsupported value: must hold [r.id]");
  EXPECT_EQ(error("f", "r.id", ErrorType::kForbidden).message(), "Forbidden: must hold [r.id]");
  EXPECT_EQ(error("f", "r.id", ErrorType::kDuplicate).message(),
            "Duplicate value: must hold [r.id]");
  EXPECT_EQ(error("f", "r.id", ErrorType::kNotFound).message(), "Not found: must hold [r.id]");
  EXPECT_EQ(error("f", "r.id", ErrorType::kTypeInvalid).message(),
            "Invalid value: must hold [r.id]");
  EXPECT_EQ(error("f", "r.id", ErrorType::kTooLong).message(), "Too long: must hold [r.id]");
  EXPECT_EQ(error("f", "r.id", ErrorType::kTooMany).message(), "Too many: must hold [r.id]");
}

TEST(WarningText, ContainsTheField) {
  EXPECT_EQ(warning("spec.a").message(), "spec.a: is ignored [a.rule]");
}

TEST(ErrorList, KeepsInsertionOrder) {
  ErrorList list;
  EXPECT_TRUE(list.empty());
  list.add(error("b"));
  list.add(error("a"));
  list.warn(warning("c"));
  ASSERT_EQ(list.errors().size(), 2U);
  EXPECT_EQ(list.errors()[0].field, "b");
  EXPECT_EQ(list.errors()[1].field, "a");
  EXPECT_EQ(list.warnings().size(), 1U);
  EXPECT_TRUE(list.has_errors());
}

TEST(ErrorList, WithOnlyWarningsHasNoErrors) {
  ErrorList list;
  list.warn(warning("c"));
  EXPECT_FALSE(list.has_errors());
  EXPECT_FALSE(list.empty());
}

TEST(ErrorList, DropsErrorsBelowATypeError) {
  ErrorList list;
  list.add(error("spec.a", "type.mismatch", ErrorType::kTypeInvalid));
  list.add(error("spec.a"));
  list.add(error("spec.a.b"));
  list.add(error("spec.a[0].b"));
  EXPECT_EQ(list.errors().size(), 1U);
}

TEST(ErrorList, KeepsErrorsOfFieldsWithTheSamePrefix) {
  ErrorList list;
  list.add(error("spec.a", "type.mismatch", ErrorType::kTypeInvalid));
  list.add(error("spec.ab"));
  list.add(error("spec"));
  list.add(error("spec.a-b"));
  EXPECT_EQ(list.errors().size(), 4U);
}

TEST(ErrorList, KeepsErrorsBelowAnotherKindOfError) {
  ErrorList list;
  list.add(error("spec.a"));
  list.add(error("spec.a.b"));
  list.add(error("spec.a", "another.rule"));
  list.add(error("spec.a", "a.rule", ErrorType::kInvalid, "must hold otherwise"));
  EXPECT_EQ(list.errors().size(), 4U);
}

TEST(ErrorList, DropsAnExactRepetition) {
  ErrorList list;
  list.add(error("spec.a"));
  list.add(error("spec.a"));
  list.warn(warning("spec.a"));
  list.warn(warning("spec.a"));
  EXPECT_EQ(list.errors().size(), 1U);
  EXPECT_EQ(list.warnings().size(), 1U);
  EXPECT_EQ(list.omitted_errors(), 0U);
}

TEST(ErrorList, CountsFindingsAboveItsLimits) {
  ErrorList list;
  for (std::size_t i = 0; i < kMaxErrors; ++i) list.add(error("e" + std::to_string(i)));
  for (std::size_t i = 0; i < kMaxWarnings; ++i) list.warn(warning("w" + std::to_string(i)));
  EXPECT_EQ(list.errors().size(), kMaxErrors);
  EXPECT_EQ(list.omitted_errors(), 0U);
  EXPECT_EQ(list.omitted_warnings(), 0U);
  list.add(error("one more"));
  list.warn(warning("one more"));
  list.warn(warning("and another"));
  EXPECT_EQ(list.errors().size(), kMaxErrors);
  EXPECT_EQ(list.warnings().size(), kMaxWarnings);
  EXPECT_EQ(list.omitted_errors(), 1U);
  EXPECT_EQ(list.omitted_warnings(), 2U);
}

TEST(ErrorList, LimitsTextToTheResponseSize) {
  const std::string detail(1000, 'd');
  ErrorList list;
  for (int i = 0; i < 50; ++i) {
    list.add(error("e" + std::to_string(i), "a.rule", ErrorType::kInvalid, detail));
    list.warn({"w" + std::to_string(i), detail, "a.rule"});
  }
  EXPECT_TRUE(list.are_errors_full());
  EXPECT_TRUE(list.are_warnings_full());
  EXPECT_EQ(list.errors().size(), 18U);
  EXPECT_EQ(list.warnings().size(), 24U);
  EXPECT_EQ(list.omitted_errors(), 32U);
  EXPECT_EQ(list.omitted_warnings(), 26U);
  list.add(error("short"));
  EXPECT_EQ(list.omitted_errors(), 33U) << "those that are noted are the first";
  list.drop_errors_from(1, [](const Error&) { return true; });
  EXPECT_FALSE(list.are_errors_full()) << "there is room again";
}

TEST(ErrorList, MeasuresTextAsEscapedJson) {
  ErrorList list;
  for (const char* const field : {"a", "b"}) {
    list.add(error(field, "a.rule", ErrorType::kInvalid, std::string(8000, '"')));
  }
  EXPECT_EQ(list.errors().size(), 1U) << "a quotation mark takes two bytes";
}

TEST(ErrorList, AlwaysKeepsTheFirstError) {
  ErrorList list;
  list.add(error("a", "a.rule", ErrorType::kInvalid, std::string(2 * kMaxErrorBytes, 'd')));
  EXPECT_TRUE(list.has_errors());
}

TEST(ErrorList, ReturnsToAMark) {
  ErrorList list;
  list.add(error("a"));
  const ErrorList::Mark mark = list.mark();
  for (std::size_t i = 0; i < 2 * kMaxErrors; ++i) list.add(error("e" + std::to_string(i)));
  list.warn(warning("w"));
  EXPECT_FALSE(list.mark() == mark);
  list.return_to(mark);
  EXPECT_TRUE(list.mark() == mark);
  EXPECT_EQ(list.errors().size(), 1U);
  EXPECT_TRUE(list.warnings().empty());
  EXPECT_FALSE(list.are_errors_full());
}

TEST(ErrorList, IsEmptyAfterClear) {
  ErrorList list;
  for (std::size_t i = 0; i <= kMaxErrors; ++i) list.add(error("e" + std::to_string(i)));
  for (std::size_t i = 0; i <= kMaxWarnings; ++i) list.warn(warning("w" + std::to_string(i)));
  list.clear();
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.omitted_errors(), 0U);
  EXPECT_EQ(list.omitted_warnings(), 0U);
}

TEST(PathOrder, SortsNamesNumbersAndBlocksBeforeFields) {
  const std::vector<std::string> ordered{"metadata.annotations[b.c/d]",
                                         "metadata.name",
                                         "spec",
                                         "spec.a[0]",
                                         "spec.a[0].b",
                                         "spec.a[1]",
                                         "spec.a[9]",
                                         "spec.a[10]",
                                         "spec.a[010]",
                                         "spec.a[100].b",
                                         "spec.a[-1]",
                                         "spec.a[1a]",
                                         "spec.a[A]",
                                         "spec.a[]",
                                         "spec.a[a.b]",
                                         "spec.a[a.b].c",
                                         "spec.ab",
                                         "spec.b",
                                         "spec2"};
  // Every pair in both orders: an inconsistent order would be undefined behaviour in a sort.
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    for (std::size_t j = 0; j < ordered.size(); ++j) {
      EXPECT_EQ(comes_before(ordered[i], ordered[j]), i < j) << ordered[i] << " and " << ordered[j];
    }
  }
}

TEST(ErrorList, SortIsStableWithinOneField) {
  ErrorList list;
  list.add(error("spec.a[10]", "third"));
  list.add(error("spec.a[9]", "first"));
  list.add(error("spec.a[9]", "another"));
  list.warn(warning("b"));
  list.warn(warning("a"));
  list.sort_by_field();
  ASSERT_EQ(list.errors().size(), 3U);
  EXPECT_EQ(list.errors()[0].rule, "first");
  EXPECT_EQ(list.errors()[1].rule, "another");
  EXPECT_EQ(list.errors()[2].rule, "third");
  EXPECT_EQ(list.warnings()[0].field, "a");
}

TEST(ErrorList, DropsChosenErrorsFromAnIndexOn) {
  ErrorList list;
  for (const char* const field : {"a", "b", "a2", "b2"}) list.add(error(field));
  list.drop_errors_from(1, [](const Error& known) { return known.field.starts_with('a'); });
  ASSERT_EQ(list.errors().size(), 3U);
  EXPECT_EQ(list.errors()[0].field, "a");
  EXPECT_EQ(list.errors()[1].field, "b");
  EXPECT_EQ(list.errors()[2].field, "b2");
}

}  // namespace
}  // namespace dynamo::api
