#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/formats/formats.hpp"
#include "cli/report/report.hpp"
#include "json/document.hpp"
#include "json/parser.hpp"
#include "json/pointer.hpp"
#include "json/scan.hpp"
#include "json/writer.hpp"
#include "runtime/build_info.hpp"
#include "tests/cli/reports.hpp"
#include "tests/support/golden.hpp"

namespace dynamo::test {
namespace {

using cli::Format;
using cli::Level;
using cli::ObjectReport;
using cli::ReporterOptions;
using ::testing::HasSubstr;
using ::testing::Not;

std::unique_ptr<json::ParsedText> parse(std::string_view text) {
  auto parsed = json::parse_copy(text);
  EXPECT_FALSE(parsed->error) << (parsed->error ? parsed->error->message() : "");
  return parsed;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

ObjectReport with_finding(Level level, cli::Place place) {
  ObjectReport report;
  report.file = "a.yaml";
  report.place = {1, 1, 0, "kind: DynamoModel"};
  report.kind = "DynamoModel";
  report.name = "m";
  report.operation = "CREATE";
  report.findings = {{level, "schema.type", "spec.x", level == Level::kError ? "Invalid value" : "",
                      "must be text", std::move(place)}};
  return report;
}

struct GoldenCase {
  std::string_view file;
  Format format;
  ReporterOptions options = {};
};

std::vector<GoldenCase> golden_cases() {
  return {{"report.txt", Format::kText},
          {"report_coloured.txt", Format::kText, {.colours = true}},
          {"report_quiet.txt", Format::kText, {.quiet = true}},
          {"report.json", Format::kJson},
          {"report_junit.xml", Format::kJunit},
          {"report_junit_strict.xml", Format::kJunit, {.warnings_as_errors = true}},
          {"report.sarif", Format::kSarif},
          {"report.tap", Format::kTap},
          {"report_strict.tap", Format::kTap, {.warnings_as_errors = true}},
          {"report_github.txt", Format::kGithub}};
}

std::string golden_name(const ::testing::TestParamInfo<GoldenCase>& row) {
  std::string name{row.param.file};
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

class Goldens : public ::testing::TestWithParam<GoldenCase> {};

// With a fixed version, so that a release changes no golden file.
std::string without_version(std::string report) {
  const std::string version = "\"" + std::string(runtime::program_version()) + "\"";
  if (const auto at = report.find(version); at != std::string::npos) {
    report.replace(at, version.size(), "\"0.0.0\"");
  }
  return report;
}

TEST_P(Goldens, MatchTheSyntheticRun) {
  const std::string name = "cli/" + std::string(GetParam().file);
  const std::string report = made_up_report(GetParam().format, GetParam().options);
  EXPECT_EQ(differs_from_golden(name, without_version(report)), "");
}

TEST(GoldenFiles, AreAllUsedByTests) {
  std::set<std::string> wanted;
  for (const GoldenCase& row : golden_cases()) wanted.insert(std::string(row.file));
  std::set<std::string> found;
  for (const auto& path : files_below(testdata("golden") / "cli", "")) {
    found.insert(path.filename().string());
  }
  EXPECT_EQ(found, wanted);
}

INSTANTIATE_TEST_SUITE_P(Formats, Goldens, ::testing::ValuesIn(golden_cases()), golden_name);

std::string format_name(const ::testing::TestParamInfo<Format>& row) {
  constexpr std::array<std::string_view, 6> kNames{"text",  "json", "junit",
                                                   "sarif", "tap",  "github"};
  return std::string(kNames[static_cast<std::size_t>(row.param)]);
}

class EveryFormat : public ::testing::TestWithParam<Format> {};

TEST_P(EveryFormat, IsUtf8WithoutControlCharacters) {
  const std::string report = made_up_report(GetParam());
  EXPECT_EQ(json::find_invalid_utf8(report), std::nullopt);
  // JSON does not escape DEL, which is an ordinary character.
  const bool json = GetParam() == Format::kJson;
  const auto control = std::find_if(report.begin(), report.end(), [json](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') ||
           (c == '\x7f' && !json);
  });
  EXPECT_EQ(control, report.end()) << "at byte " << control - report.begin();
}

TEST_P(EveryFormat, EndsWithALineFeed) {
  EXPECT_TRUE(made_up_report(GetParam()).ends_with("\n"));
  EXPECT_TRUE(report_of_nothing(GetParam()).ends_with("\n"));
}

TEST_P(EveryFormat, WritesAnObjectBeforeTheRunEnds) {
  std::ostringstream out;
  const auto reporter = cli::make_reporter(GetParam(), out, {});
  reporter->begin();
  reporter->object(with_finding(Level::kError, {2, 3, 1, "  x: 1"}));
  ObjectReport of_next_file = with_finding(Level::kError, {2, 3, 1, "  x: 1"});
  of_next_file.file = "b.yaml";
  reporter->object(of_next_file);
  EXPECT_THAT(out.str(), HasSubstr("must be text"));
}

// How a report names the setting "a&b.yaml:3: skip: dgd.*", which silences findings. The text has
// it on standard error.
std::string_view silencing_in(Format format) {
  switch (format) {
    case Format::kText:
      return "";
    case Format::kJson:
      return R"("silencedBy":["a&b.yaml:3: skip: dgd.*"])";
    case Format::kJunit:
      return R"(  <testsuite name="configuration" tests="1" failures="0" errors="0" skipped="1">
    <testcase classname="configuration" name="a&amp;b.yaml:3: skip: dgd.*">
      <skipped message="this may leave findings out; --config none validates without the file, --config-from REF with that of a trusted commit" type="silenced"></skipped>
    </testcase>
  </testsuite>
)";
    case Format::kSarif:
      return R"("toolConfigurationNotifications":[{"level":"warning","message":{"text":)"
             R"_("a&b.yaml:3: skip: dgd.* (this may leave findings out; --config none validates )_"
             R"_(without the file, --config-from REF with that of a trusted commit)"}}])_";
    case Format::kTap:
      return "\n# warning: a&b.yaml:3: skip: dgd.* (this may leave findings out; --config none "
             "validates without the file, --config-from REF with that of a trusted commit)\n";
    case Format::kGithub:
      return "::warning title=configuration::a&b.yaml:3: skip: dgd.* (this may leave findings out; "
             "--config none validates without the file, --config-from REF with that of a trusted "
             "commit)\n";
  }
  return "";
}

