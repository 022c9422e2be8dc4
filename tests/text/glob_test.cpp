#include "text/glob.hpp"

#include <gtest/gtest.h>

#include <string>

namespace dynamo::text {
namespace {

TEST(Glob, MatchesTheWholeText) {
  EXPECT_TRUE(matches_glob("dgd.pvc.name", "dgd.pvc.name"));
  EXPECT_FALSE(matches_glob("dgd.pvc", "dgd.pvc.name"));
  EXPECT_FALSE(matches_glob("dgd.pvc.name", "dgd.pvc"));
  EXPECT_TRUE(matches_glob("", ""));
  EXPECT_FALSE(matches_glob("", "a"));
}

TEST(Glob, StarMatchesAnyCharacters) {
  EXPECT_TRUE(matches_glob("*", ""));
  EXPECT_TRUE(matches_glob("*", "anything"));
  EXPECT_TRUE(matches_glob("service.*", "service.ingress.host"));
  EXPECT_FALSE(matches_glob("service.*", "services"));
  EXPECT_TRUE(matches_glob("*.immutable", "dgd.backend.immutable"));
  EXPECT_TRUE(matches_glob("a*b*c", "abbbc"));
  EXPECT_TRUE(matches_glob("a*b*c", "abcbc"));
  EXPECT_FALSE(matches_glob("a*b*c", "acb"));
  EXPECT_TRUE(matches_glob("**", "x"));
}

TEST(Glob, QuestionMarkMatchesOneCharacter) {
  EXPECT_TRUE(matches_glob("dev-?", "dev-1"));
  EXPECT_FALSE(matches_glob("dev-?", "dev-"));
  EXPECT_FALSE(matches_glob("dev-?", "dev-12"));
}

TEST(Glob, HasNoClassesOrEscapes) {
  EXPECT_TRUE(matches_glob("[a]", "[a]"));
  EXPECT_FALSE(matches_glob("[a]", "a"));
  EXPECT_TRUE(matches_glob("\\*", "\\x"));
}

TEST(Glob, IsFastWithManyStars) {
  const std::string text(10'000, 'a');
  EXPECT_FALSE(matches_glob("*a*a*a*a*a*a*a*a*b", text));
}

}  // namespace
}  // namespace dynamo::text
