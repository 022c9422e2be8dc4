// The cost of comparison, in steps: doubling the input at most doubles the steps, except for the
// logarithm of sorting.
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include "json/equality.hpp"
#include "json/parser.hpp"

namespace dynamo::json {
namespace {

// Two texts to compare, of a size that grows with `size`.
struct Shape {
  const char* name;
  bool equal;
  std::function<std::pair<std::string, std::string>(int size)> texts;
};

std::string repeated(int times, const std::function<std::string(int)>& item) {
  std::string text;
  for (int i = 0; i < times; ++i) {
    if (i > 0) text += ',';
    text += item(i);
  }
  return text;
}

std::string number(int i) {
  return std::to_string(100'000 + i);
}

std::string wrapped(int depth, const std::string& before, std::string inner,
                    const std::string& after) {
  for (int i = 0; i < depth; ++i) inner = before + inner + after;
  return inner;
}

// Nested objects that differ in the order of two members at every level.
std::pair<std::string, std::string> swapped(int depth, const char* inner, const char* other) {
  return {wrapped(depth, R"({"n":)", inner, R"(,"a":1,"b":2})"),
          wrapped(depth, R"({"n":)", other, R"(,"b":2,"a":1})")};
}

const Shape kDeepShapes[] = {
    {"later members swapped", true, [](int depth) { return swapped(depth, "1", "1"); }},
    {"later members swapped, another leaf", false,
     [](int depth) { return swapped(depth, "1", "2"); }},
    {"first member last", true,
     [](int depth) {
       return std::pair{wrapped(depth, R"({"a":1,"n":)", "1", "}"),
                        wrapped(depth, R"({"n":)", "1", R"(,"a":1})")};
     }},
    {"duplicates that hide a difference", true,
     [](int depth) {
       return std::pair{wrapped(depth, R"({"n":0,"n":)", "1", R"(})"),
                        wrapped(depth, R"({"n":5,"n":)", "1", R"(})")};
     }},
    {"a hidden difference at every level", true,
     [](int depth) {
       return std::pair{wrapped(depth, R"({"n":)", "1", R"(,"n":1})"),
                        wrapped(depth, R"({"n":)", "2", R"(,"n":1})")};
     }},
    {"one member more at every level", false,
     [](int depth) {
       return std::pair{wrapped(depth, R"({"n":)", "1", R"(,"a":1})"),
                        wrapped(depth, R"({"n":)", "1", R"(,"a":1,"b":1})")};
     }},
    {"lists between swapped objects", true,
     [](int depth) {
       return std::pair{wrapped(depth / 2, R"([{"n":)", "1", R"(,"a":1,"b":2}])"),
                        wrapped(depth / 2, R"([{"n":)", "1", R"(,"b":2,"a":1}])")};
     }},
};

const Shape kWideShapes[] = {
    {"the same order", true,
     [](int size) {
       const std::string text =
           "{" + repeated(size, [](int i) { return '"' + number(i) + "\":1"; }) + "}";
       return std::pair{text, text};
     }},
    {"reversed", true,
     [](int size) {
       return std::pair{
           "{" + repeated(size, [](int i) { return '"' + number(i) + "\":1"; }) + "}",
           "{" + repeated(size, [=](int i) { return '"' + number(size - 1 - i) + "\":1"; }) + "}"};
     }},
    {"every name twice, all of the first differ", true,
     [](int size) {
       const auto text = [=](const char* first) {
         return "{" + repeated(size, [=](int i) { return '"' + number(i) + "\":" + first; }) + "," +
                repeated(size, [](int i) { return '"' + number(i) + "\":1"; }) + "}";
       };
       return std::pair{text("2"), text("3")};
     }},
    {"one name again and again", true,
     [](int size) {
       const auto text = [=](const char* first) {
         return "{" + repeated(size, [=](int) { return std::string("\"a\":") + first; }) +
                ",\"a\":1}";
       };
       return std::pair{text("2"), text("3")};
     }},
    {"objects in a list, each swapped", true,
     [](int size) {
       return std::pair{
           "[" + repeated(size, [](int) { return std::string(R"({"a":1,"b":2})"); }) + "]",
           "[" + repeated(size, [](int) { return std::string(R"({"b":2,"a":1})"); }) + "]"};
     }},
    {"names with a long beginning in common", true,
     [](int size) {
       const std::string begin = "\"" + std::string(static_cast<std::size_t>(size), 'n');
       return std::pair{
           "{" + repeated(8, [&](int i) { return begin + number(i) + "\":1"; }) + "}",
           "{" + repeated(8, [&](int i) { return begin + number(7 - i) + "\":1"; }) + "}"};
     }},
};

// The sum of both directions.
std::size_t steps_of(const Shape& shape, int size) {
  const auto [left, right] = shape.texts(size);
  const auto one = parse_copy(left);
  const auto other = parse_copy(right);
  EXPECT_FALSE(one->error || other->error) << shape.name;
  std::size_t steps = 0;
  const auto count = [&steps](std::size_t bytes) { steps += bytes; };
  Equality<decltype(count)> same{count};
  EXPECT_EQ(same(one->root(), other->root()), shape.equal) << shape.name;
  EXPECT_EQ(same(other->root(), one->root()), shape.equal) << shape.name;
  EXPECT_EQ(equal(one->root(), other->root()), shape.equal) << shape.name;
  return steps;
}

TEST(EqualSteps, GrowLinearlyWithDepth) {
  for (const Shape& shape : kDeepShapes) {
    const std::size_t steps = steps_of(shape, 60);
    // A difference at the root is found immediately.
    EXPECT_GT(steps, shape.equal ? 60U : 0U) << shape.name;
    EXPECT_LE(2 * steps_of(shape, 120), 5 * steps) << shape.name;
  }
}

TEST(EqualSteps, GrowWithMembersTimesLogarithm) {
  for (const Shape& shape : kWideShapes) {
    const std::size_t steps = steps_of(shape, 4096);
    EXPECT_GT(steps, 4096U) << shape.name;
    EXPECT_LE(2 * steps_of(shape, 8192), 5 * steps) << shape.name;
  }
}

}  // namespace
}  // namespace dynamo::json