TEST_P(EveryFormat, NamesSettingsThatSilenceFindings) {
  EXPECT_THAT(report_of_nothing(GetParam(), {.silenced_by = {"a&b.yaml:3: skip: dgd.*"}}),
              HasSubstr(silencing_in(GetParam())));
  EXPECT_THAT(report_of_nothing(GetParam()), Not(HasSubstr("leave findings out")));
}

INSTANTIATE_TEST_SUITE_P(Formats, EveryFormat,
                         ::testing::Values(Format::kText, Format::kJson, Format::kJunit,
                                           Format::kSarif, Format::kTap, Format::kGithub),
                         format_name);

// --- text
// ------------------------------------------------------------------------------------------

struct MarkCase {
  std::string_view name;
  cli::Place place;
  std::string_view line;
  std::string_view mark;
};

std::string mark_name(const ::testing::TestParamInfo<MarkCase>& row) {
  return std::string(row.param.name);
}

class Marks : public ::testing::TestWithParam<MarkCase> {};

TEST_P(Marks, AreBelowTheMarkedText) {
  const auto lines =
      lines_of(report_of(Format::kText, with_finding(Level::kError, GetParam().place)));
  ASSERT_GE(lines.size(), 4U);
  EXPECT_EQ(lines[2], GetParam().line);
  EXPECT_EQ(lines[3], GetParam().mark);
}

