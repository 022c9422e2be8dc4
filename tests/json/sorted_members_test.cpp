#include "json/sorted_members.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "json/parser.hpp"
#include "json/writer.hpp"

namespace dynamo::json {
namespace {

// "n<position>":<position> of so many members, in descending order, and the first name once more.
std::string object_of(std::size_t count) {
  std::string text = "{";
  for (std::size_t i = count; i > 0; --i) {
    text += "\"n" + std::to_string(i) + "\":" + std::to_string(i) + ",";
  }
  return text + "\"n1\":\"last\"}";
}

// Objects on both sides of the size from which the parser indexes them.
class SortedMembers : public testing::TestWithParam<std::size_t> {};

TEST_P(SortedMembers, AreSortedAndUnique) {
  const auto parsed = parse_copy(object_of(GetParam()));
  const std::vector<Member> sorted = sorted_members(parsed->root());
  EXPECT_EQ(sorted.size(), GetParam());
  EXPECT_TRUE(std::ranges::is_sorted(sorted, {}, &Member::name));
  for (const Member& member : sorted) {
    const std::string value = member.name == "n1" ? "\"last\"" : std::string(member.name.substr(1));
    EXPECT_EQ(to_text(member.value), value) << member.name;
  }
}

TEST_P(SortedMembers, AreFoundByName) {
  const auto parsed = parse_copy(object_of(GetParam()));
  const std::vector<Member> sorted = sorted_members(parsed->root());
  for (const Member member : parsed->root().members()) {
    EXPECT_EQ(find_member(sorted, member.name).node(), parsed->root()[member.name].node());
  }
  EXPECT_FALSE(find_member(sorted, "n").exists());
  EXPECT_FALSE(find_member(sorted, "o").exists());
}

INSTANTIATE_TEST_SUITE_P(Sizes, SortedMembers,
                         testing::Values(2, kMaxUnindexed - 1, kMaxUnindexed, 1000));

TEST(SortedMembersOfOthers, AreNone) {
  const auto parsed = parse_copy("[[1],{}]");
  for (const Value value : parsed->root().elements()) EXPECT_TRUE(sorted_members(value).empty());
  EXPECT_TRUE(sorted_members(Value()).empty());
}

}  // namespace
}  // namespace dynamo::json
