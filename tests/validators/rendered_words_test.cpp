// The checks of texts that the rules for models, requests and checkpoints share.
#include <gtest/gtest.h>

#include <string_view>

#include "tests/support/objects.hpp"
#include "validators/content/placeholder.hpp"
#include "validators/content/uri.hpp"
#include "validators/rendered/request/settings.hpp"

namespace dynamo::validators {
namespace {

TEST(SourceFault, LoadableSourcesHaveNone) {
  for (const std::string_view uri :
       {"s3://bucket/key", "s3://bucket//key", "s3://bucket/a/b/", "s3://b/a..b", "s3://b/...",
        "hf://name", "hf://org/name", "file:///models/lora", "s3://bücket/ključ"}) {
    EXPECT_EQ(source_fault(uri), SourceFault::kNone) << uri;
  }
}

TEST(SourceFault, MissingPartIsNamed) {
  for (const std::string_view uri : {"s3://", "s3:///", "hf://", "hf:///", "file:////"}) {
    EXPECT_EQ(source_fault(uri), SourceFault::kNothing) << uri;
  }
  for (const std::string_view uri : {"s3://bucket", "s3://bucket/", "s3://bucket//", "s3:///key"}) {
    EXPECT_EQ(source_fault(uri), SourceFault::kNoKey) << uri;
  }
}

TEST(SourceFault, BlanksAndControlCharactersAreFaults) {
  for (const std::string_view uri : {"s3://bucket/a b", "s3://bucket/key ", "hf:// name",
                                     "file:///a\tb", "s3://b/k\n", "s3://b/k\x7F", "s3://b/\x01"}) {
    EXPECT_EQ(source_fault(uri), SourceFault::kBlank) << uri;
  }
}

TEST(SourceFault, ClimbingPartsAreFaults) {
  for (const std::string_view uri :
       {"s3://bucket/../key", "s3://../key", "file:///..", "hf://org/.."}) {
    EXPECT_EQ(source_fault(uri), SourceFault::kClimbs) << uri;
  }
}

TEST(Placeholder, IsWholeTextInBracketsOrBraces) {
  for (const std::string_view text :
       {"<model>", "<your model>", "{{ model }}", "{{model}}", "${MODEL}", "${MODEL:-none}"}) {
    EXPECT_TRUE(is_placeholder(text)) << text;
  }
}

TEST(Placeholder, RefusesOtherTexts) {
  for (const std::string_view text :
       {"", "model", "<>", "{{}}", "${}", "<", ">", "a <b>", "<b> a", "<a> <b>", "a < b > c",
        "$(MODEL)", "$MODEL", "{\"a\": {\"b\": 1}}", "{{ a }} {{ b }}", "${A}/${B}"}) {
    EXPECT_FALSE(is_placeholder(text)) << text;
  }
}

TEST(SettingsOfARequest, BothSpellingsAreRead) {
  using requests::is_spelling_of;
  EXPECT_TRUE(is_spelling_of("maxNumGpusPerEngine", "maxNumGpusPerEngine"));
  EXPECT_TRUE(is_spelling_of("max_num_gpus_per_engine", "maxNumGpusPerEngine"));
  EXPECT_TRUE(is_spelling_of("isl", "isl"));
  for (const std::string_view key :
       {"", "max", "max_num_gpus_per_engin", "max_num_gpus_per_engine_", "max_num_gpus_perEngine",
        "maxnumgpusperengine", "MaxNumGpusPerEngine", "max-num-gpus-per-engine"}) {
    EXPECT_FALSE(is_spelling_of(key, "maxNumGpusPerEngine")) << key;
  }
  EXPECT_FALSE(requests::is_snake_case_of("isl", "isl"));
}

TEST(SettingsOfARequest, CamelCaseWinsIfBothAreGiven) {
  const auto read = [](std::string_view yaml) {
    const json::Document section = test::from_yaml(yaml);
    const requests::Setting found = requests::find_setting(section.root(), "dgdImage");
    return std::string(found.key) + "=" + std::string(found.value.string_or_empty());
  };
  EXPECT_EQ(read("{dgdImage: a}"), "dgdImage=a");
  EXPECT_EQ(read("{dgd_image: b}"), "dgd_image=b");
  EXPECT_EQ(read("{dgdImage: a, dgd_image: b}"), "dgdImage=a");
  EXPECT_EQ(read("{dgd_image: b, dgdImage: a}"), "dgdImage=a");
  EXPECT_EQ(read("{dgdImage: null, dgd_image: b}"), "dgd_image=b");
  EXPECT_EQ(read("{dgdImage: null}"), "dgdImage=");
  EXPECT_EQ(read("{}"), "dgdImage=");
}

}  // namespace
}  // namespace dynamo::validators
