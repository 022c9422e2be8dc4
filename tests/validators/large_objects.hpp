// Parts of the tests on expensive objects: their JSON, and limits on the time of an evaluation.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "json/parser.hpp"
#include "tests/support/findings.hpp"
#include "tests/support/processor_time.hpp"

namespace dynamo::test {

inline constexpr int kMany = 100'000;

inline std::string repeated(const std::function<std::string(int)>& item, int count = kMany) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    if (i > 0) text += ',';
    text += item(i);
  }
  return text;
}

// The findings of `evaluate`. Expects a processor time in a debug build that is linear in the size;
// anything quadratic takes minutes.
template <typename Evaluate>
api::ErrorList find_in_time(Evaluate evaluate) {
  constexpr double kLongestSeconds = 2.0;
  api::ErrorList found;
  EXPECT_LT(processor_seconds(kLongestSeconds, [&] { found = evaluate(); }), kLongestSeconds);
  return found;
}

// Objects above the limits of rendering get only that finding, also in time.
inline void expect_too_much(const std::string& text, api::Kind kind = api::Kind::kGraphDeployment) {
  const auto object = json::parse_copy(text);
  EXPECT_FALSE(object->error);
  const api::ErrorList found =
      find_in_time([&] { return evaluate_rules({.kind = kind}, object->root()); });
  EXPECT_EQ(std::ranges::count(found.errors(), "pod.too-much", &api::Error::rule), 1);
}

}  // namespace dynamo::test
