#include "json/parser.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "json/repeated_containers.hpp"
#include "json/writer.hpp"

namespace dynamo::json {
namespace {

using namespace std::string_literals;

std::string nested(std::size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

TEST(Parser, ReadsEveryTypeOfValue) {
  const auto parsed = parse_copy(
      R"({"null":null,"yes":true,"no":false,"int":-7,"num":1.5,"text":"a","list":[1],"map":{}})");
  ASSERT_FALSE(parsed->error) << parsed->error->message();
  const Value root = parsed->root();
  EXPECT_EQ(root["null"].type(), Type::kNull);
  EXPECT_EQ(root["yes"].boolean(), true);
  EXPECT_EQ(root["no"].boolean(), false);
  EXPECT_EQ(root["int"].integer(), -7);
  EXPECT_EQ(root["int"].type(), Type::kInteger);
  EXPECT_EQ(root["num"].number(), 1.5);
  EXPECT_EQ(root["num"].type(), Type::kNumber);
  EXPECT_EQ(root["text"].string(), "a");
  EXPECT_EQ(root["list"].size(), 1U);
  EXPECT_TRUE(root["map"].is_object());
  EXPECT_EQ(root.size(), 8U);
}

TEST(Parser, ReadsAScalarAsTheWholeText) {
  EXPECT_EQ(parse_copy("7")->root().integer(), 7);
  EXPECT_EQ(parse_copy(" \r\n\t\"a\" ")->root().string(), "a");
  EXPECT_EQ(parse_copy("null")->root().type(), Type::kNull);
}

struct BadText {
  const char* name;
  std::string text;
  ParseFailure failure;
  std::size_t offset;
  std::string reason;
};

void PrintTo(const BadText& bad, std::ostream* out) {
  *out << bad.name;
}

class ParserRefuses : public testing::TestWithParam<BadText> {};

TEST_P(ParserRefuses, ReportsFailureOffsetAndReason) {
  const auto parsed = parse_copy(GetParam().text);
  ASSERT_TRUE(parsed->error);
  EXPECT_EQ(parsed->error->failure, GetParam().failure);
  EXPECT_EQ(parsed->error->offset, GetParam().offset);
  EXPECT_EQ(parsed->error->reason, GetParam().reason);
  EXPECT_TRUE(parsed->document.empty());
  EXPECT_FALSE(parsed->root().exists());
}

const std::string kCutOff = "the text ends before the JSON value is complete";
const std::string kNoValue = "expected a JSON value";

INSTANTIATE_TEST_SUITE_P(
    Texts, ParserRefuses,
    testing::Values(
        BadText{"NothingAtAll", "", ParseFailure::kEmpty, 0, "the text is empty"},
        BadText{"OnlySpaces", " \n\t ", ParseFailure::kEmpty, 4, "the text is empty"},
        BadText{"CutOffInAnObject", R"({"a":1)", ParseFailure::kTruncated, 6, kCutOff},
        BadText{"CutOffInAnArray", "[1,", ParseFailure::kTruncated, 3, kCutOff},
        BadText{"CutOffInAString", R"("abc)", ParseFailure::kTruncated, 4, kCutOff},
        BadText{"CutOffInALiteral", "tru", ParseFailure::kTruncated, 3, kCutOff},
        BadText{"CutOffAfterAName", R"({"a")", ParseFailure::kTruncated, 4, kCutOff},
        BadText{"CutOffAfterAMinus", "-", ParseFailure::kTruncated, 1, kCutOff},
        BadText{"SecondValue", "{} {}", ParseFailure::kTrailing, 3,
                "more text follows the end of the JSON value"},
        BadText{"TrailingComma", "[1],", ParseFailure::kTrailing, 3,
                "more text follows the end of the JSON value"},
        BadText{"ZeroByteBehind", "{}\0"s, ParseFailure::kTrailing, 2,
                "a zero byte follows the JSON value"},
        BadText{"ZeroByteInAString", "\"a\0b\""s, ParseFailure::kSyntax, 2,
                "a string is not closed"},
        BadText{"ZeroByteBetween", "[1,\0 2]"s, ParseFailure::kSyntax, 3, kNoValue},
        BadText{"NotANumber", "[NaN]", ParseFailure::kSyntax, 1, kNoValue},
        BadText{"Infinity", "[Infinity]", ParseFailure::kSyntax, 1, kNoValue},
        BadText{"NegativeInfinity", "[-Infinity]", ParseFailure::kSyntax, 2, kNoValue},
        BadText{"LeadingZero", "[012]", ParseFailure::kSyntax, 2,
                "expected ',' or ']' after an element"},
        BadText{"LeadingPlus", "[+1]", ParseFailure::kSyntax, 1, kNoValue},
        BadText{"BarePoint", "[.5]", ParseFailure::kSyntax, 1, kNoValue},
        BadText{"NoFraction", "[1.]", ParseFailure::kSyntax, 3,
                "digits must follow the decimal point"},
        BadText{"NoExponent", "[1e]", ParseFailure::kSyntax, 3, "digits must follow the exponent"},
        BadText{"NumberTooBigWithoutAnExponent", "[" + std::string(400, '1') + ".5]",
                ParseFailure::kSyntax, 1, "the number is too big"},
        BadText{"NumberJustTooBig", "[1.7976931348623159e308]", ParseFailure::kSyntax, 1,
                "the number is too big"},
        BadText{"NegativeNumberTooBig", "[-2e308]", ParseFailure::kSyntax, 1,
                "the number is too big"},
        BadText{"NumberTooBigByTheLargestExponent", "[123456789012345e9223372036854775806]",
                ParseFailure::kSyntax, 1, "the number is too big"},
        BadText{"NumberTooBig", "[1e400]", ParseFailure::kSyntax, 1, "the number is too big"},
        BadText{"TrailingCommaInArray", "[1,]", ParseFailure::kSyntax, 3, kNoValue},
        BadText{"TrailingCommaInObject", R"({"a":1,})", ParseFailure::kSyntax, 7,
                "expected a member name in double quotes"},
        BadText{"NameWithoutQuotes", "{a:1}", ParseFailure::kSyntax, 1,
                "expected a member name in double quotes"},
        BadText{"NoColon", R"({"a" 1})", ParseFailure::kSyntax, 5,
                "expected ':' after a member name"},
        BadText{"NoCommaInObject", R"({"a":1 "b":2})", ParseFailure::kSyntax, 7,
                "expected ',' or '}' after a member"},
        BadText{"NoCommaInArray", "[1 2]", ParseFailure::kSyntax, 3,
                "expected ',' or ']' after an element"},
        BadText{"WrongBracket", "[1}", ParseFailure::kSyntax, 2,
                "expected ',' or ']' after an element"},
        BadText{"SingleQuotes", "['a']", ParseFailure::kSyntax, 1, kNoValue},
        BadText{"Comment", "[1/**/]", ParseFailure::kSyntax, 2,
                "expected ',' or ']' after an element"},
        BadText{"UnknownEscape", R"(["\q"])", ParseFailure::kSyntax, 2,
                "unknown escape in a string"},
        BadText{"ShortHexEscape", R"(["\u12"])", ParseFailure::kSyntax, 2,
                "\\u must be followed by four hexadecimal digits"},
        BadText{"LoneHighSurrogate", R"(["\ud83d"])", ParseFailure::kSyntax, 2,
                "\\u escape is half of a surrogate pair"},
        BadText{"HighSurrogateTwice", R"(["\ud83d\ud83d"])", ParseFailure::kSyntax, 2,
                "\\u escape is half of a surrogate pair"},
        BadText{"LineFeedInAString", "[\"a\nb\"]", ParseFailure::kSyntax, 3,
                "a string is not closed in its line; a line break in it must be written \\n"},
        BadText{"ControlCharacterInAString", "[\"a\x01\"]", ParseFailure::kSyntax, 3,
                "a control character in a string must be escaped"},
        BadText{"StrayContinuationByte", "[\"a\x80\"]", ParseFailure::kEncoding, 3,
                "the text is not UTF-8"},
        BadText{"OverlongForm", "[\"\xC0\xAF\"]", ParseFailure::kEncoding, 2,
                "the text is not UTF-8"},
        BadText{"EncodedSurrogate", "[\"\xED\xA0\x80\"]", ParseFailure::kEncoding, 2,
                "the text is not UTF-8"},
        BadText{"Utf16", "\xFF\xFE{\0}\0"s, ParseFailure::kEncoding, 0, "the text is not UTF-8"},
        BadText{"ByteOrderMark", "\xEF\xBB\xBF{}", ParseFailure::kSyntax, 0, kNoValue}),
    [](const auto& instance) { return std::string(instance.param.name); });

TEST(ParseError, MessageBeginsWithTheByte) {
  const auto parsed = parse_copy("[1,]");
  ASSERT_TRUE(parsed->error);
  EXPECT_EQ(parsed->error->message(), "byte 3: expected a JSON value");
}

TEST(Parser, EnforcesTheDepthLimit) {
  for (const std::size_t limit : {1U, 2U, 63U, 128U, 1000U}) {
    const ParseOptions options{.max_depth = limit};
    EXPECT_FALSE(parse_copy(nested(limit - 1) + " ", options)->error && limit > 1) << limit;
    EXPECT_FALSE(parse_copy(nested(limit), options)->error) << limit;
    const auto too_deep = parse_copy(nested(limit + 1), options);
    ASSERT_TRUE(too_deep->error) << limit;
    EXPECT_EQ(too_deep->error->failure, ParseFailure::kTooDeep);
    EXPECT_EQ(too_deep->error->offset, limit) << "at the bracket that is too much";
    EXPECT_EQ(too_deep->error->reason, "nested deeper than " + std::to_string(limit) + " levels");
  }
}

TEST(Parser, CountsObjectsAndArraysForDepth) {
  const ParseOptions options{.max_depth = 3};
  EXPECT_FALSE(parse_copy(R"({"a":[{"b":1}]})", options)->error);
  EXPECT_TRUE(parse_copy(R"({"a":[{"b":{}}]})", options)->error);
  EXPECT_FALSE(parse_copy(R"([[[]],[[]],[[]]])", options)->error) << "width is not depth";
}

TEST(Parser, RefusesAMillionLevelsWithoutUsingTheStack) {
  const auto parsed = parse_copy(std::string(1'000'000, '['));
  ASSERT_TRUE(parsed->error);
  EXPECT_EQ(parsed->error->failure, ParseFailure::kTooDeep);
}

TEST(Parser, ReadsAMillionLevelsIfAllowed) {
  constexpr std::size_t kDepth = 1'000'000;
  const auto parsed = parse_copy(nested(kDepth), {.max_depth = kDepth});
  ASSERT_FALSE(parsed->error) << parsed->error->message();
  EXPECT_EQ(parsed->root().node()->span, kDepth);
}

TEST(Parser, KeepsSixtyFourBitIntegersExact) {
  const auto parsed = parse_copy(
      "[9223372036854775807,-9223372036854775808,0,-0,2147483647,2147483648,-2147483649,"
      "4294967295,4294967296]");
  ASSERT_FALSE(parsed->error);
  std::vector<std::int64_t> read;
  for (const Value value : parsed->root().elements()) {
    ASSERT_EQ(value.type(), Type::kInteger);
    read.push_back(*value.integer());
  }
  EXPECT_EQ(read, (std::vector<std::int64_t>{INT64_MAX, INT64_MIN, 0, 0, 2147483647, 2147483648,
                                             -2147483649, 4294967295, 4294967296}));
}

TEST(Parser, ReadsIntegersBeyondTheEdgesAsNumbers) {
  const auto parsed = parse_copy(
      "[9223372036854775808,18446744073709551615,18446744073709551616,-9223372036854775809]");
  ASSERT_FALSE(parsed->error);
  std::vector<double> read;
  for (const Value value : parsed->root().elements()) {
    ASSERT_EQ(value.type(), Type::kNumber);
    EXPECT_EQ(value.integer(), std::nullopt);
    read.push_back(*value.number());
  }
  EXPECT_EQ(read, (std::vector<double>{0x1p63, 0x1p64, 0x1p64, -0x1p63}));
}

TEST(Parser, RoundsNumbersToTheNearestDouble) {
  const auto parsed = parse_copy(
      "[0.1,1e-5,123456789.125,5e-324,1.7976931348623157e308,2.2250738585072011e-308,1E+2,"
      "9007199254740993.0,0.500000000000000166533453693773481063544750213623046875]");
  ASSERT_FALSE(parsed->error);
  std::vector<double> read;
  for (const Value value : parsed->root().elements()) read.push_back(*value.number());
  EXPECT_EQ(read, (std::vector<double>{0.1, 1e-5, 123456789.125, 5e-324,
                                       std::numeric_limits<double>::max(), 2.2250738585072011e-308,
                                       100, 9007199254740992.0, 0x1.0000000000002p-1}));
}

TEST(Parser, ReadsTooSmallNumbersAsZero) {
  const std::string tiny = "0." + std::string(400, '0') + "1";
  const auto parsed =
      parse_copy("[0e1,0e40,-0e51,0.0E-7,1e-400,-1e-400,1e-99999999999999999999," + tiny + "]");
  ASSERT_FALSE(parsed->error) << parsed->error->message();
  EXPECT_EQ(parsed->root().size(), 8U);
  for (const Value value : parsed->root().elements()) EXPECT_EQ(value.number(), 0.0);
}

TEST(Parser, UnescapesEveryEscape) {
  const auto parsed =
      parse_copy(R"(["\"\\\/\b\f\n\r\t","\u0041\u00e9\u20ac","\ud83d\ude00","a\u0000b"])");
  ASSERT_FALSE(parsed->error);
  auto at = parsed->root().elements().begin();
  EXPECT_EQ((*at).string(), "\"\\/\b\f\n\r\t");
  EXPECT_EQ((*++at).string(), "A\u00e9\u20ac");
  EXPECT_EQ((*++at).string(), "\U0001F600");
  EXPECT_EQ((*++at).string(), "a\0b"s);
}

TEST(Parser, ReplacesALoneLowSurrogate) {
  EXPECT_EQ(parse_copy(R"("a\ude00b")")->root().string(), "a\uFFFDb");
  EXPECT_EQ(parse_copy(R"("\udc00\udfff")")->root().string(), "\uFFFD\uFFFD");
}

TEST(Parser, DetectsTextsWithoutPlainCharacters) {
  EXPECT_TRUE(parse_copy(R"({"a":"b\u0009\t\n\u000a\"\\\/\u0041 ~"})")->document.is_plain());
  for (const std::string_view escape :
       {"\\u007f", "\x7F", "\\u0000", "\\u001b", "\\b", "\\f", "\\r", "\\u000d", "\\u0080"}) {
    for (const std::size_t before : {0U, 1U, 15U, 40U, 63U, 64U, 200U}) {
      for (const std::string_view other : {"", "\\n", "\\\""}) {
        const std::string text = "{\"a\":\"" + std::string(other) + std::string(before, 'a') +
                                 std::string(escape) + std::string(70, 'z') + "\"}";
        EXPECT_FALSE(parse_copy(text)->document.is_plain()) << text;
      }
    }
  }
  EXPECT_FALSE(parse_copy("{\"a\":\"\u00E9\"}")->document.is_plain());
  EXPECT_FALSE(parse_copy("{\"\u00E9\":1}")->document.is_plain());
  EXPECT_FALSE(parse_copy(R"({"a":"\u200b"})")->document.is_plain());
  EXPECT_FALSE(parse_copy(R"({"\u200b":1})")->document.is_plain());
  EXPECT_FALSE(parse_copy(R"({"a":)")->document.is_plain());
  EXPECT_FALSE(Document().is_plain());
}

TEST(Parser, UnescapesNames) {
  const auto parsed = parse_copy(R"({"\u0061b":1})");
  EXPECT_EQ(parsed->root()["ab"].integer(), 1);
}

TEST(Parser, ReadsStringsOfEveryLengthAcrossBlocks) {
  for (std::size_t length = 0; length < 100; ++length) {
    const std::string expected(length, 'x');
    for (const std::string& text :
         {"\"" + expected + "\"", "[\"" + expected + "\"]", "[ \"" + expected + "\" ]"}) {
      const auto parsed = parse_copy(text);
      ASSERT_FALSE(parsed->error) << length;
      const Value value =
          parsed->root().is_array() ? *parsed->root().elements().begin() : parsed->root();
      ASSERT_EQ(value.string(), expected);
    }
    const auto escaped = parse_copy("\"" + expected + "\\n\"");
    ASSERT_EQ(escaped->root().string(), expected + "\n");
  }
}

// Alternating runs and escapes, with runs longer than the space that earlier escapes saved.
TEST(Parser, UnescapesRunsAfterAnyNumberOfEscapes) {
  constexpr std::array<std::string_view, 4> kEscaped{R"(\")", R"(\\)", R"(\u00e9)",
                                                     R"(\ud83d\ude00)"};
  constexpr std::array<std::string_view, 4> kMeant{"\"", "\\", "\u00e9", "\U0001F600"};
  for (std::size_t length = 0; length < 40; ++length) {
    for (std::size_t escapes = 1; escapes < 40; ++escapes) {
      std::string text = "\"";
      std::string expected;
      for (std::size_t index = 0; index < escapes; ++index) {
        const std::size_t kind = (index + length) % 7 % kMeant.size();
        const std::string run(length, static_cast<char>('a' + index % 26));
        text.append(kEscaped[kind]).append(run);
        expected.append(kMeant[kind]).append(run);
      }
      const auto parsed = parse_copy(text + "\"");
      ASSERT_FALSE(parsed->error) << text;
      ASSERT_EQ(parsed->root().string(), expected);
    }
  }
}

TEST(Parser, FindsAControlCharacterAfterManyEscapes) {
  std::string text = "\"";
  for (int index = 0; index < 50; ++index) text += R"(\"abc)";
  for (const std::string_view wrong : {std::string_view("\n", 1), std::string_view("\\x", 2)}) {
    const auto parsed = parse_copy(text + std::string(wrong) + "\"");
    ASSERT_TRUE(parsed->error);
    EXPECT_EQ(parsed->error->offset, text.size());
  }
}

TEST(Parser, ReadsNoByteBeyondThePadding) {
  std::string buffer = R"({"a":"b"})";
  const std::size_t size = buffer.size();
  buffer.resize(size + kParsePadding);
  Parser parser;
  Document document;
  EXPECT_FALSE(parser.parse({buffer.data(), size}, {}, document));
  EXPECT_EQ(document.root()["a"].string(), "b");
}

TEST(Parser, PointsIntoTheTextAndCopiesNothing) {
  const auto parsed = parse_copy(R"({"a":"b\nc"})");
  const std::string_view text = *parsed->root()["a"].string();
  EXPECT_GE(text.data(), parsed->text.data());
  EXPECT_LE(text.data() + text.size(), parsed->text.data() + parsed->text.size());
}

TEST(Parser, IsReusableAfterSuccessAndFailure) {
  Parser parser;
  Document document;
  for (int round = 0; round < 3; ++round) {
    std::string good = R"([1,{"a":[true]}])" + std::string(kParsePadding, '\0');
    EXPECT_FALSE(parser.parse({good.data(), good.size() - kParsePadding}, {}, document));
    EXPECT_EQ(to_text(document.root()), R"([1,{"a":[true]}])");
    std::string bad = R"([1,{"a":[tru)" + std::string(kParsePadding, '\0');
    EXPECT_TRUE(parser.parse({bad.data(), bad.size() - kParsePadding}, {}, document));
    EXPECT_TRUE(document.empty());
  }
}

TEST(Parser, UsesTheLastDuplicateKeyUnlessRefused) {
  const std::string_view text = R"({"a":1,"b":{"c":1,"d":2,"c":3}})";
  EXPECT_EQ(parse_copy(text)->root()["b"]["c"].integer(), 3);
  const auto refused = parse_copy(text, {.refuse_duplicate_keys = true});
  ASSERT_TRUE(refused->error);
  EXPECT_EQ(refused->error->failure, ParseFailure::kDuplicateKey);
  EXPECT_EQ(refused->error->reason, "the key \"c\" occurs twice in one object");
  EXPECT_EQ(refused->error->offset, text.size() - 2) << "where the object ends";
}

TEST(Parser, RefusesDuplicatesOnlyWithinOneObject) {
  EXPECT_FALSE(
      parse_copy(R"({"a":{"a":1},"b":[{"a":1},{"a":1}]})", {.refuse_duplicate_keys = true})->error);
}

TEST(Parser, RefusesDuplicateKeysWithDifferentEscapes) {
  EXPECT_TRUE(parse_copy(R"({"a":1,"\u0061":1})", {.refuse_duplicate_keys = true})->error);
}

// --- metadata.managedFields

ParseOptions skip_at(std::size_t depth) {
  return {.skip_managed_fields_at = depth};
}

std::string skipped(std::string_view text, std::size_t depth) {
  const auto parsed = parse_copy(text, skip_at(depth));
  return parsed->error ? "error: " + parsed->error->message() : to_text(parsed->root());
}

TEST(ManagedFields, AreKeptWhenNothingIsSkipped) {
  const std::string_view text = R"({"metadata":{"managedFields":[{"manager":"x"}]}})";
  EXPECT_EQ(skipped(text, 0), text);
}

TEST(ManagedFields, AreSkippedAtTheGivenDepth) {
  EXPECT_EQ(
      skipped(R"({"metadata":{"name":"a","managedFields":[{"m":[1,"]"]}],"uid":"u"},"spec":1})", 1),
      R"({"metadata":{"name":"a","uid":"u"},"spec":1})");
  EXPECT_EQ(
      skipped(R"({"request":{"object":{"metadata":{"managedFields":[1],"name":"a"}},)"
              R"("oldObject":{"metadata":{"name":"b","managedFields":[ {} ]}}}})",
              3),
      R"({"request":{"object":{"metadata":{"name":"a"}},"oldObject":{"metadata":{"name":"b"}}}})");
}

TEST(ManagedFields, MayBeEmptyAloneOrDuplicated) {
  EXPECT_EQ(skipped(R"({"metadata":{"managedFields":[]}})", 1), R"({"metadata":{}})");
  EXPECT_EQ(skipped(R"({"metadata":{"managedFields" : [ [ ] ] , "managedFields":[1]}})", 1),
            R"({"metadata":{}})");
}

TEST(ManagedFields, AreNotCountedAsMembers) {
  const auto parsed =
      parse_copy(R"({"metadata":{"a":1,"managedFields":[{"b":1,"c":2}],"d":1},"e":1})", skip_at(1));
  ASSERT_FALSE(parsed->error);
  EXPECT_EQ(parsed->root().size(), 2U);
  EXPECT_EQ(parsed->root()["metadata"].size(), 2U);
  EXPECT_EQ(parsed->root()["metadata"]["d"].integer(), 1);
}

TEST(ManagedFields, AreKeptElsewhere) {
  for (const std::string text : {
           R"({"managedFields":[1]})",                            // not in metadata
           R"({"spec":{"metadata":{"managedFields":[1]}}})",      // too deep
           R"({"metadata":{"labels":{"managedFields":[1]}}})",    // below metadata
           R"({"metadata":{"metadata":{"managedFields":[1]}}})",  // the inner one
           R"({"metadata":[{"managedFields":[1]}]})",             // not an object
           R"({"metadata":1,"spec":{"managedFields":[1]}})",      // only the next object is skipped
           R"({"metadata":[],"spec":{"managedFields":[1]}})",
           R"({"x":["metadata",{"managedFields":[1]}]})",  // a value, not a name
           R"([{"managedFields":[1]}])",
       }) {
    EXPECT_EQ(skipped(text, 1), text);
  }
  const std::string shallow = R"({"metadata":{"managedFields":[1]}})";
  EXPECT_EQ(skipped(shallow, 3), shallow);
}

TEST(ManagedFields, AreKeptIfNotAnArray) {
  for (const std::string text : {
           R"({"metadata":{"managedFields":{"a":[1]},"b":1}})",
           R"({"metadata":{"managedFields":"[1]","b":1}})",
           R"({"metadata":{"managedFields":null}})",
           R"({"metadata":{"managedFields":7,"b":[]}})",
       }) {
    EXPECT_EQ(skipped(text, 1), text);
  }
}

TEST(ManagedFields, AreKeptIfTheNameIsEscaped) {
  EXPECT_EQ(skipped(R"({"metadata":{"managed\u0046ields":[1],"b":2}})", 1),
            R"({"metadata":{"managedFields":[1],"b":2}})");
  EXPECT_EQ(skipped(R"({"metadata":{"managedField\u0073":[1],"b":2}})", 1),
            R"({"metadata":{"managedFields":[1],"b":2}})");
}

TEST(ManagedFields, UnclosedArrayIsAnError) {
  const auto parsed = parse_copy(R"({"metadata":{"managedFields":[{"a":"]}]}}")", skip_at(1));
  ASSERT_TRUE(parsed->error);
  EXPECT_EQ(parsed->error->failure, ParseFailure::kTruncated);
  EXPECT_EQ(parsed->error->reason, "metadata.managedFields is not closed");
}