INSTANTIATE_TEST_SUITE_P(
    Text, Marks,
    ::testing::Values(
        MarkCase{"one_character", {2, 6, 1, "  x: 1"}, "    2 |   x: 1", "      |      ^"},
        MarkCase{"a_word", {2, 6, 4, "  x: true"}, "    2 |   x: true", "      |      ^~~~"},
        MarkCase{"length_unknown", {2, 6, 0, "  x: true"}, "    2 |   x: true", "      |      ^"},
        MarkCase{
            "longer_than_the_line", {2, 6, 99, "  x: tr"}, "    2 |   x: tr", "      |      ^~"},
        MarkCase{"at_the_end_of_the_line", {2, 5, 1, "  x:"}, "    2 |   x:", "      |     ^"},
        MarkCase{"behind_a_tab", {2, 2, 1, "\tx: 1"}, "    2 | \tx: 1", "      | \t^"},
        MarkCase{"behind_wide_bytes", {2, 5, 1, "\xc3\xbc\xc3\xbcx"}, "    2 | üüx", "      |   ^"},
        MarkCase{"under_wide_bytes", {2, 1, 4, "\xc3\xbc\xc3\xbcx"}, "    2 | üüx", "      | ^~"},
        MarkCase{"behind_an_escape", {2, 2, 1, "\x1bx"}, "    2 | \\x1bx", "      |     ^"},
        MarkCase{"a_high_line_number", {123456, 1, 1, "x: 1"}, "123456 | x: 1", "       | ^"}),
    mark_name);

TEST(TextFormat, OmitsTheLineWhenThePlaceIsUnknown) {
  const std::string text = report_of(Format::kText, with_finding(Level::kError, {}));
  EXPECT_THAT(text, HasSubstr("a.yaml:1:1: error: spec.x: Invalid value: must be text"));
  EXPECT_THAT(text, Not(HasSubstr("^")));
  EXPECT_THAT(text, Not(HasSubstr("kind: DynamoModel")));
}

TEST(PlaceOrder, IsByLineThenField) {
  ObjectReport report;
  report.file = "a.yaml";
  report.place = {3, 1, 0, "kind: DynamoModel"};
  report.kind = "DynamoModel";
  const auto add = [&report](std::string_view rule, std::string field, std::uint32_t line) {
    report.findings.push_back(
        {Level::kError, rule, std::move(field), "", "", {line, 1, 1, "text"}});
  };
  add("r.six", "spec.z", 9);
  add("r.four", "spec.b", 7);
  add("r.three", "spec.a", 7);
  add("r.five", "spec.b", 7);  // in their original order
  add("r.one", "spec.c", 0);   // at the object's place
  add("r.two", "spec.a", 4);
  for (const Format format : {Format::kText, Format::kGithub}) {
    const std::string text = report_of(format, report);
    std::size_t before = 0;
    for (const char* rule :
         {"[r.one]", "[r.two]", "[r.three]", "[r.four]", "[r.five]", "[r.six]"}) {
      const std::size_t at = text.find(rule);
      ASSERT_NE(at, std::string::npos) << rule;
      EXPECT_GT(at, before) << rule << " in\n" << text;
      before = at;
    }
  }
}

TEST(TextFormat, CutsALongLineAroundTheMark) {
  const std::string line = std::string(400, 'a') + "HERE" + std::string(400, 'b');
  const auto lines =
      lines_of(report_of(Format::kText, with_finding(Level::kError, {2, 401, 4, line})));
  ASSERT_GE(lines.size(), 4U);
  EXPECT_LT(lines[2].size(), 140U);
  // The ellipsis takes three bytes and one column.
  EXPECT_EQ(lines[2].find("HERE") - 2, lines[3].find("^~~~"));
  EXPECT_TRUE(lines[2].ends_with("…"));
}

TEST(TextFormat, OmitsObjectsWithoutFindings) {
  ObjectReport good = with_finding(Level::kError, {});
  good.findings.clear();
  EXPECT_EQ(lines_of(report_of(Format::kText, good)).size(), 1U);
}

TEST(TextFormat, HasNoTerminalEscapesWithoutColours) {
  EXPECT_THAT(made_up_report(Format::kText), Not(HasSubstr("\x1b")));
}

