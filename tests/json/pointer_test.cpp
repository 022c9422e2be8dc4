#include "json/pointer.hpp"

#include <gtest/gtest.h>

#include <string>

#include "json/parser.hpp"
#include "json/writer.hpp"

namespace dynamo::json {
namespace {

TEST(Pointer, FindsTheValuesOfTheRfcExample) {
  // The document of RFC 6901, section 5.
  const auto parsed = parse_copy(
      R"({"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8})");
  ASSERT_FALSE(parsed->error);
  struct Row {
    std::string_view pointer;
    std::string_view value;
  };
  for (const Row& row :
       {Row{"/foo", R"(["bar","baz"])"}, Row{"/foo/0", R"("bar")"}, Row{"/foo/1", R"("baz")"},
        Row{"/", "0"}, Row{"/a~1b", "1"}, Row{"/c%d", "2"}, Row{"/e^f", "3"}, Row{"/g|h", "4"},
        Row{"/i\\j", "5"}, Row{"/k\"l", "6"}, Row{"/ ", "7"}, Row{"/m~0n", "8"}}) {
    EXPECT_EQ(to_text(at_pointer(parsed->root(), row.pointer)), row.value) << row.pointer;
  }
  EXPECT_EQ(at_pointer(parsed->root(), "").node(), parsed->root().node());
}

TEST(Pointer, IsAbsentForMissingValues) {
  const auto parsed = parse_copy(R"({"a":[1,{"b":2}],"c":"text"})");
  for (const std::string_view pointer :
       {"/x", "/a/2", "/a/-", "/a/01", "/a/b", "/a/1/c", "/c/0", "/c/text", "a", "a/0", "/a/ 1",
        "/a/+1", "/a/-1", "/a/99999999999999999999", "/a/", "/"}) {
    EXPECT_FALSE(at_pointer(parsed->root(), pointer).exists()) << pointer;
  }
  EXPECT_FALSE(at_pointer(Value{}, "").exists());
  EXPECT_FALSE(at_pointer(Value{}, "/a").exists());
}

TEST(Pointer, EscapesTokensReversibly) {
  for (const std::string token :
       {"", "a", "a/b", "~", "~1", "~0", "/~/", "nvidia.com/gpu", "a~1/~0b"}) {
    std::string pointer;
    append_pointer_token(pointer, token);
    std::string_view rest = pointer;
    EXPECT_EQ(take_pointer_token(rest), token) << pointer;
    EXPECT_EQ(rest, "");
  }
  std::string pointer = "/metadata";
  append_pointer_token(pointer, "nvidia.com/a~b");
  EXPECT_EQ(pointer, "/metadata/nvidia.com~1a~0b");
}

TEST(Pointer, RemovesTokensOneByOne) {
  std::string_view pointer = "/a//b~1c";
  EXPECT_EQ(take_pointer_token(pointer), "a");
  EXPECT_EQ(take_pointer_token(pointer), "");
  EXPECT_EQ(take_pointer_token(pointer), "b/c");
  EXPECT_EQ(pointer, "");
}

TEST(Pointer, KeepsATildeThatEscapesNothing) {
  std::string_view pointer = "/a~2~";
  EXPECT_EQ(take_pointer_token(pointer), "a~2~");
}

TEST(PointerIndex, IsDecimalWithoutLeadingZerosOrSigns) {
  EXPECT_EQ(pointer_index("0"), 0U);
  EXPECT_EQ(pointer_index("17"), 17U);
  for (const std::string_view token :
       {"", "00", "01", "-1", "+1", " 1", "1 ", "1a", "-", "0x1", "99999999999999999999"}) {
    EXPECT_EQ(pointer_index(token), std::nullopt) << token;
  }
}

}  // namespace
}  // namespace dynamo::json
