#include "json/patch.hpp"

#include <gtest/gtest.h>

#include <string>

#include "json/parser.hpp"
#include "json/pointer.hpp"

namespace dynamo::json {
namespace {

// The patched text, or "error: " and the reason.
std::string patched(std::string_view input, std::string_view patch) {
  const auto object = parse_copy(input);
  const auto operations = parse_copy(patch);
  EXPECT_FALSE(object->error) << input;
  EXPECT_FALSE(operations->error) << patch;
  const std::string before = to_text(object->root());
  Document output;
  const auto failure = apply_patch(object->root(), operations->root(), output);
  EXPECT_EQ(to_text(object->root()), before) << "the input must stay as it is";
  return failure ? "error: " + *failure : to_text(output.root());
}

struct Row {
  const char* name;
  std::string_view input;
  std::string_view patch;
  std::string_view result;
};

void PrintTo(const Row& row, std::ostream* out) {
  *out << row.name;
}

class Patch : public testing::TestWithParam<Row> {};

TEST_P(Patch, AppliesTo) {
  EXPECT_EQ(patched(GetParam().input, GetParam().patch), GetParam().result);
}

// After RFC 6902, appendix A; move and copy are not supported.
INSTANTIATE_TEST_SUITE_P(
    Standard, Patch,
    testing::Values(
        Row{"A1AddMember", R"({"foo":"bar"})", R"([{"op":"add","path":"/baz","value":"qux"}])",
            R"({"foo":"bar","baz":"qux"})"},
        Row{"A2AddElement", R"({"foo":["bar","baz"]})",
            R"([{"op":"add","path":"/foo/1","value":"qux"}])", R"({"foo":["bar","qux","baz"]})"},
        Row{"A3RemoveMember", R"({"baz":"qux","foo":"bar"})", R"([{"op":"remove","path":"/baz"}])",
            R"({"foo":"bar"})"},
        Row{"A4RemoveElement", R"({"foo":["bar","qux","baz"]})",
            R"([{"op":"remove","path":"/foo/1"}])", R"({"foo":["bar","baz"]})"},
        Row{"A5ReplaceValue", R"({"baz":"qux","foo":"bar"})",
            R"([{"op":"replace","path":"/baz","value":"boo"}])", R"({"baz":"boo","foo":"bar"})"},
        Row{"A8TestSucceeds", R"({"baz":"qux","foo":["a",2,"c"]})",
            R"([{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2}])",
            R"({"baz":"qux","foo":["a",2,"c"]})"},
        Row{"A9TestFails", R"({"baz":"qux"})", R"([{"op":"test","path":"/baz","value":"bar"}])",
            "error: operation 0: the test failed"},
        Row{"A10AddNestedObject", R"({"foo":"bar"})",
            R"([{"op":"add","path":"/child","value":{"grandchild":{}}}])",
            R"({"foo":"bar","child":{"grandchild":{}}})"},
        Row{"A11UnknownMembersAreIgnored", R"({"foo":"bar"})",
            R"([{"op":"add","path":"/baz","value":"qux","xyz":123}])",
            R"({"foo":"bar","baz":"qux"})"},
        Row{"A12AddToMissingParent", R"({"foo":"bar"})",
            R"([{"op":"add","path":"/baz/bat","value":"qux"}])",
            "error: operation 0: the parent of the path does not exist: no \"baz\""},
        Row{"A14TildeEscapes", R"({"/":9,"~1":10})", R"([{"op":"test","path":"/~01","value":10}])",
            R"({"/":9,"~1":10})"},
        Row{"A15StringIsNotNumber", R"({"/":9,"~1":10})",
            R"([{"op":"test","path":"/~01","value":"10"}])", "error: operation 0: the test failed"},
        Row{"A16AddArrayAtEnd", R"({"foo":["bar"]})",
            R"([{"op":"add","path":"/foo/-","value":["abc","def"]}])",
            R"({"foo":["bar",["abc","def"]]})"}),
    [](const auto& instance) { return std::string(instance.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Further, Patch,
    testing::Values(
        Row{"NoOperations", R"({"a":1})", "[]", R"({"a":1})"},
        Row{"AddReplacesAMemberThatExists", R"({"a":{"x":1},"b":2})",
            R"([{"op":"add","path":"/a","value":[1,2,3]}])", R"({"a":[1,2,3],"b":2})"},
        Row{"AddNull", R"({"a":1})", R"([{"op":"add","path":"/b","value":null}])",
            R"({"a":1,"b":null})"},
        Row{"AddIntoEmptyObject", R"({"a":{}})", R"([{"op":"add","path":"/a/b","value":1}])",
            R"({"a":{"b":1}})"},
        Row{"AddIntoEmptyArray", R"({"a":[]})", R"([{"op":"add","path":"/a/0","value":1}])",
            R"({"a":[1]})"},
        Row{"AddInFront", R"([{"x":1},2])", R"([{"op":"add","path":"/0","value":{"y":[]}}])",
            R"([{"y":[]},{"x":1},2])"},
        Row{"AddAtTheLength", "[1,2]", R"([{"op":"add","path":"/2","value":3}])", "[1,2,3]"},
        Row{"AddBeyondTheLength", "[1,2]", R"([{"op":"add","path":"/3","value":3}])",
            "error: operation 0: no such index: \"3\""},
        Row{"AddAtALeadingZero", "[1,2]", R"([{"op":"add","path":"/01","value":3}])",
            "error: operation 0: no such index: \"01\""},
        Row{"AddIntoAScalar", R"({"a":1})", R"([{"op":"add","path":"/a/b","value":3}])",
            "error: operation 0: the parent of the path is neither an object nor a list"},
        Row{"AddToTheWholeObject", R"({"a":1})", R"([{"op":"add","path":"","value":3}])",
            "error: operation 0: the path \"\" (the whole object) is not supported"},
        Row{"AddEscapedName", R"({"m":{}})",
            R"([{"op":"add","path":"/m/nvidia.com~1a~0b","value":1}])",
            R"({"m":{"nvidia.com/a~b":1}})"},
        Row{"AddWhatALaterOneUses", "{}",
            R"([{"op":"add","path":"/a","value":{}},{"op":"add","path":"/a/b","value":[]},{"op":"add","path":"/a/b/-","value":7}])",
            R"({"a":{"b":[7]}})"},
        Row{"AddDeepKeepsWhatFollows", R"({"a":[{"b":{"c":1}},{"d":2}],"e":3})",
            R"([{"op":"add","path":"/a/0/b/x","value":[1,[2]]}])",
            R"({"a":[{"b":{"c":1,"x":[1,[2]]}},{"d":2}],"e":3})"},
        Row{"RemoveTheLastMember", R"({"a":{"b":{"c":[1]}},"d":1})",
            R"([{"op":"remove","path":"/a/b"}])", R"({"a":{},"d":1})"},
        Row{"RemoveMissing", R"({"a":1})", R"([{"op":"remove","path":"/b"}])",
            "error: operation 0: the path does not exist: no \"b\""},
        Row{"RemoveBehindTheEnd", "[1]", R"([{"op":"remove","path":"/1"}])",
            "error: operation 0: the path does not exist: no \"1\""},
        Row{"RemoveTheDash", "[1]", R"([{"op":"remove","path":"/-"}])",
            "error: operation 0: the path does not exist: no \"-\""},
        Row{"ReplaceMissing", R"({"a":1})", R"([{"op":"replace","path":"/b","value":1}])",
            "error: operation 0: the path does not exist: no \"b\""},
        Row{"ReplaceElement", R"({"a":[1,{"x":[]},3]})",
            R"([{"op":"replace","path":"/a/1","value":2}])", R"({"a":[1,2,3]})"},
        Row{"TestMissing", R"({"a":1})", R"([{"op":"test","path":"/b","value":null}])",
            "error: operation 0: the path does not exist: no \"b\""},
        Row{"TestIgnoresMemberOrder", R"({"a":{"b":1,"c":2}})",
            R"([{"op":"test","path":"/a","value":{"c":2,"b":1}}])", R"({"a":{"b":1,"c":2}})"},
        Row{"SecondOperationIsNamed", R"({"a":1})",
            R"([{"op":"remove","path":"/a"},{"op":"remove","path":"/a"}])",
            "error: operation 1: the path does not exist: no \"a\""},
        Row{"MoveIsRefused", R"({"a":1})", R"([{"op":"move","from":"/a","path":"/b","value":1}])",
            "error: operation 0: the operation \"move\" is not supported"},
        Row{"CopyOntoSomethingIsRefused", R"({"a":1,"b":2})",
            R"([{"op":"copy","from":"/a","path":"/b","value":1}])",
            "error: operation 0: the operation \"copy\" is not supported"},
        Row{"NoLeadingSlash", R"({"a":1})", R"([{"op":"remove","path":"a"}])",
            "error: operation 0: the path must begin with '/'"},
        Row{"NoOp", R"({"a":1})", R"([{"path":"/a"}])",
            "error: operation 0: op and path must be strings"},
        Row{"PathIsNoString", R"({"a":1})", R"([{"op":"remove","path":1}])",
            "error: operation 0: op and path must be strings"},
        Row{"NoValue", R"({"a":1})", R"([{"op":"add","path":"/b"}])",
            "error: operation 0: value is missing"},
        Row{"OperationIsNoObject", R"({"a":1})", "[1]",
            "error: operation 0: op and path must be strings"},
        Row{"NotAnArray", R"({"a":1})", "{}", "error: a patch must be a list of operations"}),
    [](const auto& instance) { return std::string(instance.param.name); });

TEST(Patch, RequiresAnInput) {
  const auto patch = parse_copy("[]");
  Document output;
  EXPECT_EQ(apply_patch(Value{}, patch->root(), output), "there is no object to patch");
}

TEST(Patch, KeepsLookupsCorrect) {
  const auto object = parse_copy(R"({"a":{"b":[1,2]},"c":{"d":3}})");
  const auto patch = parse_copy(
      R"([{"op":"add","path":"/a/b/1","value":{"x":[9]}},{"op":"remove","path":"/a/b/0"},)"
      R"({"op":"add","path":"/c/e","value":{"f":4}},{"op":"replace","path":"/c/d","value":[5,6]}])");
  Document output;
  ASSERT_EQ(apply_patch(object->root(), patch->root(), output), std::nullopt);
  EXPECT_EQ(at_pointer(output.root(), "/a/b/0/x/0").integer(), 9);
  EXPECT_EQ(at_pointer(output.root(), "/a/b/1").integer(), 2);
  EXPECT_EQ(at_pointer(output.root(), "/c/e/f").integer(), 4);
  EXPECT_EQ(at_pointer(output.root(), "/c/d/1").integer(), 6);
  EXPECT_EQ(output.root()["a"]["b"].size(), 2U);
  EXPECT_EQ(output.root().size(), 2U);
}

// Objects with this many members have an index, which must follow edits.
TEST(Patch, KeepsLookupsCorrectInWideObjects) {
  for (const std::size_t members : {kMaxUnindexed - 1, kMaxUnindexed, 2 * kMaxUnindexed}) {
    std::string text = R"({"z":{"in":1})";
    for (std::size_t i = 1; i < members; ++i) text += ",\"n" + std::to_string(i) + "\":[1,2]";
    const auto object = parse_copy(text + "}");
    const auto patch =
        parse_copy(R"([{"op":"add","path":"/a","value":3},{"op":"add","path":"/z/more","value":4},)"
                   R"({"op":"replace","path":"/n1","value":{"x":5}},{"op":"remove","path":"/n2"},)"
                   R"({"op":"remove","path":"/n3"},{"op":"add","path":"/n4/0","value":6}])");
    Document output;
    ASSERT_EQ(apply_patch(object->root(), patch->root(), output), std::nullopt);
    EXPECT_EQ(output.root().size(), members - 1);
    EXPECT_EQ(output.root()["a"].integer(), 3);
    EXPECT_EQ(at_pointer(output.root(), "/z/in").integer(), 1);
    EXPECT_EQ(at_pointer(output.root(), "/z/more").integer(), 4);
    EXPECT_EQ(at_pointer(output.root(), "/n1/x").integer(), 5);
    EXPECT_FALSE(output.root()["n2"].exists());
    EXPECT_FALSE(output.root()["n3"].exists());
    EXPECT_EQ(at_pointer(output.root(), "/n4/0").integer(), 6);
    for (std::size_t i = 5; i < members; ++i) {
      EXPECT_EQ(output.root()["n" + std::to_string(i)].size(), 2U) << i;
    }
  }
}

TEST(PatchWriter, WritesAnEmptyArrayWithoutOperations) {
  PatchWriter writer;
  EXPECT_TRUE(writer.empty());
  EXPECT_EQ(writer.text(), "[]");
}

TEST(PatchWriter, WritesOperationsThatApply) {
  PatchWriter writer;
  writer.add("/a~1b", [](Writer& value) { value.string("x\"y"); });
  EXPECT_EQ(writer.text(), R"([{"op":"add","path":"/a~1b","value":"x\"y"}])");
  writer.add("/c", [](Writer& value) { value.start_object().key("d").integer(1).end_object(); });
  EXPECT_EQ(writer.size(), 2U);
  EXPECT_FALSE(writer.empty());
  EXPECT_EQ(writer.text(), writer.text()) << "asking twice changes nothing";
  EXPECT_EQ(patched("{}", writer.text()), R"({"a/b":"x\"y","c":{"d":1}})");
}

TEST(PatchWriter, IsReusableAfterClear) {
  PatchWriter writer;
  writer.add("/a", [](Writer& value) { value.null(); });
  EXPECT_EQ(writer.text(), R"([{"op":"add","path":"/a","value":null}])");
  writer.clear();
  EXPECT_TRUE(writer.empty());
  EXPECT_EQ(writer.text(), "[]");
  writer.add("/b", [](Writer& value) { value.integer(1); });
  EXPECT_EQ(writer.text(), R"([{"op":"add","path":"/b","value":1}])");
}

}  // namespace
}  // namespace dynamo::json
