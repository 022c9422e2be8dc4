// The commands that explain: explain, rules, completion, man, version, help.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/options/options_table.hpp"
#include "cli/report/rule_book.hpp"
#include "defaulters/catalog.hpp"
#include "json/parser.hpp"
#include "json/pointer.hpp"
#include "schema/catalog.hpp"
#include "tests/cli/command_line.hpp"
#include "validators/catalog.hpp"

namespace dynamo::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::StartsWith;

struct RunResult {
  int code = 0;
  std::string out;
  std::string err;
};

using CommandFunction = int (*)(const cli::Options&, cli::Streams&);

RunResult ran(CommandFunction command, const std::vector<std::string>& arguments) {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  cli::Streams streams{in, out, err};
  const int code = command(parsed(arguments), streams);
  return {code, out.str(), err.str()};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// --- explain and rules
// -----------------------------------------------------------------------------

TEST(RuleBook, ContainsEveryIdOnce) {
  std::set<std::string_view> ids;
  for (const cli::RuleEntry& entry : cli::rule_book()) {
    EXPECT_TRUE(ids.insert(entry.id).second) << entry.id;
    EXPECT_FALSE(entry.kinds.empty()) << entry.id;
    EXPECT_FALSE(entry.operations.empty()) << entry.id;
    EXPECT_FALSE(entry.summary.empty()) << entry.id;
    EXPECT_FALSE(entry.fields.empty()) << entry.id;
  }
  EXPECT_EQ(ids.size(), schema::catalog().size() + validators::catalog().size() +
                            defaulters::catalog().size() + defaulters::later_catalog().size());
}

TEST(Explain, PrintsTheCompleteEntry) {
  const RunResult explained = ran(cli::run_explain, {"explain", "dgd.backend.immutable"});
  EXPECT_EQ(explained.code, cli::kExitValid);
  EXPECT_THAT(explained.out, StartsWith("dgd.backend.immutable\n"
                                        "  Wants       the backend framework never changes\n"
                                        "  Field       spec.backendFramework\n"
                                        "  Kinds       DynamoGraphDeployment\n"
                                        "  On          UPDATE\n"
                                        "  Otherwise   the webhook refuses the object\n"
                                        "\n"));
  EXPECT_THAT(explained.out, HasSubstr("\n\nWrong:\n\n    "));
  EXPECT_THAT(explained.out, HasSubstr("\n\nRight:\n\n    "));
}

TEST(Explain, NamesFieldsOfBothVersions) {
  const auto fields_of = [](std::string_view id) { return cli::find_rule_entry(id)->fields; };
  EXPECT_THAT(
      fields_of("storage.shm.size"),
      testing::ElementsAre("spec.services[NAME].sharedMemory.size", "spec.sharedMemory.size",
                           "spec.components[i].sharedMemorySize", "spec.sharedMemorySize"));
  EXPECT_THAT(fields_of("hub.component.shared-memory"),
              testing::ElementsAre("spec.services[NAME].sharedMemory", "spec.sharedMemory",
                                   "spec.components[i].sharedMemorySize", "spec.sharedMemorySize"));
  EXPECT_THAT(
      fields_of("pod.image"),
      testing::IsSupersetOf({"spec.services[NAME].extraPodSpec.mainContainer.image",
                             "spec.components[i].podTemplate.spec.containers[i].image",
                             "spec.components[i].podTemplate.spec.initContainers[i].image"}));
  EXPECT_THAT(fields_of("hub.graph.components-fixed"),
              testing::ElementsAre("spec.services", "spec.components"));
  // A rule of first operators, fields that v1beta1 lacks, and one rule for each version.
  EXPECT_THAT(fields_of("service.replicas.non-negative"),
              testing::ElementsAre("spec.services[NAME].replicas", "spec.replicas"));
  EXPECT_THAT(fields_of("hub.alpha.deprecated"),
              testing::Not(testing::Contains(testing::HasSubstr("components"))));
  EXPECT_THAT(fields_of("hub.runtime.image"),
              testing::Each(testing::Not(testing::HasSubstr("services"))));
}

TEST(Explain, FindsEveryId) {
  for (const cli::RuleEntry& entry : cli::rule_book()) {
    const RunResult explained = ran(cli::run_explain, {"explain", std::string(entry.id)});
    EXPECT_EQ(explained.code, cli::kExitValid) << entry.id;
    EXPECT_THAT(explained.out, StartsWith(std::string(entry.id) + "\n"));
    EXPECT_THAT(explained.out, HasSubstr(std::string(entry.summary)));
  }
}

TEST(Explain, DistinguishesWarningsDefaultsAndSchemaChecks) {
  EXPECT_THAT(ran(cli::run_explain, {"explain", "service.autoscaling.deprecated"}).out,
              HasSubstr("Otherwise   the webhook warns and allows the object\n"));
  EXPECT_THAT(ran(cli::run_explain, {"explain", "dgd.default.replicas"}).out,
              HasSubstr("Outcome     the webhook sets it\n"));
  EXPECT_THAT(ran(cli::run_explain, {"explain", "schema.unknown-field"}).out,
              HasSubstr("Otherwise   the API server refuses the object\n"));
}

TEST(Explain, TransitionRulesApplyOnlyOnUpdates) {
  EXPECT_THAT(ran(cli::run_explain, {"explain", "schema.cel.identity-unchanged"}).out,
              HasSubstr("  On          UPDATE\n"));
}

TEST(Explain, FitsInOneHundredColumns) {
  for (const cli::RuleEntry& entry : cli::rule_book()) {
    const RunResult explained = ran(cli::run_explain, {"explain", std::string(entry.id)});
    const auto lines = lines_of(explained.out);
    for (std::size_t i = lines.size(); i-- > 0 && !lines[i].empty();) {
      if (!entry.explanation.empty()) {
        EXPECT_LE(lines[i].size(), 100U) << lines[i];
      }
    }
  }
}

TEST(Explain, ListsEachFieldOfAServiceRule) {
  EXPECT_THAT(ran(cli::run_explain, {"explain", "service.replicas.non-negative"}).out,
              HasSubstr("  Field       spec.services[NAME].replicas\n"
                        "              spec.replicas\n"));
}

TEST(Explain, AcceptsAnIdInBrackets) {
  EXPECT_EQ(ran(cli::run_explain, {"explain", "[dgd.pvc.name]"}).code, cli::kExitValid);
}

TEST(Explain, AcceptsAWholeMessage) {
  const RunResult explained =
      ran(cli::run_explain,
          {"explain",
           "a.yaml:8:7: error: spec.pvcs[0].name: Required value: must not be empty; name "
           "it [dgd.pvc.name]"});
  EXPECT_EQ(explained.code, cli::kExitValid);
  EXPECT_THAT(explained.out, StartsWith("dgd.pvc.name\n"));
}

TEST(Explain, AcceptsAMessageWithSeveralFindings) {
  const std::vector<std::string> pasted{
      "explain",
      "admission webhook denied the request: spec.services[dgd.backend.immutable].replicas: a "
      "[service.replicas.non-negative]; b [dgd.pvc.name]; c [dgd.pvc.name]"};
  const RunResult explained = ran(cli::run_explain, pasted);
  EXPECT_EQ(explained.code, cli::kExitValid);
  EXPECT_THAT(explained.out, StartsWith("service.replicas.non-negative\n"));
  EXPECT_THAT(explained.out, HasSubstr("\n\ndgd.pvc.name\n"));
  EXPECT_THAT(explained.out, testing::Not(HasSubstr("dgd.backend.immutable\n")));
  auto in_json = pasted;
  in_json.insert(in_json.end(), {"-o", "json"});
  const auto parsed = json::parse_copy(ran(cli::run_explain, in_json).out);
  ASSERT_FALSE(parsed->error);
  EXPECT_EQ(parsed->root()["rules"].size(), 2U);
}

TEST(Explain, ExplainsAllMatchesOfAPattern) {
  const RunResult explained = ran(cli::run_explain, {"explain", "dgd.pvc.*"});
  EXPECT_EQ(explained.code, cli::kExitValid);
  EXPECT_THAT(explained.out, StartsWith("dgd.pvc.name\n"));
  EXPECT_THAT(explained.out, HasSubstr("\n\ndgd.pvc.create.size\n"));
  const auto parsed_text =
      json::parse_copy(ran(cli::run_explain, {"explain", "dgd.pvc.*", "-o", "json"}).out);
  ASSERT_FALSE(parsed_text->error);
  EXPECT_EQ(parsed_text->root()["rules"].size(), 4U);
  EXPECT_EQ(ran(cli::run_explain, {"explain", "nothing.*"}).code, cli::kExitUnusable);
}

TEST(Explain, SuggestsTheNearestId) {
  const RunResult explained = ran(cli::run_explain, {"explain", "dgd.pvc.nmae"});
  EXPECT_EQ(explained.code, cli::kExitUnusable);
  EXPECT_EQ(explained.out, "");
  EXPECT_EQ(explained.err,
            "kubectl-dynamo: unknown rule \"dgd.pvc.nmae\"; did you mean dgd.pvc.name?; `kubectl "
            "dynamo rules` lists all\n");
}

TEST(Explain, SuggestsAnIdForAUniquePart) {
  EXPECT_THAT(ran(cli::run_explain, {"explain", "storage-class"}).err,
              HasSubstr("did you mean dgd.pvc.create.storage-class?"));
}

TEST(Explain, SuggestsNothingForDistantIds) {
  const RunResult explained = ran(cli::run_explain, {"explain", "\x1bsomething-else-altogether"});
  EXPECT_EQ(explained.code, cli::kExitUnusable);
  EXPECT_THAT(explained.err, Not(HasSubstr("did you mean")));
  EXPECT_THAT(explained.err, Not(HasSubstr("\x1b")));
}

TEST(Explain, IsAnObjectAsJson) {
  const auto parsed_text =
      json::parse_copy(ran(cli::run_explain, {"explain", "dgd.pvc.name", "-o", "json"}).out);
  ASSERT_FALSE(parsed_text->error);
  EXPECT_EQ(parsed_text->root()["id"].string(), "dgd.pvc.name");
  EXPECT_EQ(parsed_text->root()["source"].string(), "rule");
  EXPECT_EQ(parsed_text->root()["outcome"].string(), "deny");
  EXPECT_EQ(parsed_text->root()["ratcheted"].boolean(), false);
  EXPECT_EQ(json::at_pointer(parsed_text->root(), "/kinds/0").string(), "DynamoGraphDeployment");
  EXPECT_EQ(json::at_pointer(parsed_text->root(), "/operations/1").string(), "UPDATE");
}

TEST(Rules, PrintATableRowPerRule) {
  const RunResult listed = ran(cli::run_rules, {"rules"});
  const auto lines = lines_of(listed.out);
  EXPECT_THAT(lines[0], StartsWith("ID  "));
  const std::size_t outcome = lines[0].find("OUTCOME");
  const std::size_t summary = lines[0].find("WHAT MUST HOLD");
  std::size_t at = 1;
  for (const cli::RuleEntry& entry : cli::rule_book()) {
    ASSERT_LT(at, lines.size());
    EXPECT_THAT(lines[at], StartsWith(std::string(entry.id) + "   "));
    EXPECT_EQ(lines[at].substr(outcome, entry.outcome.size()), entry.outcome);
    // Wrapped, in its own column.
    std::string text = lines[at].substr(summary);
    for (++at; at < lines.size() && lines[at].starts_with(std::string(summary, ' ')); ++at) {
      text += ' ' + lines[at].substr(summary);
    }
    EXPECT_EQ(text, entry.summary);
  }
  ASSERT_LT(at + 1, lines.size());
  EXPECT_EQ(lines[at], "");
  EXPECT_THAT(lines[at + 1], StartsWith("KINDS: "));
}

TEST(Rules, FitInOneHundredColumns) {
  for (const std::string& line : lines_of(ran(cli::run_rules, {"rules"}).out)) {
    EXPECT_LE(line.size(), 100U) << line;
  }
}

TEST(Rules, CanBeSelectedById) {
  const auto lines =
      lines_of(ran(cli::run_rules, {"rules", "--only", "dgd.pvc.*", "--skip", "*.size"}).out);
  const auto blank = static_cast<std::size_t>(std::ranges::find(lines, "") - lines.begin());
  for (std::size_t i = 1; i < blank; ++i) {
    EXPECT_THAT(lines[i], ::testing::AnyOf(StartsWith("dgd.pvc."), StartsWith(" "))) << i;
    EXPECT_THAT(lines[i], Not(HasSubstr(".size "))) << i;
  }
  EXPECT_GT(lines.size(), 3U);
  const RunResult none = ran(cli::run_rules, {"rules", "--only", "nothing.*"});
  EXPECT_EQ(none.code, cli::kExitUnusable);
  EXPECT_THAT(none.err, HasSubstr("must leave a rule"));
}

TEST(Rules, UseShortKindNamesOfKubectl) {
  const RunResult listed = ran(cli::run_rules, {"rules"});
  EXPECT_THAT(listed.out, HasSubstr("   dgd,dcd   "));
  EXPECT_THAT(listed.out, HasSubstr("   all       "));
  EXPECT_THAT(listed.out, HasSubstr("\n\nKINDS: "));
  for (const char* kind : {"dgd=DynamoGraphDeployment,", "dcd=DynamoComponentDeployment,"}) {
    EXPECT_THAT(listed.out, HasSubstr(kind));
  }
  // Only those in the table.
  EXPECT_THAT(ran(cli::run_rules, {"rules", "--only", "dgd.pvc.name"}).out,
              ::testing::EndsWith("\n\nKINDS: dgd=DynamoGraphDeployment\n"));
}

TEST(Rules, PrintAListAsJson) {
  const auto parsed_text = json::parse_copy(ran(cli::run_rules, {"rules", "-o", "json"}).out);
  ASSERT_FALSE(parsed_text->error);
  EXPECT_EQ(parsed_text->root()["rules"].size(), cli::rule_book().size());
  for (const json::Value rule : parsed_text->root()["rules"].elements()) {
    EXPECT_FALSE(rule["id"].string_or_empty().empty());
    EXPECT_FALSE(rule["summary"].string_or_empty().empty());
  }
}

// --- completion
// ------------------------------------------------------------------------------------

// Completions without descriptions; the directive is the last one.
std::vector<std::string> offered(std::vector<std::string> words) {
  words.insert(words.begin(), "__complete");
  std::vector<std::string> lines = lines_of(ran(cli::run_complete, words).out);
  for (std::string& line : lines) line = line.substr(0, line.find('\t'));
  return lines;
}

using Offers = std::vector<std::string>;

TEST(Completion, OffersCommandsWithThePrefix) {
  EXPECT_EQ(offered({"re"}), (Offers{"render", "replay", ":4"}));
  EXPECT_EQ(offered({"__"}), (Offers{":4"}));
  EXPECT_THAT(offered({""}), IsSupersetOf({"validate", "default", "explain", "rules", ":4"}));
}

TEST(Completion, DescribesCommands) {
  EXPECT_THAT(ran(cli::run_complete, {"__complete", "vali"}).out,
              StartsWith("validate\tchecks manifests"));
}

TEST(Completion, OffersOptionsOfTheCommand) {
  EXPECT_EQ(offered({"validate", "--ol"}), (Offers{"--old", ":4"}));
  EXPECT_EQ(offered({"explain", "--ol"}), (Offers{":4"}));
}

TEST(Completion, OffersRepeatableOptionsAgain) {
  EXPECT_EQ(offered({"validate", "-R", "--rec"}), (Offers{":4"}));
  EXPECT_EQ(offered({"validate", "-f", "a", "--fil"}), (Offers{"--filename", ":4"}));
}

TEST(Completion, OffersValuesOfAnOption) {
  EXPECT_EQ(offered({"validate", "-o", "j"}), (Offers{"json", "junit", ":4"}));
  EXPECT_EQ(offered({"validate", "--colour", ""}), (Offers{"auto", "always", "never", ":4"}));
  EXPECT_EQ(offered({"default", "-o", ""}), (Offers{"yaml", "json", ":4"}));
}

TEST(Completion, OffersAttachedValuesAsWholeWords) {
  EXPECT_EQ(offered({"validate", "--output=t"}), (Offers{"--output=text", "--output=tap", ":4"}));
  EXPECT_EQ(offered({"validate", "-o=t"}), (Offers{"-o=text", "-o=tap", ":4"}));
}

TEST(Completion, OffersFilesForFileArguments) {
  EXPECT_EQ(offered({"validate", ""}), (Offers{":0"}));
  EXPECT_EQ(offered({"validate", "a.yaml", "b"}), (Offers{":0"}));
  EXPECT_EQ(offered({"validate", "-f", ""}), (Offers{":0"}));
  EXPECT_EQ(offered({"validate", "-Rf", "x"}), (Offers{":0"}));
  EXPECT_EQ(offered({"replay", ""}), (Offers{":0"}));
}

TEST(Completion, OffersRuleIds) {
  EXPECT_EQ(offered({"explain", "dgd.pvc.n"}), (Offers{"dgd.pvc.name", ":4"}));
  EXPECT_EQ(offered({"explain", "dgd.pvc.name", ""}), (Offers{":4"}));
}

TEST(Completion, OffersShellsAndTopics) {
  EXPECT_EQ(offered({"completion", ""}), (Offers{"bash", "zsh", "fish", ":4"}));
  EXPECT_EQ(offered({"help", "v"}), (Offers{"validate", "version", ":4"}));
}

TEST(Completion, OffersVerbsThenFiles) {
  EXPECT_EQ(offered({"policy", ""}), (Offers{"check", ":4"}));
  EXPECT_EQ(offered({"policy", "check", ""}), (Offers{":0"}));
  EXPECT_EQ(offered({"policy", "check", "a", ""}), (Offers{":4"}));
  EXPECT_EQ(offered({"policy", "check", "-o", ""}), (Offers{"text", "json", ":4"}));
}

TEST(Completion, OffersNothingForUnknownWords) {
  EXPECT_EQ(offered({"nonsense", ""}), (Offers{":4"}));
  EXPECT_EQ(offered({"validate", "--nonsense=x"}), (Offers{":4"}));
  EXPECT_EQ(offered({"validate", "--", "-x"}), (Offers{":0"}));
}

TEST(Completion, HasAScriptForEveryShell) {
  for (const std::string_view shell : cli::find_command("completion")->choices) {
    const RunResult script = ran(cli::run_completion, {"completion", std::string(shell)});
    EXPECT_EQ(script.code, cli::kExitValid);
    EXPECT_THAT(script.out, HasSubstr("kubectl-dynamo __complete"));
    EXPECT_THAT(script.out, HasSubstr(std::string(shell) + " completion"));
  }
}

// --- man, version, help
// ----------------------------------------------------------------------------

TEST(Man, NamesEveryCommandAndEveryOption) {
  const std::string page = ran(cli::run_man, {"man"}).out;
  EXPECT_THAT(page, StartsWith(".TH KUBECTL\\-DYNAMO 1 "));
  for (const cli::CommandRow& row : cli::command_rows()) {
    if (row.hidden) continue;
    EXPECT_THAT(page, HasSubstr(".SS \"" + std::string(row.name) + "\"\n"));
  }
  for (const cli::OptionRow& row : cli::option_rows()) {
    std::string name;
    for (const char c : row.flag.name) name += c == '-' ? "\\-" : std::string(1, c);
    EXPECT_THAT(page, HasSubstr("\\-\\-" + name)) << row.flag.name;
  }
}

TEST(Man, HasNoUnknownRoffRequests) {
  const std::set<std::string> known{".TH", ".SH", ".SS", ".PP", ".TP", ".B",
                                    ".BR", ".RS", ".RE", ".nf", ".fi"};
  for (const std::string& line : lines_of(ran(cli::run_man, {"man"}).out)) {
    EXPECT_FALSE(line.starts_with('\'')) << line;
    if (!line.starts_with('.')) continue;
    EXPECT_TRUE(known.contains(line.substr(0, line.find(' ')))) << line;
  }
}

TEST(Version, NamesProgramVersionAndApi) {
  EXPECT_THAT(
      ran(cli::run_version, {"version"}).out,
      ::testing::MatchesRegex("kubectl-dynamo [0-9.]+ \\(nvidia.com/v1alpha1 and v1beta1\\)\n"));
}

TEST(Version, IsAnObjectAsJson) {
  const auto parsed_text = json::parse_copy(ran(cli::run_version, {"version", "-o", "json"}).out);
  ASSERT_FALSE(parsed_text->error);
  EXPECT_EQ(parsed_text->root()["name"].string(), "kubectl-dynamo");
  EXPECT_FALSE(parsed_text->root()["version"].string_or_empty().empty());
  EXPECT_EQ(parsed_text->root()["apiVersion"].string(), "nvidia.com/v1alpha1");
  EXPECT_EQ(parsed_text->root()["apiVersions"].size(), 2U);
}

TEST(HelpCommand, PrintsTheSameAsTheHelpOption) {
  EXPECT_EQ(ran(cli::run_help, {"help", "rules"}).out, cli::help_text("rules"));
  EXPECT_EQ(ran(cli::run_help, {"rules", "--help"}).out, cli::help_text("rules"));
}

}  // namespace
}  // namespace dynamo::test
