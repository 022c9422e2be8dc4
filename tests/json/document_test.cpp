#include "json/document.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "json/parser.hpp"
#include "json/steps.hpp"
#include "json/writer.hpp"

namespace dynamo::json {
namespace {

bool equal_texts(std::string_view left, std::string_view right) {
  const auto one = parse_copy(left);
  const auto other = parse_copy(right);
  EXPECT_FALSE(one->error) << left;
  EXPECT_FALSE(other->error) << right;
  const bool forward = equal(one->root(), other->root());
  EXPECT_EQ(forward, equal(other->root(), one->root())) << "equality must go both ways";
  return forward;
}

TEST(Equal, HoldsForEveryTypeWithItself) {
  for (const std::string_view text : {"null", "true", "false", "0", "-1.5", "\"\"", "\"a\"", "[]",
                                      "{}", "[1,[2]]", R"({"a":{}})"}) {
    EXPECT_TRUE(equal_texts(text, text)) << text;
  }
}

TEST(Equal, DistinguishesTypes) {
  const std::vector<std::string_view> texts{"null",  "true", "false", "0",   "\"\"",
                                            "\"0\"", "[]",   "{}",    "[0]", R"({"0":0})"};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (std::size_t j = 0; j < texts.size(); ++j) {
      EXPECT_EQ(equal_texts(texts[i], texts[j]), i == j) << texts[i] << " and " << texts[j];
    }
  }
}

TEST(Equal, ComparesNumbersByValue) {
  EXPECT_TRUE(equal_texts("3", "3.0"));
  EXPECT_TRUE(equal_texts("0", "-0.0"));
  EXPECT_TRUE(equal_texts("100", "1e2"));
  EXPECT_FALSE(equal_texts("3", "3.5"));
  EXPECT_FALSE(equal_texts("9007199254740992", "9007199254740993")) << "integers are exact";
}

TEST(Equal, IgnoresTheOrderOfMembersAtEveryLevel) {
  EXPECT_TRUE(equal_texts(R"({"a":1,"b":{"c":2,"d":[3]}})", R"({"b":{"d":[3],"c":2},"a":1})"));
  EXPECT_FALSE(equal_texts(R"({"a":1,"b":2})", R"({"b":1,"a":2})"));
}

TEST(Equal, DependsOnTheOrderOfElements) {
  EXPECT_FALSE(equal_texts("[1,2]", "[2,1]"));
}

TEST(Equal, DetectsMissingAndAdditionalValues) {
  EXPECT_FALSE(equal_texts(R"({"a":1})", R"({"a":1,"b":2})"));
  EXPECT_FALSE(equal_texts(R"({"a":1,"b":null})", R"({"a":1,"c":null})"));
  EXPECT_FALSE(equal_texts("[1]", "[1,1]"));
}

TEST(Equal, DistinguishesObjectsWithDuplicateNames) {
  EXPECT_FALSE(equal_texts(R"({"a":1,"a":1})", R"({"a":1,"b":2})"));
  EXPECT_FALSE(equal_texts(R"({"x":0,"a":1,"a":2})", R"({"a":2,"x":0,"a":1})"));
  EXPECT_FALSE(equal_texts(R"({"a":1,"a":2})", R"({"a":1,"a":3})"));
  EXPECT_FALSE(equal_texts(R"({"a":1,"a":2})", R"({"a":1})"));
  EXPECT_TRUE(equal_texts(R"({"a":1,"a":2})", R"({"a":1,"a":2})"));
}

TEST(Equal, ComparesOnlyTheLastDuplicate) {
  EXPECT_TRUE(equal_texts(R"({"a":1,"a":2})", R"({"a":3,"a":2})"));
  EXPECT_TRUE(equal_texts(R"({"a":1,"a":2})", R"({"a":2})"));
  EXPECT_TRUE(equal_texts(R"({"x":0,"a":1,"a":2})", R"({"a":1,"a":2,"x":0})"));
  EXPECT_TRUE(equal_texts(R"({"a":1,"b":0,"a":2,"b":4})", R"({"b":1,"b":4,"a":2})"));
  EXPECT_FALSE(equal_texts(R"({"a":1,"a":2,"b":0})", R"({"a":3,"a":2,"b":1})"));
  EXPECT_FALSE(equal_texts(R"({"b":0,"a":1,"a":2})", R"({"b":1,"a":3,"a":2})"));
  EXPECT_TRUE(equal_texts(R"({"o":{"a":1,"a":{"b":2}}})", R"({"o":{"a":{"b":2}}})"));
}

TEST(Equal, DistinguishesAbsentFromNull) {
  const auto parsed = parse_copy("null");
  EXPECT_TRUE(equal(Value{}, Value{}));
  EXPECT_FALSE(equal(Value{}, parsed->root()));
  EXPECT_FALSE(equal(parsed->root(), Value{}));
}

TEST(Equal, IsNotQuadraticForARenamedMember) {
  // 100,000 names, shifted by one: comparing all pairs would take minutes.
  std::string left = "{\"0\":1";
  std::string right = "{";
  for (int i = 100'000; i < 200'000; ++i) {
    const std::string member = "\"" + std::to_string(i) + "\":1";
    left += "," + member;
    right += member + ",";
  }
  left += "}";
  EXPECT_TRUE(equal_texts(left, right + "\"0\":1}"));
  EXPECT_FALSE(equal_texts(left, right + "\"9\":1}"));
}

TEST(Value, AbsentValueReadsAsEmpty) {
  const Value absent;
  EXPECT_FALSE(absent.exists());
  EXPECT_TRUE(absent.is_nothing());
  EXPECT_EQ(absent.string(), std::nullopt);
  EXPECT_EQ(absent.boolean(), std::nullopt);
  EXPECT_EQ(absent.integer(), std::nullopt);
  EXPECT_EQ(absent.number(), std::nullopt);
  EXPECT_EQ(absent.string_or_empty(), "");
  EXPECT_EQ(absent.size(), 0U);
  EXPECT_FALSE(absent["a"]["b"].exists());
  for ([[maybe_unused]] const Value value : absent.elements()) ADD_FAILURE();
  for ([[maybe_unused]] const Member member : absent.members()) ADD_FAILURE();
}

TEST(Value, ReadersReturnNulloptForOtherTypes) {
  const auto parsed = parse_copy(R"([null,true,1,1.5,"a",[],{}])");
  int strings = 0;
  int booleans = 0;
  int integers = 0;
  int numbers = 0;
  for (const Value value : parsed->root().elements()) {
    strings += value.string() ? 1 : 0;
    booleans += value.boolean() ? 1 : 0;
    integers += value.integer() ? 1 : 0;
    numbers += value.number() ? 1 : 0;
    EXPECT_FALSE(value["a"].exists());
  }
  EXPECT_EQ(strings, 1);
  EXPECT_EQ(booleans, 1);
  EXPECT_EQ(integers, 1);
  EXPECT_EQ(numbers, 2) << "an integer is a number, too";
}

TEST(Value, NullHasNoValueButExists) {
  const auto parsed = parse_copy("null");
  EXPECT_TRUE(parsed->root().is_nothing());
  EXPECT_TRUE(parsed->root().exists());
}

TEST(Value, ReadsExactIntegralNumbersAsIntegers) {
  const auto integer = [](std::string_view text) { return parse_copy(text)->root().integer(); };
  EXPECT_EQ(integer("3.0"), 3);
  EXPECT_EQ(integer("-3e2"), -300);
  EXPECT_EQ(integer("9007199254740992.0"), 9007199254740992);
  EXPECT_EQ(integer("9007199254740994.0"), std::nullopt);
  EXPECT_EQ(integer("1e300"), std::nullopt);
  EXPECT_EQ(integer("3.5"), std::nullopt);
}

TEST(Value, FindsTheLastDuplicateName) {
  const auto parsed = parse_copy(R"({"a":1,"b":2,"a":{"c":3}})");
  EXPECT_EQ(parsed->root()["a"]["c"].integer(), 3);
}

TEST(Value, LooksUpNamesByFullText) {
  const auto parsed = parse_copy(R"({"ab":1,"":2,"a\u0000b":3})");
  EXPECT_FALSE(parsed->root()["a"].exists());
  EXPECT_FALSE(parsed->root()["abc"].exists());
  EXPECT_EQ(parsed->root()[""].integer(), 2);
  EXPECT_EQ(parsed->root()[(std::string_view{"a\0b", 3})].integer(), 3);
}

TEST(Value, FindsEveryMember) {
  std::string text = "{\"\":0";
  std::vector<std::string> names = {""};
  for (std::size_t length = 1; length < 70; ++length) {
    for (const char letter : {'a', 'b', 'z', 'A', '.', '-'}) {
      names.push_back(std::string(1, letter) + std::string(length - 1, 'x'));
      text += ",\"" + names.back() + "\":" + std::to_string(names.size() - 1);
    }
  }
  const auto parsed = parse_copy(text + "}");
  Document built;
  Builder builder(built);
  builder.start_object();
  for (std::size_t i = 0; i < names.size(); ++i) {
    builder.key(names[i]);
    builder.integer(static_cast<std::int64_t>(i));
  }
  builder.end_object(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(parsed->root()[names[i]].integer(), i) << names[i];
    EXPECT_EQ(built.root()[names[i]].integer(), i) << names[i];
  }
}

TEST(Value, DoesNotConfuseNamesOfOneClass) {
  ASSERT_EQ(name_class("axb"), name_class("ayb"));
  const auto parsed = parse_copy(R"({"axb":1})");
  EXPECT_TRUE(parsed->root()["axb"].exists());
  EXPECT_FALSE(parsed->root()["ayb"].exists());
  EXPECT_FALSE(parsed->root()["cxd"].exists());
}

// An object with this many members; `name(i)` is the name of member i.
template <typename NameOf>
std::string wide_object(std::size_t members, NameOf name) {
  std::string text = "{";
  for (std::size_t i = 0; i < members; ++i) {
    if (i > 0) text += ',';
    text += '"' + name(i) + "\":" + std::to_string(i);
  }
  return text + "}";
}

TEST(Value, FindsEveryMemberOfAWideObject) {
  constexpr std::size_t kPrime = 1009;
  const auto scattered = [](std::size_t i) { return "n" + std::to_string(i * 577 % kPrime); };
  const auto long_ones = [](std::size_t i) {
    return "the same beginning of many names " + std::string(i % 7, 'x') + std::to_string(i);
  };
  for (const std::size_t members : {kMaxUnindexed, kMaxUnindexed + 1, std::size_t{1000}}) {
    const auto short_names = parse_copy(wide_object(members, scattered));
    const auto long_names = parse_copy(wide_object(members, long_ones));
    for (std::size_t i = 0; i < members; ++i) {
      EXPECT_EQ(short_names->root()[scattered(i)].integer(), i);
      EXPECT_EQ(long_names->root()[long_ones(i)].integer(), i);
    }
    for (const char* const name : {"", "n", "n1009", "n99999999999", "z", "\xff"}) {
      EXPECT_FALSE(short_names->root()[name].exists()) << name;
    }
  }
}

TEST(Value, FindsTheLastDuplicateInAWideObject) {
  constexpr std::size_t kMembers = 3000;
  constexpr std::size_t kNames = 300;
  const auto downwards = [](std::size_t i) { return std::to_string(kNames - i % kNames); };
  const auto parsed = parse_copy(wide_object(kMembers, downwards));
  for (std::size_t i = kMembers - kNames; i < kMembers; ++i) {
    EXPECT_EQ(parsed->root()[downwards(i)].integer(), i);
  }
  const auto empty = parse_copy(wide_object(kMembers, [](std::size_t) { return std::string(); }));
  EXPECT_EQ(empty->root()[""].integer(), kMembers - 1);
}

TEST(Value, FindsMembersOfWideObjectsInFewSteps) {
  if (!kCountsSteps) GTEST_SKIP() << "steps are counted in debug builds";
  constexpr std::size_t kMembers = 100'000;
  const auto name = [](std::size_t i) { return std::to_string(kMembers - i); };
  const auto parsed = parse_copy(wide_object(kMembers, name));
  const std::uint64_t before = counted_steps();
  EXPECT_TRUE(parsed->root()["7"].exists());
  EXPECT_FALSE(parsed->root()["none"].exists());
  EXPECT_LT(counted_steps() - before, 40U);
}

TEST(Value, ListsMembersAndElementsInTextOrder) {
  const auto parsed = parse_copy(R"({"b":[1,[2,3],{"x":4}],"a":{"y":{}},"c":5})");
  std::string names;
  for (const Member member : parsed->root().members()) names += member.name;
  EXPECT_EQ(names, "bac");
  std::string elements;
  for (const Value value : parsed->root()["b"].elements()) elements += to_text(value) + ";";
  EXPECT_EQ(elements, R"(1;[2,3];{"x":4};)");
}

TEST(Value, NestingCountsContainers) {
  const auto is_nested_at_most = [](std::string_view text, std::size_t levels) {
    return json::is_nested_at_most(parse_copy(text)->root(), levels);
  };
  EXPECT_TRUE(json::is_nested_at_most(Value(), 0));
  EXPECT_TRUE(is_nested_at_most("1", 0));
  EXPECT_FALSE(is_nested_at_most("[]", 0));
  for (const char* text :
       {R"({"a":[],"b":{},"c":[1,2]})", "[[],[],[]]", R"([{"a":1},[2],"x"])", R"([1,{"a":1}])"}) {
    EXPECT_TRUE(is_nested_at_most(text, 2)) << text;
    EXPECT_FALSE(is_nested_at_most(text, 1)) << text;
  }
  EXPECT_TRUE(is_nested_at_most(R"([[{"a":{}}],[[[]]]])", 4));
  EXPECT_FALSE(is_nested_at_most(R"([[{"a":{}}],[[[]]]])", 3));
}

TEST(TypeName, MatchesMessages) {
  const auto parsed = parse_copy(R"([null,true,1,1.5,"a",[],{}])");
  std::string names;
  for (const Value value : parsed->root().elements()) {
    names += std::string(type_name(value.type())) + " ";
  }
  EXPECT_EQ(names, "null boolean integer number string list object ");
}

TEST(Builder, BuildsTheGivenValues) {
  Document document;
  Builder builder(document);
  builder.start_object();
  builder.key("a");
  builder.start_array();
  builder.integer(1);
  builder.number(2.5);
  builder.boolean(false);
  builder.null();
  builder.string(builder.own(std::string("te") + "xt"));
  EXPECT_EQ(builder.depth(), 2U);
  builder.end_array(5);
  EXPECT_EQ(builder.last_closed().size(), 5U);
  builder.end_object(1);
  EXPECT_EQ(builder.depth(), 0U);
  EXPECT_EQ(to_text(document.root()), R"({"a":[1,2.5,false,null,"text"]})");
}

TEST(Builder, OwnedTextsStayInPlace) {
  Document document;
  Builder builder(document);
  const std::string_view first = builder.own("short");
  for (int i = 0; i < 1000; ++i) builder.own(std::to_string(i));
  builder.string(first);
  EXPECT_EQ(document.root().string(), "short");
}

TEST(Builder, CopiesAbsentValuesAsNull) {
  const auto source = parse_copy(R"({"a":[1,{"b":"text"}],"c":2})");
  Document document;
  Builder builder(document);
  builder.start_array();
  builder.copy(source->root()["a"]);
  builder.copy(source->root()["missing"]);
  builder.copy(source->root());
  builder.end_array(3);
  EXPECT_EQ(to_text(document.root()), R"([[1,{"b":"text"}],null,{"a":[1,{"b":"text"}],"c":2}])");
  EXPECT_TRUE(equal(*++(++document.root().elements().begin()), source->root()));
}

TEST(Builder, CopiedWideObjectsOutliveTheirSource) {
  const auto name = [](std::size_t i) { return std::to_string(1000 - i); };
  auto parsed = parse_copy("{\"a\":[" + wide_object(500, name) + "]}");
  Document copied;
  Builder(copied).copy(parsed->root());
  const std::string texts = std::move(parsed->text);  // moved, not copied: the bytes stay in place
  parsed->document.clear();
  const Value object = *copied.root()["a"].elements().begin();
  for (std::size_t i = 0; i < 500; ++i) EXPECT_EQ(object[name(i)].integer(), i);
}

TEST(Builder, BeginsWithAnEmptyDocument) {
  Document document;
  Builder(document).integer(1);
  Builder(document).integer(2);
  EXPECT_EQ(to_text(document.root()), "2");
}

TEST(Document, HasNoLocationsForJson) {
  const auto parsed = parse_copy("[1]");
  EXPECT_EQ(parsed->document.location(parsed->root()), std::nullopt);
}

TEST(Document, HasLocationsOnlyForItsOwnValues) {
  Document document;
  Builder builder(document);
  builder.locate({3, 7});
  builder.integer(1);
  const auto stranger = parse_copy("[1,2,3]");
  ASSERT_TRUE(document.location(document.root()));
  EXPECT_EQ(document.location(document.root())->line, 3U);
  EXPECT_EQ(document.location(document.root())->column, 7U);
  EXPECT_EQ(document.location(Value{}), std::nullopt);
  EXPECT_EQ(document.location(*stranger->root().elements().begin()), std::nullopt);
}

TEST(Document, KeepsItsMemoryUntilShrunk) {
  Document document;
  Builder builder(document);
  builder.start_array();
  for (int i = 0; i < 10'000; ++i) builder.integer(i);
  builder.end_array(10'000);
  document.clear();
  EXPECT_TRUE(document.empty());
  EXPECT_GE(document.capacity(), 10'001U);
  document.shrink_to(20'000);
  EXPECT_GE(document.capacity(), 10'001U);
  document.shrink_to(100);
  EXPECT_LE(document.capacity(), 100U);
}

}  // namespace
}  // namespace dynamo::json