TEST(ManagedFields, ReportInvalidTextAfterTheArray) {
  const std::string_view text = R"({"metadata":{"managedFields":[1] "b":2}})";
  const auto parsed = parse_copy(text, skip_at(1));
  ASSERT_TRUE(parsed->error);
  EXPECT_EQ(parsed->error->offset, text.find("\"b\""));
  EXPECT_EQ(parsed->error->reason, "expected ',' or '}' after a member");
}

TEST(ManagedFields, MissingColonIsAnError) {
  const auto parsed = parse_copy(R"({"metadata":{"managedFields" [1]}})", skip_at(1));
  ASSERT_TRUE(parsed->error);
  EXPECT_EQ(parsed->error->reason, "expected ':' after a member name");
}

TEST(ManagedFields, IgnoreTheDepthLimit) {
  ParseOptions options = skip_at(1);
  options.max_depth = 3;
  EXPECT_FALSE(parse_copy(R"({"metadata":{"managedFields":[[[[[[]]]]]]}})", options)->error);
}

TEST(ManagedFields, AreSkippedAtEveryOffsetAndLength) {
  for (std::size_t before = 0; before < 70; ++before) {
    for (const std::size_t inside : {0U, 1U, 15U, 31U, 61U, 62U, 63U, 64U, 65U, 200U}) {
      const std::string name(before, 'n');
      const std::string text = R"({"metadata":{"name":")" + name + R"(","managedFields":["])" +
                               std::string(inside, '[') + R"("],"uid":"u"}})";
      ASSERT_EQ(skipped(text, 1), R"({"metadata":{"name":")" + name + R"(","uid":"u"}})");
    }
  }
}

