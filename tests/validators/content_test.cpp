// Checks of values without fields: versions, URIs, quoting.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "validators/content/semver.hpp"
#include "validators/content/siphash.hpp"
#include "validators/content/uri.hpp"
#include "validators/report.hpp"

namespace dynamo::validators {
namespace {

TEST(LenientSemver, AcceptsVersions) {
  for (const std::string_view version : {"1.2.3",
                                         "0.0.0",
                                         "v1.2.3",
                                         "1",
                                         "1.2",
                                         "v1",
                                         "v1.2",
                                         "01.02.03",
                                         "007",
                                         "1.2.3-alpha",
                                         "1.2.3-alpha.1",
                                         "1.2.3-0",
                                         "1.2.3-0.0",
                                         "1.2.3-01a",
                                         "1.2.3--",
                                         "1.2.3-a-b",
                                         "1.2.3+build",
                                         "1.2.3+01.a-b",
                                         "1.2.3-rc.1+build.5",
                                         "1-alpha",
                                         "1.2-alpha",
                                         "1+build",
                                         "0.0.0-unknown",
                                         "18446744073709551615.0.0"}) {
    EXPECT_TRUE(is_lenient_semver(version)) << version;
  }
}

TEST(LenientSemver, RefusesOtherTexts) {
  for (const std::string_view version : {"",
                                         "latest",
                                         "v",
                                         "vv1.2.3",
                                         "V1.2.3",
                                         "1.2.3.4",
                                         "1.",
                                         "1.2.",
                                         ".1",
                                         "1..3",
                                         "a.b.c",
                                         "1.2.c",
                                         "1.2.3-",
                                         "1.2.3-.a",
                                         "1.2.3-a.",
                                         "1.2.3-a..b",
                                         "1.2.3-01",
                                         "1.2.3-a.01",
                                         "1.2.3+",
                                         "1.2.3+a..b",
                                         "1.2.3+a+b",
                                         "1.2.3-+a",
                                         "1.2.3-a_b",
                                         "1.2.3 ",
                                         " 1.2.3",
                                         "1.2.3\n",
                                         "-1.2.3",
                                         "+1.2.3",
                                         "1.-2.3",
                                         "1.2.3/4",
                                         "18446744073709551616.0.0",
                                         "1,2",
                                         "1.2.3-\xC3\xA4"}) {
    EXPECT_FALSE(is_lenient_semver(version)) << version;
  }
}

TEST(ModelSource, AcceptsS3HuggingFaceAndLocalPaths) {
  for (const std::string_view uri :
       {"s3://bucket/key", "s3://", "hf://org/model@main", "hf://", "file:///a", "file:////a"}) {
    EXPECT_TRUE(is_model_source(uri)) << uri;
  }
  for (const std::string_view uri :
       {"", "s3:/bucket", "s3:", "s3", "S3://bucket", "Hf://a", " s3://bucket", "file://",
        "file:///", "file://host/path", "file:/path", "FILE:///a", "https://example.com",
        "/models/a", "gs://a"}) {
    EXPECT_FALSE(is_model_source(uri)) << uri;
  }
}

// A separate name, because quoted() with a std::string would be std::quoted.
std::string shown(std::string_view text) {
  return quoted(text);
}

// Bytes 0 to 15, as in the published test vectors.
constexpr HashKey kPublishedKey{.first = 0x0706050403020100U, .second = 0x0F0E0D0C0B0A0908U};

TEST(SipHash, MatchesPublishedTestVectors) {
  const std::string bytes{"\0\1\2\3\4\5\6\7\10\11\12\13\14\15\16", 15};
  EXPECT_EQ(siphash("", kPublishedKey), 0x726FDB47DD0E0E31U);
  EXPECT_EQ(siphash(bytes.substr(0, 1), kPublishedKey), 0x74F839C593DC67FDU);
  EXPECT_EQ(siphash(bytes, kPublishedKey), 0xA129CA6149BE45E5U);
}

// With a known key, collisions can be constructed.
TEST(SipHash, FirstKeyWins) {
  const HashKey first = process_hash_key();  // set by now
  use_hash_key({.first = first.first + 1, .second = 2});
  EXPECT_EQ(process_hash_key().first, first.first);
  EXPECT_EQ(siphash("text"), siphash("text", first));
  EXPECT_NE(siphash("text"), siphash("text", {.first = 1, .second = 2}));
}

TEST(Quoted, LongTextsAndControlCharactersAreReplaced) {
  EXPECT_EQ(shown(""), "\"\"");
  EXPECT_EQ(shown("plain"), "\"plain\"");
  EXPECT_EQ(shown("a\nb\tc\x7F"), "\"a b c \"");
  EXPECT_EQ(shown(std::string(64, 'a')), "\"" + std::string(64, 'a') + "\"");
  EXPECT_EQ(shown(std::string(40, 'a') + std::string(5, 'b') + std::string(20, 'c')),
            "\"" + std::string(40, 'a') + "…" + std::string(20, 'c') + "\"")
      << "the end distinguishes them";
}

TEST(Quoted, CutsKeepCharactersWhole) {
  // The cuts are in the middle of two-byte characters.
  EXPECT_EQ(shown(std::string(39, 'a') + "ä" + std::string(30, 'b') + "ä" + std::string(19, 'c')),
            "\"" + std::string(39, 'a') + "…" + std::string(19, 'c') + "\"");
  EXPECT_EQ(shown(std::string(62, 'a') + "ä"), "\"" + std::string(62, 'a') + "ä\"");
}

}  // namespace
}  // namespace dynamo::validators
