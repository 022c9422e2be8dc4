#include "cli/input/manifests_cut.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "json/document.hpp"
#include "json/writer.hpp"
#include "json/yaml.hpp"

namespace dynamo::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Returns its text in pieces of a few bytes.
class ChunkedSource final : public ByteSource {
 public:
  ChunkedSource(std::string_view text, std::size_t step) : rest_(text), step_(step) {}
  std::variant<std::size_t, ReadFault> read(std::span<char> bytes) override {
    const std::size_t count = std::min({bytes.size(), rest_.size(), step_});
    rest_.copy(bytes.data(), count);
    rest_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view rest_;
  std::size_t step_;
};

class FailingSource final : public ByteSource {
 public:
  std::variant<std::size_t, ReadFault> read(std::span<char> bytes) override {
    if (calls_++ > 0) return ReadFault{"the disk is on fire"};
    constexpr std::string_view kText = "a: 1\n---\nb";
    kText.copy(bytes.data(), kText.size());
    return kText.size();
  }

 private:
  int calls_ = 0;
};

struct Cut {
  std::vector<Slice> slices;
  std::vector<InputFault> faults;
};

Cut cut(std::unique_ptr<ByteSource> source, bool is_json = false) {
  ManifestCutter cutter(std::move(source), is_json);
  Cut result;
  for (;;) {
    auto piece = cutter.next();
    if (auto* const slice = std::get_if<Slice>(&piece)) {
      result.slices.push_back(std::move(*slice));
    } else if (auto* const fault = std::get_if<InputFault>(&piece)) {
      result.faults.push_back(std::move(*fault));
    } else {
      return result;
    }
  }
}

Cut cut(std::string_view text, bool is_json = false) {
  return cut(text_source(text), is_json);
}

std::string together(const Cut& result) {
  std::string text;
  for (const Slice& slice : result.slices) text += slice.text;
  return text;
}

Syntax syntax_of(std::string_view text, bool is_json = false) {
  const Cut result = cut(text, is_json);
  EXPECT_EQ(result.slices.size(), 1U);
  EXPECT_THAT(result.faults, IsEmpty());
  return result.slices.at(0).syntax;
}

std::size_t lines_in(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

TEST(ManifestCutterTest, DetectsTheSyntaxFromTheText) {
  EXPECT_EQ(syntax_of("a: 1\n"), Syntax::kYaml);
  EXPECT_EQ(syntax_of("# {\na: 1\n"), Syntax::kYaml);
  EXPECT_EQ(syntax_of("[1, 2]"), Syntax::kYaml);
  EXPECT_EQ(syntax_of("{\"a\": 1}"), Syntax::kJson);
  EXPECT_EQ(syntax_of("---\n  {\"a\": 1}\n"), Syntax::kYaml) << "as kubectl has it";
  EXPECT_EQ(syntax_of("\xEF\xBB\xBF{}"), Syntax::kJson);
  EXPECT_EQ(syntax_of("{a: 1}"), Syntax::kJson) << "kubectl up to 1.32 refuses it";
  EXPECT_EQ(syntax_of("{\"a\": 1, b: 2}"), Syntax::kJson);
  EXPECT_EQ(syntax_of("\xEF\xBB\xBF{a: 1}"), Syntax::kYaml);
  EXPECT_EQ(syntax_of("{{- if .Values.x }}\na: 1\n"), Syntax::kYaml) << "a template is neither";
  EXPECT_EQ(syntax_of("{\"a\": 1,, }"), Syntax::kJson) << "neither, but it looks like JSON";
  EXPECT_EQ(syntax_of("{\"a\": "), Syntax::kJson);
}

TEST(ManifestCutterTest, TrustsTheJsonSuffixForAmbiguousText) {
  EXPECT_EQ(syntax_of("[1, 2]", true), Syntax::kJson);
  EXPECT_EQ(syntax_of("{a: 1}", true), Syntax::kJson);
  EXPECT_EQ(syntax_of("a: 1", true), Syntax::kYaml);
}

TEST(ManifestCutterTest, EmptyInputsHaveNoSlice) {
  EXPECT_THAT(cut("").slices, IsEmpty());
}

// Documents of odd lengths, in more than one slice.
std::string many_documents(bool json) {
  std::string text;
  for (std::size_t i = 0; i < 2'000; ++i) {
    const std::string body(i % 301, static_cast<char>('a' + i % 26));
    if (json) {
      text += R"({"n": )" + std::to_string(i) + R"(, "b": "}{)" + body + "\"}\n";
    } else {
      text += "---\nnumber: " + std::to_string(i) + "\nb: |\n  --- " + body + "\n";
    }
  }
  return text;
}

TEST(ManifestCutterTest, YamlSlicesContainWholeDocuments) {
  const std::string text = many_documents(false);
  const Cut result = cut(text);
  EXPECT_EQ(together(result), text);
  EXPECT_GT(result.slices.size(), 2U);
  std::size_t documents = 0;
  std::size_t lines = 0;
  for (const Slice& slice : result.slices) {
    EXPECT_EQ(slice.lines_before, lines);
    EXPECT_TRUE(slice.text.starts_with("---\nnumber: " + std::to_string(documents) + "\n"));
    lines += lines_in(slice.text);
    json::YamlReader reader(slice.text);
    json::Document document;
    while (reader.next(document) == json::YamlReader::ReadResult::kDocument) {
      EXPECT_EQ(document.root()["number"].integer(), static_cast<std::int64_t>(documents));
      ++documents;
    }
  }
  EXPECT_EQ(documents, 2'000U);
}

TEST(ManifestCutterTest, JsonSlicesContainWholeValues) {
  const std::string text = many_documents(true);
  const Cut result = cut(text);
  EXPECT_EQ(together(result), text);
  EXPECT_GT(result.slices.size(), 2U);
  std::size_t lines = 0;
  for (const Slice& slice : result.slices) {
    EXPECT_EQ(slice.syntax, Syntax::kJson);
    EXPECT_EQ(slice.lines_before, lines);
    lines += lines_in(slice.text);
    EXPECT_EQ(slice.text[skip_between_values(slice.text, 0)], '{');
    EXPECT_THAT(slice.text, testing::AnyOf(testing::EndsWith("}"), testing::EndsWith("}\n")));
  }
}

TEST(ManifestCutterTest, SlicesDoNotDependOnReadSizes) {
  for (const bool json : {false, true}) {
    const std::string text = many_documents(json);
    for (const std::size_t step : {std::size_t{3}, std::size_t{4097}}) {
      const Cut result = cut(std::make_unique<ChunkedSource>(text, step), json);
      EXPECT_EQ(together(result), text);
      EXPECT_THAT(result.faults, IsEmpty());
    }
  }
}

TEST(ManifestCutterTest, YamlMayFollowJsonAfterASeparator) {
  const Cut result = cut("{\"a\": 1}\n---\nb: 2\n---\n{\"c\": 3}\n");
  ASSERT_EQ(result.slices.size(), 3U);
  EXPECT_EQ(result.slices[0].text, "{\"a\": 1}");
  EXPECT_EQ(result.slices[0].syntax, Syntax::kJson);
  EXPECT_EQ(result.slices[1].text, "\n---\nb: 2\n");
  EXPECT_EQ(result.slices[1].syntax, Syntax::kYaml);
  EXPECT_EQ(result.slices[2].text, "---\n{\"c\": 3}\n");
  EXPECT_EQ(result.slices[2].syntax, Syntax::kYaml);
}

TEST(ManifestCutterTest, TooLongDocumentsAreFaults) {
  const std::string filler(kLongestDocument / 2, 'x');
  const std::string yaml = "a: 1\n---\nb: " + filler + "\nc: " + filler + "\n---\nd: 1\n";
  const Cut result = cut(yaml);
  ASSERT_EQ(result.faults.size(), 1U);
  EXPECT_EQ(result.faults[0].line, 2U);
  EXPECT_EQ(result.faults[0].reason, "the document is longer than 8388608 bytes; split it");
  ASSERT_EQ(result.slices.size(), 2U);
  EXPECT_EQ(result.slices[0].text, "a: 1\n");
  EXPECT_EQ(result.slices[1].text, "---\nd: 1\n");
  EXPECT_EQ(result.slices[1].lines_before, 4U);
}

TEST(ManifestCutterTest, TooLongJsonValuesAreFaults) {
  const std::string filler(kLongestDocument / 2, 'x');
  const std::string json = "\n{\"a\": 1}\n\n{\n  \"b\": \"" + filler + "\",\n  \"c\": \"" + filler +
                           "\"\n}\n{\"d\": 1}\n";
  const Cut result = cut(json);
  // A value of this length is more likely unclosed; so that is tried first.
  ASSERT_EQ(result.faults.size() + result.slices.size(), 3U);
  EXPECT_EQ(result.slices.front().text, "\n{\"a\": 1}");
  EXPECT_EQ(result.slices.back().text, "{\"d\": 1}\n");
  EXPECT_EQ(result.slices.back().lines_before, 7U);
}

TEST(ManifestCutterTest, UnclosedValueDoesNotHideLaterValues) {
  std::string json = "{\"open\": [1,\n";
  while (json.size() < kLongestDocument + 100'000) {
    json += "{\"a\": \"" + std::string(10'000, 'x') + "\"}\n";
  }
  const Cut result = cut(json, true);
  EXPECT_THAT(result.faults, IsEmpty());
  ASSERT_GT(result.slices.size(), 2U);
  EXPECT_EQ(result.slices[0].text, "{\"open\": [1,\n");
  EXPECT_EQ(together(result), json);
}

// Each costs a search through a whole document.
TEST(ManifestCutterTest, SlicingUnclosedValuesTerminates) {
  std::string json = "{\"a\"\n";
  while (json.size() < kLongestDocument + 1'000'000) json += "{\n";
  const Cut result = cut(json, true);
  ASSERT_EQ(result.faults.size(), 1U);
  EXPECT_EQ(result.faults[0].line, 65U);
  EXPECT_EQ(result.faults[0].reason,
            "there are too many values that are not closed to read on; fix those first");
  EXPECT_EQ(result.slices.size(), 64U);
}

// Text as kubectl reads it.
TEST(ManifestCutterTest, Utf16ManifestIsAFault) {
  const auto wide = [](std::string_view mark, std::string_view text, bool is_big) {
    std::string all(mark);
    for (const char c : text) {
      if (is_big) all += '\0';
      all += c;
      if (!is_big) all += '\0';
    }
    return all;
  };
  for (const auto& [text, is_manifest] : {std::pair{"apiVersion: v1\n", true}, {"a: 1\n", false}}) {
    for (const bool is_big : {false, true}) {
      const std::string bytes = wide(is_big ? "\xFE\xFF" : "\xFF\xFE", text, is_big);
      ManifestCutter cutter(text_source(bytes), false);
      const auto first = cutter.next();
      ASSERT_TRUE(std::holds_alternative<InputFault>(first));
      EXPECT_EQ(std::get<InputFault>(first).reason, "the text is UTF-16; save it as UTF-8");
      EXPECT_EQ(cutter.is_long_document_manifest(), is_manifest);
      EXPECT_TRUE(std::holds_alternative<ManifestCutter::EndOfInput>(cutter.next()));
    }
  }
}

TEST(ManifestCutterTest, BuffersAtMostOneMaximalDocument) {
  // One value of 20 MiB, on one line, and one after it.
  const std::string json =
      "{\"a\": \"" + std::string(std::size_t{20} << 20U, 'x') + "\"}\n{\"b\": 1}\n";
  const Cut result = cut(json);
  ASSERT_EQ(result.faults.size() + result.slices.size(), 2U);
  for (const Slice& slice : result.slices) {
    EXPECT_LE(slice.text.size(), kLongestDocument + 1);
  }
  EXPECT_EQ(result.slices.back().text, "{\"b\": 1}\n");
}

TEST(ManifestCutterTest, AFailingReadEndsTheInput) {
  ManifestCutter cutter(std::make_unique<FailingSource>(), false);
  const auto first = cutter.next();
  ASSERT_TRUE(std::holds_alternative<InputFault>(first));
  EXPECT_EQ(std::get<InputFault>(first).reason, "the disk is on fire");
  EXPECT_TRUE(std::holds_alternative<ManifestCutter::EndOfInput>(cutter.next()));
}

}  // namespace
}  // namespace dynamo::cli