// A value takes at least two bytes; an open container at the end of a text takes one.
TEST(Parser, ReservesNoMoreNodesThanTheTextAllows) {
  const auto repeated = [](std::string_view item, std::size_t count) {
    std::string text = "[";
    for (std::size_t i = 0; i < count; ++i) text.append(i > 0 ? "," : "").append(item);
    return text + "]";
  };
  const ParseOptions options;
  // One more than a power of two, where a doubling buffer is twice as large as needed.
  for (const std::size_t count : {65'536U, 65'537U, 100'000U}) {
    for (const std::string_view item : {"0", "{}", "[]", "\"\"", "null"}) {
      const std::string text = repeated(item, count);
      const auto parsed = parse_copy(text, options);
      ASSERT_FALSE(parsed->error);
      EXPECT_EQ(parsed->document.root().size(), count);
      EXPECT_LE(parsed->document.capacity(), text.size() / 2 + options.max_depth + 1) << item;
    }
  }
}

TEST(Parser, UsesLittleMemoryForFewValues) {
  const auto parsed = parse_copy("[\"" + std::string(1'000'000, ',') + "\"]");
  ASSERT_FALSE(parsed->error);
  EXPECT_LE(parsed->document.capacity(), 64U);
}

// --- an AdmissionReview

ParseOptions review_options(bool is_review) {
  return {
      .skip_managed_fields_at = 3, .is_admission_review = is_review, .copy_repeated = is_review};
}

std::unique_ptr<ParsedText> parse_review(std::string_view object, std::string_view old_object) {
  std::string text = R"({"request":{"object":)";
  text.append(object).append(R"(,"oldObject":)").append(old_object).append("}}");
  auto parsed = parse_copy(text, review_options(true));
  const auto expected = parse_copy(text, review_options(false));
  EXPECT_EQ(parsed->error.has_value(), expected->error.has_value()) << text;
  EXPECT_EQ(to_text(parsed->root()), to_text(expected->root())) << text;
  return parsed;
}

bool are_copies_at(const ParsedText& review, std::initializer_list<std::string_view> path) {
  Value object = review.root()["request"]["object"];
  Value old_object = review.root()["request"]["oldObject"];
  for (const std::string_view name : path) {
    object = object[name];
    old_object = old_object[name];
  }
  return are_copies(object, old_object);
}

TEST(ReviewParser, CopiesUnchangedContainersOfTheObject) {
  const auto review = parse_review(
      R"({"spec":{"envs":[1],"services":{"a":{"x":[1,{"y":"z"}]},"b":{"x":1}}},"status":{"s":{}}})",
      R"({"spec":{"envs":[1],"services":{"a":{"x":[1,{"y":"z"}]},"b":{"x":2}}},"status":{"s":{}}})");
  EXPECT_TRUE(are_copies_at(*review, {"spec", "envs"}));
  EXPECT_TRUE(are_copies_at(*review, {"spec", "services", "a"}));
  EXPECT_FALSE(are_copies_at(*review, {"spec", "services", "b"}));
  EXPECT_FALSE(are_copies_at(*review, {"spec"}));
  EXPECT_TRUE(are_copies_at(*review, {"status"}));
}

TEST(ReviewParser, CopiesMembersNextToAddedAndRemovedOnes) {
  const auto review =
      parse_review(R"({"spec":{"services":{"a":{"x":1},"b":{"x":"b"},"d":{"x":"d"}}}})",
                   R"({"spec":{"services":{"b":{"x":"b"},"c":{"x":1},"d":{"x":"d"}}}})");
  EXPECT_TRUE(are_copies_at(*review, {"spec", "services", "b"}));
  EXPECT_TRUE(are_copies_at(*review, {"spec", "services", "d"}));
}

TEST(ReviewParser, CopiesElementsOfArrays) {
  const auto review = parse_review(R"({"spec":{"components":[{"n":"a"},{"n":"b"},{"n":"c"}]}})",
                                   R"({"spec":{"components":[{"n":"a"},{"n":"x"},{"n":"c"}]}})");
  const Value now = review->root()["request"]["object"]["spec"]["components"];
  const Value old = review->root()["request"]["oldObject"]["spec"]["components"];
  EXPECT_TRUE(are_copies(*now.elements().begin(), *old.elements().begin()));
  EXPECT_FALSE(are_copies(now, old));
}

// Unescaping overwrites the text, which then must not be compared.
TEST(ReviewParser, ReadsTextsWithEscapesAgain) {
  const auto review = parse_review(R"({"spec":{"a":{"x":"\u0041\u0041"},"b":{"x":"1"}}})",
                                   R"({"spec":{"a":{"x":"\u0041\u0041"},"b":{"x":"1"}}})");
  EXPECT_FALSE(are_copies_at(*review, {"spec", "a"}));
  EXPECT_TRUE(are_copies_at(*review, {"spec", "b"}));
  // The bytes that the first text has after it was unescaped.
  parse_review(R"({"spec":{"a":{"x":"\u0041\u0041"}}})", R"({"spec":{"a":{"x":"AA0041\u0041"}}})");
  parse_review(R"({"spec":{"a":{"x":"\\n"}}})", R"({"spec":{"a":{"x":"\nn"}}})");
}

TEST(ReviewParser, CopiesWideObjects) {
  std::string wide;
  for (int i = 0; i < 300; ++i)
    wide += ",\"k" + std::to_string(i) + "\":[" + std::to_string(i) + "]";
  const std::string object = R"({"spec":{"services":{)" + wide.substr(1) + "}}}";
  const auto review = parse_review(object, object);
  ASSERT_TRUE(are_copies_at(*review, {"spec"}));
  const Value old = review->root()["request"]["oldObject"]["spec"]["services"];
  EXPECT_EQ((*old["k217"].elements().begin()).integer(), 217);
  EXPECT_FALSE(old["k300"].exists());
}

// Memory for each of many empty containers would exceed that of the text by far.
TEST(ReviewParser, RecordsBoundedNumberOfContainers) {
  constexpr std::size_t kMany = RepeatedContainers::kMaxOfLevel;
  for (const std::size_t count : {kMany - 1, kMany, kMany + 1, 3 * kMany}) {
    std::string list;
    for (std::size_t i = 0; i < count; ++i) list += i == 0 ? "{}" : ",{}";
    const std::string object = R"({"a":[)" + list + R"(],"z":{"x":1}})";
    const std::string old_object = R"({"a":[)" + list + R"(,{}],"z":{"x":1}})";
    const auto review = parse_review(object, old_object);
    const Value now = review->root()["request"]["object"]["a"];
    const Value old = review->root()["request"]["oldObject"]["a"];
    EXPECT_EQ(old.size(), count + 1);
    EXPECT_EQ(now.size(), count);
    EXPECT_TRUE(are_copies_at(*review, {"z"}));
  }
  RepeatedContainers containers;
  const std::string_view text = "{}";
  for (std::size_t i = 0; i < 3 * kMany; ++i) {
    containers.open(0, "a", text.data(), 7, 0);
    containers.close(0, text.data() + text.size(), 0);
  }
  std::size_t found = 0;
  while (containers.find(0, "a", text.data(), text.data() + text.size()) != nullptr) ++found;
  EXPECT_EQ(found, kMany);
}

TEST(ReviewParser, ReportsErrorsOfTheOldObject) {
  for (const std::string_view old_object :
       {R"({"spec":{"a":{"x":1})", R"({"spec":{"a":{"x":1}})", R"({"spec":{"a":{"x":1]}})",
        R"({"spec":{"a":{"x":1}x}})", R"({"spec":{"a":{"x":1}"b":1}})"}) {
    parse_review(R"({"spec":{"a":{"x":1}}})", old_object);
  }
}

TEST(ReviewParser, MatchesThePlainParserForRandomEdits) {
  std::mt19937 random{20261130};  // the same edits in every run
  const std::string object =
      R"({"metadata":{"annotations":{"a":"b","c":"d"},"labels":{}},"spec":{"envs":[{"n":"\"q"},{}],)"
      R"("services":{"a":{"x":[1,[2],{"y":"z\\"}]},"b":{},"c":{"x":"1"},"d":[[],{}]}},"status":{}})";
  constexpr std::string_view kLetters = R"("\{}[],:a1 )";
  for (int round = 0; round < 20'000; ++round) {
    std::string old_object = object;
    for (auto edits = random() % 3; edits > 0; --edits) {
      const std::size_t at = random() % old_object.size();
      const std::size_t length = random() % 4;
      const char letter = kLetters[random() % kLetters.size()];
      old_object.replace(at, length, std::string(random() % 3, letter));
    }
    parse_review(object, old_object);
  }
}