TEST(TextFormat, ResetsEveryColour) {
  const std::string text = made_up_report(Format::kText, {.colours = true});
  for (const std::string& line : lines_of(text)) {
    const std::size_t last = line.rfind('\x1b');
    if (last == std::string::npos) continue;
    EXPECT_EQ(line.substr(last, 4), "\x1b[0m") << line;
  }
}

TEST(TextFormat, SummaryMentionsWarningsThatCountAsErrors) {
  EXPECT_THAT(made_up_report(Format::kText, {.warnings_as_errors = true}),
              HasSubstr("2 warnings, which count as errors"));
}

TEST(TextFormat, ReportsThatNoObjectWasFound) {
  EXPECT_EQ(
      report_of_nothing(Format::kText),
      "0 objects in 1 file: nothing of nvidia.com/v1alpha1 to validate; 3 objects of other kinds "
      "ignored; 0.000 s\n");
}

TEST(TextFormat, QuietOmitsTheEmptySummary) {
  EXPECT_EQ(report_of_nothing(Format::kText, {.quiet = true}), "");
}

// --- json
// ------------------------------------------------------------------------------------------

TEST(JsonFormat, HasAllFieldsOfAFinding) {
  const auto parsed =
      parse(report_of(Format::kJson, with_finding(Level::kError, {12, 3, 4, "  x: 1"})));
  const json::Value result = json::at_pointer(parsed->root(), "/results/0");
  EXPECT_EQ(result["file"].string(), "a.yaml");
  EXPECT_EQ(result["kind"].string(), "DynamoModel");
  EXPECT_EQ(result["operation"].string(), "CREATE");
  const json::Value finding = json::at_pointer(result, "/findings/0");
  EXPECT_EQ(finding["level"].string(), "error");
  EXPECT_EQ(finding["rule"].string(), "schema.type");
  EXPECT_EQ(finding["field"].string(), "spec.x");
  EXPECT_EQ(finding["type"].string(), "Invalid value");
  EXPECT_EQ(finding["detail"].string(), "must be text");
  EXPECT_EQ(finding["line"].integer(), 12);
  EXPECT_EQ(finding["column"].integer(), 3);
  EXPECT_EQ(finding["length"].integer(), 4);
  EXPECT_EQ(finding["text"].string(), "  x: 1");
}

TEST(JsonFormat, IsAValidDocumentForEveryRun) {
  EXPECT_EQ(parse(made_up_report(Format::kJson))->root()["results"].size(), 8U);
  EXPECT_EQ(parse(report_of_nothing(Format::kJson))->root()["results"].size(), 0U);
}

TEST(JsonFormat, WritesEachResultOnItsOwnLine) {
  std::size_t results = 0;
  for (const std::string& line : lines_of(made_up_report(Format::kJson))) {
    results += line.starts_with("{\"result\":") ? 1 : 0;
  }
  EXPECT_EQ(results, 8U);
}

// --- junit
// -----------------------------------------------------------------------------------------

TEST(JunitFormat, CountsCasesPerFile) {
  EXPECT_THAT(made_up_report(Format::kJunit),
              HasSubstr("<testsuite name=\"deploy/graph.yaml\" tests=\"3\" failures=\"1\" "
                        "errors=\"0\" skipped=\"0\">"));
}

TEST(JunitFormat, FailsOnlyForWarningsThatCountAsErrors) {
  const ObjectReport warned = with_finding(Level::kWarning, {});
  EXPECT_THAT(report_of(Format::kJunit, warned), Not(HasSubstr("<failure")));
  EXPECT_THAT(report_of(Format::kJunit, warned), HasSubstr("<system-out>"));
  EXPECT_THAT(report_of(Format::kJunit, warned, {.warnings_as_errors = true}),
              HasSubstr("<failure message=\"1 warning\""));
}

// --- sarif
// -----------------------------------------------------------------------------------------

