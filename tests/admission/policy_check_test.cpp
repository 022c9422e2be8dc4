// Probable mistakes in a valid policy.
#include "admission/policy_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/admission/policy_evaluation.hpp"
#include "validators/catalog.hpp"

namespace dynamo::admission {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> warnings(std::string_view text) {
  std::vector<std::string> lines;
  for (const PolicyError& warning : policy_warnings(policy_of(text), kNow)) {
    lines.push_back(warning.message());
  }
  return lines;
}

std::vector<std::string> of_severities(std::string_view statements) {
  return warnings("{version: 1, severities: [" + std::string(statements) + "]}");
}

TEST(PolicyCheck, GoodPolicyGetsNoWarnings) {
  EXPECT_THAT(warnings("version: 1\n"
                       "severities:\n"
                       "  - {rules: '*', severity: warn, namespaces: [dev-*]}\n"
                       "  - {rules: service.*, severity: deny, namespaces: [dev-a]}\n"
                       "exemptions:\n"
                       "  - {rules: dgd.*, holder: a, reason: b, expires: 2026-02-04}\n"
                       "parameters:\n"
                       "  - {maxReplicasPerService: 8}\n"
                       "  - {maxReplicasPerService: 16, namespaces: team-a}\n"),
              IsEmpty());
}

TEST(PolicyCheck, OverriddenStatementsAreReported) {
  EXPECT_THAT(warnings("version: 1\n"
                       "severities:\n"
                       "  - {rules: service.*, severity: warn}\n"
                       "  - {rules: '*', severity: deny}\n"),
              ElementsAre("line 3, column 5: has no effect: later statements, up to that in line "
                          "4, set the severity of all its rules for all its objects; remove it or "
                          "move it down"));
  // Two that override it together.
  EXPECT_EQ(of_severities("{rules: [dgd.pvc.name, dm.model-name], severity: off}, {rules: "
                          "dgd.pvc.name, severity: warn}, {rules: dm.*, severity: warn}")
                .size(),
            1U);
}

TEST(PolicyCheck, UnrelatedStatementBetweenIsSkipped) {
  for (const std::string_view between :
       {"{rules: dm.*, severity: warn}", "{rules: dgd.*, severity: warn, namespaces: b}"}) {
    EXPECT_THAT(
        of_severities("{rules: dgd.*, severity: off, namespaces: a}, " + std::string(between) +
                      ", {rules: dgd.*, severity: deny, "
                      "namespaces: [a, c]}"),
        ElementsAre(HasSubstr("has no effect")))
        << between;
  }
}

std::string list_of(std::size_t names) {
  std::string list = "[";
  for (std::size_t i = 0; i < names; ++i) list += "a" + std::to_string(i) + ", ";
  return list + "]";
}

// 500,000 comparisons of globs are the limit of one check.
TEST(PolicyCheck, ManyComparisonsEndTheCheck) {
  for (const std::string_view scope : {"namespaces", "names"}) {
    const auto checked = [&](std::size_t names) {
      const std::string list = std::string(scope) + ": " + list_of(names) + "}";
      return of_severities("{rules: dgd.*, severity: off, " + list +
                           ", {rules: dgd.*, severity: warn, " + list);
    };
    EXPECT_THAT(checked(706), ElementsAre(HasSubstr("has no effect"))) << scope;
    EXPECT_THAT(checked(707), IsEmpty()) << scope;
  }
}

TEST(PolicyCheck, EffectiveStatementsAreNotReported) {
  const std::string_view rows[] = {
      // a rule, a namespace, a name or a kind remains
      "{rules: dgd.*, severity: off}, {rules: dgd.pvc.name, severity: warn}",
      "{rules: dgd.*, severity: off}, {rules: dgd.*, severity: warn, namespaces: a}",
      ("{rules: dgd.*, severity: off, namespaces: a*}, {rules: dgd.*, severity: warn, namespaces: "
       "[a, ab*]}"),
      "{rules: dgd.*, severity: off, names: a*}, {rules: dgd.*, severity: warn, names: 'a?'}",
      "{rules: '*', severity: off}, {rules: '*', severity: warn, kinds: [dgd, dm]}",
      // the earlier statement is not overridden
      "{rules: '*', severity: off}, {rules: dgd.*, severity: deny, namespaces: a}",
  };
  for (const std::string_view row : rows) EXPECT_THAT(of_severities(row), IsEmpty()) << row;
}

TEST(PolicyCheck, ScopesAreCompared) {
  const std::string_view rows[] = {
      ("{rules: dgd.*, severity: off, namespaces: ab}, {rules: dgd.*, severity: warn, namespaces: "
       "a*}"),
      ("{rules: dgd.*, severity: off, namespaces: ab*}, {rules: dgd.*, severity: warn, namespaces: "
       "[x, a*]}"),
      ("{rules: dgd.*, severity: off, namespaces: 'a?'}, {rules: dgd.*, severity: warn, "
       "namespaces: "
       "a*}"),
      "{rules: dgd.*, severity: off, names: 'a?'}, {rules: dgd.*, severity: warn, names: 'a?'}",
      "{rules: dgd.*, severity: off}, {rules: dgd.*, severity: warn, namespaces: '*'}",
      ("{rules: '*', severity: off, kinds: dm}, {rules: '*', severity: warn, kinds: [dgd, "
       "dm]}"),
      ("{rules: '*', severity: off}, {rules: '*', severity: warn, kinds: [dgd, dcd, dm, "
       "dgdr, "
       "dckpt, dgdsa]}"),
  };
  for (const std::string_view row : rows) {
    EXPECT_THAT(of_severities(row), ElementsAre(HasSubstr("has no effect"))) << row;
  }
}

TEST(PolicyCheck, GlobsWithoutMatchAreReported) {
  EXPECT_THAT(of_severities("{rules: [dgd.*, dm.*], severity: off, kinds: dgd}"),
              ElementsAre(HasSubstr("\"dm.*\" matches no rule of these kinds")));
  EXPECT_THAT(of_severities("{rules: dgd.*, severity: off, namespaces: [Team-*, 'a.b']}"),
              ElementsAre(HasSubstr("\"Team-*\" matches nothing: a namespace has lower case "
                                    "letters, digits and '-' only"),
                          HasSubstr("\"a.b\" matches nothing")));
  EXPECT_THAT(of_severities("{rules: dgd.*, severity: off, names: [a.b, a_b]}"),
              ElementsAre(HasSubstr("\"a_b\" matches nothing: a name has lower case letters, "
                                    "digits and '-' and '.' only")));
  EXPECT_THAT(of_severities("{rules: dgd.*, severity: off, namespaces: ['az09-*?']}"), IsEmpty());
}

TEST(PolicyCheck, ExpiredAndDuplicateExemptionsAreReported) {
  EXPECT_THAT(
      warnings("version: 1\n"
               "exemptions:\n"
               "  - {rules: dgd.*, holder: a, reason: b, expires: 2026-02-03}\n"
               "  - {rules: dgd.*, holder: a, reason: b, expires: 2026-03-01}\n"
               "  - {rules: dgd.pvc.*, holder: c, reason: d, expires: 2026-02-05, names: x}\n"
               "  - {rules: dgd.pvc.*, holder: e, reason: f, expires: 2026-03-02}\n"),
      ElementsAre(
          "line 3, column 5: the exemption of \"a\" expired on 2026-02-03; remove it",
          "line 5, column 5: has no effect: the exemption in line 4 covers all of it for as "
          "long; remove one of the two"));
}

TEST(PolicyCheck, ParametersWithoutEffectAreReported) {
  EXPECT_THAT(
      warnings("version: 1\n"
               "parameters:\n"
               "  - {maxReplicasPerService: 8, allowedRegistries: nvcr.io, namespaces: a}\n"
               "  - {maxReplicasPerService: 16}\n"
               "  - {maxReplicasPerService: 4, kinds: dm}\n"
               "  - {allowedLoraSchemes: [s3, gs]}\n"),
      ElementsAre(
          "line 3, column 5: maxReplicasPerService has no effect: the statement in line 4 "
          "gives it for all its objects; remove it or move it down",
          "line 5, column 5: maxReplicasPerService has no effect: it concerns none of these "
          "kinds",
          "line 6, column 5: the scheme \"gs\" has no effect: dm.lora.scheme refuses it; set "
          "its severity to warn or off too"));
  EXPECT_THAT(warnings("version: 1\n"
                       "severities: [{rules: dm.lora.scheme, severity: off}]\n"
                       "parameters: [{allowedLoraSchemes: [s3, gs]}]\n"),
              IsEmpty());
}

TEST(PolicyCheck, EachParameterNamesItsRule) {
  for (const PolicyParameterRow& row : kPolicyParameters) {
    EXPECT_NE(validators::find_rule(row.rule), nullptr) << row.name;
  }
}

}  // namespace
}  // namespace dynamo::admission
