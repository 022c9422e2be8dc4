#include "doctor/report.hpp"

#include <gtest/gtest.h>

#include <array>

#include "json/parser.hpp"

namespace dynamo::doctor {
namespace {

const std::array<CheckFinding, 2> kFindings{
    CheckFinding{Level::kOk, "service.present", "Service a/b", "port 443", ""},
    CheckFinding{Level::kFailed, "service.endpoints", "Service a/b", "none\033[2J", "look"}};

Evidence evidence() {
  Evidence made;
  made.server = "https://10.0.0.1:443";
  made.version = "v1.35.0";
  made.is_complete = true;
  return made;
}

TEST(DoctorReport, HasALinePerFindingAndTotals) {
  EXPECT_EQ(text_report(evidence(), kFindings, false),
            "API server https://10.0.0.1:443, v1.35.0\n"
            "ok      service.present: Service a/b: port 443\n"
            "failed  service.endpoints: Service a/b: none [2J\n"
            "        to do: look\n"
            "1 failed, 0 warning, 0 skipped, 1 ok\n");
}

TEST(DoctorReport, EscapesInvisibleCharacters) {
  Evidence seen = evidence();
  seen.server = "https://a\u200B";
  seen.version = "v1\u202E";
  const std::array<CheckFinding, 1> findings{CheckFinding{
      Level::kFailed, "service.endpoints", "Service \u2066a", "no\u00A0ne", "\u00ADlook"}};
  EXPECT_EQ(text_report(seen, findings, false),
            "API server https://a\\u200b, v1\\u202e\n"
            "failed  service.endpoints: Service \\u2066a: no\\u00a0ne\n"
            "        to do: \\u00adlook\n"
            "1 failed, 0 warning, 0 skipped, 0 ok\n");
}

TEST(DoctorReport, HasColoursOnlyOnRequest) {
  EXPECT_NE(text_report(evidence(), kFindings, true).find("\033[31mfailed\033[0m"),
            std::string::npos);
}

TEST(DoctorReport, JsonHasTheSameContent) {
  const auto parsed = json::parse_copy(json_report(evidence(), kFindings));
  ASSERT_FALSE(parsed->error);
  const json::Value root = parsed->root();
  EXPECT_EQ(root["findings"].size(), 2U);
  EXPECT_EQ((*root["findings"].elements().begin())["check"].string(), "service.present");
  EXPECT_EQ(root["failed"].integer(), 1);
  EXPECT_EQ(root["ok"].integer(), 1);
}

TEST(DoctorReport, DecidesTheExitCode) {
  EXPECT_EQ(exit_code(kFindings), 1);
  EXPECT_EQ(exit_code(std::span(kFindings).first(1)), 0);
}

}  // namespace
}  // namespace dynamo::doctor