TEST(SarifFormat, ListsEachRuleOnceByIndex) {
  const auto parsed = parse(made_up_report(Format::kSarif));
  const json::Value run = json::at_pointer(parsed->root(), "/runs/0");
  const json::Value rules = run["tool"]["driver"]["rules"];
  std::set<std::string_view> ids;
  for (const json::Value rule : rules.elements()) {
    EXPECT_TRUE(ids.insert(rule["id"].string_or_empty()).second);
    EXPECT_FALSE(rule["help"]["text"].string_or_empty().empty());
  }
  std::size_t results = 0;
  for (const json::Value result : run["results"].elements()) {
    ++results;
    const std::string index = json::to_text(result["ruleIndex"]);
    EXPECT_EQ(json::at_pointer(rules, "/" + index + "/id").string(), result["ruleId"].string());
  }
  EXPECT_EQ(results, 8U);
}

std::string fingerprint_of(const ObjectReport& report, std::size_t result = 0) {
  const auto parsed = parse(report_of(Format::kSarif, report));
  const std::string pointer =
      "/runs/0/results/" + std::to_string(result) + "/partialFingerprints/dynamoFinding~1v1";
  return std::string(json::at_pointer(parsed->root(), pointer).string_or_empty());
}

TEST(SarifFormat, ResultsHaveFingerprints) {
  EXPECT_EQ(fingerprint_of(with_finding(Level::kError, {})).size(), 18U);
}

TEST(SarifFormat, FingerprintIgnoresLinesAndValues) {
  const ObjectReport before = with_finding(Level::kError, {2, 3, 1, "  x: 1"});
  ObjectReport after = with_finding(Level::kError, {20, 5, 2, "    x: 22"});
  after.findings[0].detail = "must be text; found 22";
  after.file = "./a.yaml";
  EXPECT_EQ(fingerprint_of(before), fingerprint_of(after));
}

TEST(SarifFormat, FingerprintsDifferBetweenFindings) {
  const ObjectReport report = with_finding(Level::kError, {2, 3, 1, "  x: 1"});
  std::vector<ObjectReport> others(6, report);
  others[0].findings[0].field = "spec.y";
  others[1].findings[0].rule = "schema.enum";
  others[2].name = "n";
  others[3].namespace_name = "m";
  others[4].file = "b.yaml";
  others[5].kind = "DynamoCheckpoint";
  std::set<std::string> prints{fingerprint_of(report)};
  for (const ObjectReport& other : others) EXPECT_TRUE(prints.insert(fingerprint_of(other)).second);
}

TEST(SarifFormat, RepeatedFindingsHaveDistinctFingerprints) {
  ObjectReport report = with_finding(Level::kError, {});
  report.findings.push_back(report.findings[0]);
  EXPECT_NE(fingerprint_of(report, 0), fingerprint_of(report, 1));
}

TEST(SarifFormat, CountsColumnsInCharacters) {
  const auto parsed = parse(report_of(
      Format::kSarif, with_finding(Level::kError, {2, 5, 2, "\xc3\xbc\xc3\xbc\xc3\xbcx"})));
  const json::Value region =
      json::at_pointer(parsed->root(), "/runs/0/results/0/locations/0/physicalLocation/region");
  EXPECT_EQ(region["startColumn"].integer(), 3);
  EXPECT_EQ(region["endColumn"].integer(), 4);
}

TEST(SarifFormat, WarningsThatCountAsErrorsHaveThatLevel) {
  EXPECT_THAT(report_of(Format::kSarif, with_finding(Level::kWarning, {})),
              HasSubstr("\"level\":\"warning\",\"message\""));
  EXPECT_THAT(
      report_of(Format::kSarif, with_finding(Level::kWarning, {}), {.warnings_as_errors = true}),
      HasSubstr("\"level\":\"error\",\"message\""));
}

struct UriCase {
  std::string file;
  std::string_view artifact;
};

class Uris : public ::testing::TestWithParam<UriCase> {};

TEST_P(Uris, LocateTheFile) {
  ObjectReport report = with_finding(Level::kError, {});
  report.file = GetParam().file;
  EXPECT_THAT(report_of(Format::kSarif, report),
              HasSubstr("\"artifactLocation\":" + std::string(GetParam().artifact)));
}

