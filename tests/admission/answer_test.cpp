// Writes findings as the texts of an answer.
#include "admission/answer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "json/parser.hpp"
#include "tests/support/api_server.hpp"
#include "tests/support/objects.hpp"
#include "tests/support/review_fixture.hpp"

namespace dynamo::admission {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

api::Error error(std::string field, std::string_view rule = "a.rule") {
  return {api::ErrorType::kInvalid, std::move(field), "must hold", rule};
}
api::Warning warning(std::string detail) {
  return {"f", std::move(detail), "r"};
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

TEST(RenderWarnings, WarningsNameFieldAndRule) {
  api::ErrorList findings;
  findings.warn(warning("is ignored"));
  EXPECT_THAT(render_warnings(findings, false), ElementsAre("f: is ignored [r]"));
}

TEST(RenderWarnings, NoFindingsMeanNoWarnings) {
  EXPECT_TRUE(render_warnings({}, false).empty());
  EXPECT_TRUE(render_warnings({}, true).empty());
}

TEST(RenderWarnings, ErrorsAreIncludedOnlyOnRequest) {
  api::ErrorList findings;
  findings.add(error("spec.a"));
  findings.warn(warning("w"));
  EXPECT_THAT(render_warnings(findings, false), ElementsAre("f: w [r]"));
  EXPECT_THAT(
      render_warnings(findings, true),
      ElementsAre("would be denied: spec.a: Invalid value: must hold [a.rule]", "f: w [r]"));
}

TEST(RenderWarnings, ControlCharactersAreReplaced) {
  api::ErrorList findings;
  findings.warn(
      warning("a\nb\tc\x7F"
              "d"));
  EXPECT_THAT(render_warnings(findings, false), ElementsAre("f: a b c d [r]"));
}

TEST(RenderWarnings, LongWarningsAreCutTo256Characters) {
  // "f: " and " [r]" are 7 characters.
  for (const auto& [length, wanted] : {std::pair{249, 256}, std::pair{250, 256}, {5'000, 256}}) {
    api::ErrorList findings;
    std::string detail;
    for (int i = 0; i < length; ++i) detail += "ä";
    findings.warn(warning(detail));
    const std::vector<std::string> warnings = render_warnings(findings, false);
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_EQ(characters(warnings[0]), static_cast<std::size_t>(wanted)) << length;
    // Only the middle is cut; the rule's id is kept.
    EXPECT_EQ(warnings[0].ends_with("… [r]"), length > 249) << length;
    EXPECT_TRUE(warnings[0].ends_with(" [r]")) << length;
  }
}

TEST(RenderWarnings, UnicodeControlCharactersAreReplaced) {
  api::ErrorList findings;
  findings.warn(
      warning("a\nb\x7F"
              "c\u0085d\u009Fe\u00A0f"));
  EXPECT_EQ(render_warnings(findings, false).front(), "f: a b c  d  e\\u00a0f [r]");
}

TEST(RenderWarnings, InvisibleCharactersAreEscaped) {
  api::ErrorList findings;
  findings.warn({"spec.\u200Bx", "a\u202Eb\u2066c\u200Bd", "r"});
  EXPECT_THAT(render_warnings(findings, false),
              ElementsAre("spec.\\u200bx: a\\u202eb\\u2066c\\u200bd [r]"));
}

TEST(RenderWarnings, TotalIsLimitedAndRestIsCounted) {
  api::ErrorList findings;
  for (int i = 0; i < 100; ++i) {
    findings.warn(warning(std::to_string(i) + std::string(190, 'w')));
  }
  const std::vector<std::string> warnings = render_warnings(findings, false);
  std::size_t total = 0;
  for (const std::string& text : warnings) total += characters(text);
  EXPECT_LE(total, 4'096U);
  EXPECT_GT(total, 3'800U);
  EXPECT_THAT(warnings.front(), StartsWith("f: 0w"));
  EXPECT_EQ(warnings.back(), "and " + std::to_string(100 - (warnings.size() - 1)) +
                                 " more; validate the manifest to see all");
}

TEST(RenderWarnings, TotalBytesAreLimited) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "\u20AC";  // 3 bytes
  api::ErrorList findings;
  for (int i = 0; i < 100; ++i) findings.warn(warning(std::to_string(i) + text));
  const std::vector<std::string> warnings = render_warnings(findings, false);
  std::size_t total = 0;
  for (const std::string& line : warnings) total += line.size();
  EXPECT_LE(total, 8'192U);
  EXPECT_GT(total, 7'000U);
  EXPECT_EQ(warnings.back(), "and " + std::to_string(100 - (warnings.size() - 1)) +
                                 " more; validate the manifest to see all");
}

// 80 of 4096 characters and of 8192 bytes are kept for the number of omitted warnings.
TEST(RenderWarnings, WarningsUpToTheLimitsFit) {
  struct Lines {
    int count;
    int letters;  // of one byte, with the number of the line
    int wide;     // of three bytes
  };
  // "f: " and " [r]" are 7 characters.
  for (const Lines& lines : {Lines{16, 244, 0}, Lines{12, 3, 222}}) {
    api::ErrorList findings;
    std::size_t bytes = 0;
    for (int i = 0; i < lines.count; ++i) {
      std::string text = std::to_string(100 + i);
      text.append(static_cast<std::size_t>(lines.letters - 3), 'w');
      for (int at = 0; at < lines.wide; ++at) text += "\u20AC";
      bytes += text.size() + 7;
      findings.warn(warning(text));
    }
    EXPECT_EQ(bytes, lines.wide == 0 ? 4'016U : 8'112U);
    EXPECT_EQ(render_warnings(findings, false).size(), static_cast<std::size_t>(lines.count));
    findings.warn(warning(""));
    EXPECT_EQ(render_warnings(findings, false).back(),
              "and 1 more; validate the manifest to see all");
  }
}

TEST(RenderWarnings, OmittedFindingsAreCounted) {
  api::ErrorList findings;
  for (std::size_t i = 0; i < api::kMaxWarnings + 5; ++i) {
    findings.warn(warning(std::to_string(i)));
  }
  EXPECT_EQ(render_warnings(findings, false).back(),
            "and 5 more; validate the manifest to see all");
}

TEST(RenderWarnings, DuplicatesAreReportedOnce) {
  api::ErrorList findings;
  findings.warn(warning("a\nb"));
  findings.warn(warning("a\tb"));
  EXPECT_THAT(render_warnings(findings, false), ElementsAre("f: a b [r]"));
}

TEST(DenialMessage, MatchesApiServerFormat) {
  constexpr api::Kind kKind = api::Kind::kModel;
  api::ErrorList findings;
  findings.add(error("spec.a"));
  EXPECT_EQ(denial_message(kKind, "n", findings),
            "DynamoModel.nvidia.com \"n\" is invalid: spec.a: Invalid value: must hold [a.rule]");
  findings.add(error("spec.b"));
  EXPECT_EQ(denial_message(kKind, "n", findings),
            "DynamoModel.nvidia.com \"n\" is invalid: [spec.a: Invalid value: must hold [a.rule], "
            "spec.b: Invalid value: must hold [a.rule]]");
}

TEST(DenialMessage, InvisibleCharactersAreEscaped) {
  api::ErrorList findings;
  findings.add({api::ErrorType::kInvalid, "spec.\u202Ex", "found \u2067y", "r"});
  EXPECT_EQ(denial_message(api::Kind::kModel, "n\u200B", findings),
            "DynamoModel.nvidia.com \"n\\u200b\" is invalid: spec.\\u202ex: Invalid value: found "
            "\\u2067y [r]");
}

TEST(DenialMessage, OmittedErrorsAreCounted) {
  api::ErrorList findings;
  for (std::size_t i = 0; i < api::kMaxErrors + 7; ++i)
    findings.add(error("f" + std::to_string(i)));
  EXPECT_TRUE(denial_message(api::Kind::kModel, "n", findings).ends_with("[a.rule], and 7 more]"));
}

TEST(RuleIds, AreUniqueAndInErrorOrder) {
  api::ErrorList findings;
  findings.add(error("a", "second"));
  findings.add(error("b", "first"));
  findings.add(error("c", "second"));
  EXPECT_THAT(rule_ids(findings), ElementsAre("second", "first"));
}

// The whole answer for a graph with one error and one warning.
struct Answers {
  explicit Answers(Enforcement enforcement) {
    fixture.reviewer = Reviewer(enforcement, {});
    const json::Document object = test::from_yaml(
        test::object_text(api::Kind::kGraphDeployment, "{services: {A: {" DYNAMO_UNSCALED_SERVICE
                                                       ", replicas: -1, autoscaling: {}}}}"));
    review = test::review_text({.object = object.root()});
    reviewed = fixture.review(test::validating(api::Kind::kGraphDeployment), review);
    accepted = test::accept_answer(review, reviewed.answer, test::Webhook::kValidating);
  }
  test::ReviewFixture fixture;
  std::string review;
  test::ReviewResponse reviewed;
  test::ResponseCheck accepted;
};

TEST(Enforcement, DenyModeDenies) {
  const Answers answers{Enforcement::kDeny};
  EXPECT_EQ(answers.accepted.complaint, "");
  EXPECT_EQ(answers.reviewed.verdict, ReviewVerdict::kDenied);
  EXPECT_FALSE(answers.accepted.allowed);
  EXPECT_THAT(answers.accepted.warnings,
              ElementsAre(StartsWith("spec.services[A].autoscaling: is deprecated")));
  EXPECT_EQ(answers.accepted.audit_key, "denied-by");
  EXPECT_EQ(answers.accepted.audit_value, "service.replicas.non-negative");
}

TEST(Enforcement, AuditModeAllowsAndWarns) {
  const Answers answers{Enforcement::kAudit};
  EXPECT_EQ(answers.accepted.complaint, "");
  EXPECT_EQ(answers.reviewed.verdict, ReviewVerdict::kAudited);
  EXPECT_TRUE(answers.accepted.allowed);
  EXPECT_THAT(answers.accepted.warnings,
              ElementsAre(StartsWith("would be denied: spec.services[A].replicas: Invalid value: "),
                          StartsWith("spec.services[A].autoscaling: is deprecated")));
  EXPECT_EQ(answers.accepted.audit_key, "would-deny");
  EXPECT_EQ(answers.accepted.audit_value, "service.replicas.non-negative");
  const auto answer = json::parse_copy(answers.reviewed.answer);
  EXPECT_FALSE(answer->root()["response"]["status"].exists());
}

std::string denied_name(std::string_view metadata, std::string_view request_name) {
  const json::Document object =
      test::from_yaml("{metadata: " + std::string(metadata) + ", spec: {}}");
  const std::string review = test::review_text({.name = request_name, .object = object.root()});
  test::ReviewFixture fixture;
  const test::ReviewResponse reviewed =
      fixture.review(test::validating(api::Kind::kGraphDeployment), review);
  const auto answer = json::parse_copy(reviewed.answer);
  return std::string(answer->root()["response"]["status"]["details"]["name"].string_or_empty());
}

TEST(DeniedObject, NameFallsBackToGenerateName) {
  EXPECT_EQ(denied_name("{name: a}", "a"), "a");
  EXPECT_EQ(denied_name("{generateName: a-}", ""), "a-");
  EXPECT_EQ(denied_name("{generateName: a-, name: a-x7}", ""), "a-x7");
  EXPECT_EQ(denied_name("{}", "from-the-request"), "from-the-request");
  EXPECT_EQ(denied_name("{}", ""), "");
}

}  // namespace
}  // namespace dynamo::admission
