// How the user's fields are merged with the controllers' defaults.
#include <gtest/gtest.h>

#include "render/document/arena.hpp"
#include "render/document/overlay.hpp"
#include "render/document/tape.hpp"
#include "tests/render/rendering.hpp"
#include "tests/support/allocation_counter.hpp"

namespace dynamo::render {
namespace {

using test::text_of;

struct Row {
  const char* user;
  const char* base;
  const char* merged;
};

std::string merge(const Row& row) {
  const test::Yaml user(std::string("v: ") + row.user);
  const test::Yaml base(std::string("v: ") + row.base);
  return text_of(Overlay(user.root()["v"], base.root()["v"]));
}

void expect_merges(std::initializer_list<Row> rows) {
  for (const Row& row : rows) {
    EXPECT_EQ(merge(row), row.merged) << row.user << " over " << row.base;
  }
}

TEST(Overlay, UserScalarsAndListsReplaceDefaults) {
  expect_merges({
      {"8080", "9090", "8080"},
      {"web", "http", "\"web\""},
      {"true", "false", "true"},
      {"[a]", "[b, c]", "[\"a\"]"},
      {"0.5", "2", "0.5"},
  });
}

TEST(Overlay, GoZeroValuesNeverOverride) {
  expect_merges({
      {"0", "60", "60"},
      {"0.0", "60", "60"},
      {"false", "true", "true"},
      {"''", "http", "\"http\""},
      {"null", "http", "\"http\""},
      {"[]", "[b]", "[\"b\"]"},
      {"{}", "{a: 1}", "{\"a\":1}"},
  });
}

TEST(Overlay, MergesObjectsMemberByMember) {
  expect_merges({
      {"{b: 2}", "{a: 1}", "{\"b\":2,\"a\":1}"},
      {"{a: {p: 2}}", "{a: {q: 1, p: 1}}", "{\"a\":{\"p\":2,\"q\":1}}"},
      {"{a: 0, b: 2}", "{a: 1, b: 1}", "{\"a\":1,\"b\":2}"},
  });
}

TEST(Overlay, DefaultPortNameOverridesUserNumber) {
  expect_merges({
      {"{port: 8080}", "{port: http}", "{\"port\":\"http\"}"},
      {"{port: web}", "{port: http}", "{\"port\":\"web\"}"},
      {"{port: 8080}", "{port: 9003}", "{\"port\":8080}"},
  });
}

TEST(Overlay, SecondHandlerIsMerged) {
  expect_merges({{"{exec: {command: [ls]}}", "{httpGet: {path: /live}}",
                  "{\"exec\":{\"command\":[\"ls\"]},\"httpGet\":{\"path\":\"/live\"}}"}});
}

TEST(Overlay, MembersKnowTheirSide) {
  const test::Yaml user("httpGet: {path: /ready}");
  const test::Yaml base("{httpGet: {path: /live, port: http}, periodSeconds: 5}");
  const Overlay merged(user.root(), base.root());
  EXPECT_TRUE(merged["httpGet"].is_merged());
  EXPECT_TRUE(merged["httpGet"]["path"].is_from_user());
  EXPECT_FALSE(merged["httpGet"]["port"].is_from_user());
  EXPECT_FALSE(merged["periodSeconds"].is_from_user());
  EXPECT_FALSE(merged["exec"].exists());
}

TEST(Tape, EqualsParsedDocument) {
  static constexpr auto kTape =
      tape::object(tape::field("name", "web"),
                   tape::field("ports", tape::array(tape::number(80), tape::object())),
                   tape::field("on", tape::boolean(true)));
  EXPECT_EQ(text_of(json::Value(kTape.first())), R"({"name":"web","ports":[80,{}],"on":true})");
  EXPECT_EQ(json::Value(kTape.first())["ports"].size(), 2U);
}

TEST(Arena, WarmArenaAllocatesNothing) {
  Arena arena;
  const auto fill = [&] {
    for (int i = 0; i < 100; ++i) arena.make_array<std::uint64_t>(100);
    arena.join({"a", "b"});
  };
  fill();
  arena.reset();
  const std::uint64_t before = test::allocations();
  fill();
  EXPECT_EQ(test::allocations(), before);
}

TEST(Arena, AllocationsAreAlignedAndDisjoint) {
  Arena arena;
  const std::string_view odd = arena.join({"odd", ""});
  const std::span<std::uint64_t> numbers = arena.make_array<std::uint64_t>(3);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(numbers.data()) % alignof(std::uint64_t), 0U);
  numbers[0] = ~std::uint64_t{0};
  const std::span<std::uint64_t> large = arena.make_array<std::uint64_t>(1 << 16U);
  EXPECT_EQ(large.back(), 0U);
  EXPECT_EQ(odd, "odd");
  EXPECT_EQ(numbers[0], ~std::uint64_t{0});
  EXPECT_TRUE(arena.make_array<int>(0).empty());
}

TEST(Arena, ResetFreesLargeBlocks) {
  Arena arena;
  arena.make_array<char>(100);
  const std::size_t small = arena.capacity();
  arena.make_array<char>(8 * Arena::kKeptBytes);
  EXPECT_GT(arena.capacity(), 8 * Arena::kKeptBytes);
  arena.reset();
  EXPECT_EQ(arena.capacity(), small);
}

}  // namespace
}  // namespace dynamo::render