INSTANTIATE_TEST_SUITE_P(
    Sarif, Uris,
    ::testing::Values(
        UriCase{"deploy/a.yaml", R"({"uri":"deploy/a.yaml","uriBaseId":"%SRCROOT%"})"},
        UriCase{"./deploy/a.yaml", R"({"uri":"deploy/a.yaml","uriBaseId":"%SRCROOT%"})"},
        UriCase{".//a.yaml", R"({"uri":"a.yaml","uriBaseId":"%SRCROOT%"})"},
        UriCase{"../a.yaml", R"({"uri":"../a.yaml","uriBaseId":"%SRCROOT%"})"},
        UriCase{"/tmp/a b.yaml", R"({"uri":"file:///tmp/a%20b.yaml"})"},
        UriCase{"a:b#c?d%.yaml", R"({"uri":"a%3Ab%23c%3Fd%25.yaml","uriBaseId":"%SRCROOT%"})"},
        UriCase{"\xff\xc3\xbc.yaml", R"({"uri":"%FF%C3%BC.yaml","uriBaseId":"%SRCROOT%"})"},
        UriCase{"-", R"({"uri":"standard-input"})"}));

// --- tap
// -------------------------------------------------------------------------------------------

TEST(TapFormat, PlanMatchesTheNumberOfPoints) {
  std::size_t points = 0;
  std::string plan;
  for (const std::string& line : lines_of(made_up_report(Format::kTap))) {
    if (line.starts_with("ok ") || line.starts_with("not ok ")) ++points;
    if (line.starts_with("1..")) plan = line;
  }
  EXPECT_EQ(points, 8U);
  EXPECT_EQ(plan, "1..8");
}

TEST(TapFormat, SkipsWithoutObjects) {
  EXPECT_THAT(report_of_nothing(Format::kTap), HasSubstr("\n1..0 # SKIP "));
}

TEST(TapFormat, NamesAreEscapedInDescriptions) {
  ObjectReport report = with_finding(Level::kError, {});
  report.name = "x # SKIP \\ y";
  EXPECT_THAT(report_of(Format::kTap, report),
              HasSubstr("not ok 1 - a.yaml:1: DynamoModel x \\# SKIP \\\\ y\n"));
}

// --- github
// ----------------------------------------------------------------------------------------

TEST(GithubFormat, NamesFileLineColumnsAndRule) {
  EXPECT_THAT(report_of(Format::kGithub, with_finding(Level::kError, {2, 6, 4, "  x: true"})),
              HasSubstr("::error file=a.yaml,line=2,col=6,endColumn=10,title=schema.type::"
                        "DynamoModel m: spec.x: Invalid value: must be text [schema.type]\n"));
}

TEST(GithubFormat, WarnsUnlessWarningsCountAsErrors) {
  const ObjectReport warned = with_finding(Level::kWarning, {});
  EXPECT_TRUE(
      report_of(Format::kGithub, warned).starts_with("::warning file=a.yaml,line=1,col=1,"));
  EXPECT_TRUE(
      report_of(Format::kGithub, warned, {.warnings_as_errors = true}).starts_with("::error "));
}

TEST(GithubFormat, TextCannotStartAWorkflowCommand) {
  for (const std::string& line : lines_of(made_up_report(Format::kGithub))) {
    const bool ours = line.starts_with("::error ") || line.starts_with("::warning ") ||
                      line.starts_with("6 objects in ");
    EXPECT_TRUE(ours) << line;
  }
}

TEST(GithubFormat, KeepsLineBreaksOfTexts) {
  ObjectReport report = with_finding(Level::kError, {});
  report.findings[0].detail = "one\ntwo, 100%: so";
  EXPECT_THAT(report_of(Format::kGithub, report),
              HasSubstr("one%0Atwo, 100%25: so [schema.type]\n"));
}

}  // namespace
}  // namespace dynamo::test