TEST(ReviewParser, SkipsTheLastAppliedConfiguration) {
  const std::string annotations =
      R"({"a":"b","kubectl.kubernetes.io/last-applied-configuration":"{\"a\":\"\\\\\"}\n","c":"d"})";
  const auto parsed =
      parse_copy(R"({"request":{"object":{"metadata":{"annotations":)" + annotations +
                     R"(,"labels":)" + annotations + R"(},"spec":{"annotations":)" + annotations +
                     R"(}},"oldObject":{"metadata":{"annotations":)" + annotations + "}}}}",
                 review_options(true));
  ASSERT_FALSE(parsed->error) << parsed->error->message();
  const Value object = parsed->root()["request"]["object"];
  EXPECT_EQ(to_text(object["metadata"]["annotations"]), R"({"a":"b","c":"d"})");
  EXPECT_EQ(object["metadata"]["labels"].size(), 3U) << "only annotations of the object itself";
  EXPECT_EQ(object["spec"]["annotations"].size(), 3U);
  EXPECT_EQ(to_text(parsed->root()["request"]["oldObject"]["metadata"]["annotations"]),
            R"({"a":"b","c":"d"})");
}

TEST(ReviewParser, KeepsLastAppliedConfigurationWithoutText) {
  const std::string_view text =
      R"({"request":{"object":{"metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":{"a":1}}}}}})";
  EXPECT_EQ(to_text(parse_copy(text, review_options(true))->root()), text);
}

}  // namespace
}  // namespace dynamo::json
