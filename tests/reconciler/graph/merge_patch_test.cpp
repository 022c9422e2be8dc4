// A status patch contains only the changes.
#include "desired/merge_patch.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "json/parser.hpp"

namespace dynamo::reconciler {
namespace {

std::string patch(std::string_view before, std::string_view after,
                  std::vector<std::string_view> names) {
  const auto left = json::parse_copy(before);
  const auto right = json::parse_copy(after);
  return merge_patch_of(left->root(), right->root(), names);
}

TEST(MergePatch, PatchContainsChangesOfNamedMembersOnly) {
  EXPECT_EQ(patch(R"({"a":1})", R"({"a":1})", {"a"}), "");
  EXPECT_EQ(patch(R"({"a":1})", R"({"a":2})", {"a"}), R"({"a":2})");
  EXPECT_EQ(patch(R"({"a":1,"theirs":1})", R"({"a":1})", {"a"}), "");
  EXPECT_EQ(patch(R"({"a":1})", R"({})", {"a"}), R"({"a":null})");
  EXPECT_EQ(patch(R"({"a":{"b":1,"c":2}})", R"({"a":{"b":1,"d":3}})", {"a"}),
            R"({"a":{"d":3,"c":null}})");
  EXPECT_EQ(patch(R"({"a":[1]})", R"({"a":[1,2]})", {"a"}), R"({"a":[1,2]})");
  EXPECT_EQ(patch("null", R"({"a":{"b":1}})", {"a"}), R"({"a":{"b":1}})");
}

}  // namespace
}  // namespace dynamo::reconciler
