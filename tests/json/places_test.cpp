// Columns in characters.
#include "json/places.hpp"

#include <gtest/gtest.h>

#include <string_view>

#include "json/yaml.hpp"

namespace dynamo::json {
namespace {

Location of(std::string_view text, std::uint32_t line, std::uint32_t column) {
  return CharacterPlaces(text).of({line, column});
}

TEST(CharacterPlaces, CountVisibleCharacters) {
  constexpr std::string_view kText = "a: \xC3\xBC b\n\t\xF0\x9F\x98\x80: c\n";
  EXPECT_EQ(of(kText, 1, 4).column, 4U);
  EXPECT_EQ(of(kText, 1, 7).column, 6U) << "behind two bytes";
  EXPECT_EQ(of(kText, 2, 2).column, 2U) << "a tab is one character";
  EXPECT_EQ(of(kText, 2, 8).column, 5U) << "behind four bytes";
  EXPECT_EQ(of(kText, 2, 8).line, 2U);
}

TEST(CharacterPlaces, DoNotCountAByteOrderMark) {
  EXPECT_EQ(of("\xEF\xBB\xBF"
               "a: \xC3\xBC b\n",
               1, 7)
                .column,
            6U);
}

TEST(CharacterPlaces, KeepPlacesOutsideTheText) {
  EXPECT_EQ(of("a", 0, 0).line, 0U);
  EXPECT_EQ(of("a", 7, 3).column, 3U);
  EXPECT_EQ(of("", 1, 1).column, 1U);
  EXPECT_EQ(of("a", 1, 900).column, 900U);
}

TEST(CharacterPlaces, LocateNames) {
  YamlReader reader("a:\n  bc: 1\n");
  Document document;
  ASSERT_EQ(reader.next(document), YamlReader::ReadResult::kDocument);
  const Value inner = document.root()["a"];
  for (const Member member : inner.members()) {
    const auto where = document.location(name_of(member));
    ASSERT_TRUE(where);
    EXPECT_EQ(where->line, 2U);
    EXPECT_EQ(where->column, 3U);
    EXPECT_EQ(name_of(member).string(), "bc");
  }
}

}  // namespace
}  // namespace dynamo::json
