// docs/rules.md and the pages of its groups: every id links to its section, and the sections match
// the catalogs.
#include "admission/rules_page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "defaulters/catalog.hpp"
#include "schema/catalog.hpp"
#include "validators/catalog.hpp"
#include "validators/texts.hpp"

namespace dynamo::admission {
namespace {

std::vector<std::string> all_ids() {
  std::vector<std::string> ids;
  for (const validators::Rule& rule : validators::catalog()) ids.emplace_back(rule.id);
  for (const defaulters::Default& row : defaulters::catalog()) ids.emplace_back(row.id);
  for (const defaulters::DefaultInfo& row : defaulters::later_catalog()) ids.emplace_back(row.id);
  return ids;
}

std::string index_page() {
  return rules_pages().front().text;
}

// The pages with sections, as one text.
std::string section_pages() {
  std::string all;
  for (const RulesPage& page : rules_pages()) {
    if (page.file != "rules.md") all += page.text;
  }
  return all;
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// From its heading to the next one.
std::string_view section_of(std::string_view page, std::string_view id) {
  const std::size_t start = page.find("\n## " + std::string(id) + "\n");
  if (start == page.npos) return {};
  return page.substr(start, page.find("\n##", start + 1) - start);
}

// ", DynamoModel, DynamoCheckpoint," so that no name is found inside another.
std::string kinds_line_of(std::string_view section) {
  constexpr std::string_view kStart = "\n- kinds: ";
  const std::size_t start = section.find(kStart) + kStart.size();
  return ", " + std::string(section.substr(start, section.find('\n', start) - start)) + ",";
}

TEST(RulesPage, EachIdLinksToItsSection) {
  const std::string index = index_page();
  std::vector<std::string> anchors;
  for (const RulesPage& page : rules_pages()) {
    for (const std::string& id : all_ids()) {
      if (count(page.text, "\n## " + id + "\n") == 0) continue;
      anchors.push_back(section_anchor(id));
      EXPECT_EQ(count(index, "| [`" + id + "`](" + page.file + "#" + anchors.back() + ") |"), 1U)
          << id;
    }
  }
  EXPECT_EQ(anchors.size(), all_ids().size());
  std::ranges::sort(anchors);
  EXPECT_EQ(std::ranges::adjacent_find(anchors), anchors.end());
}

TEST(RulesPage, EachPageBeginsWithItsTitle) {
  for (const RulesPage& page : rules_pages()) EXPECT_EQ(page.text.substr(0, 2), "# ") << page.file;
}

TEST(RulesPage, AnchorsMatchMarkdownViewers) {
  EXPECT_EQ(section_anchor("dgd.pvc.create.size"), "dgdpvccreatesize");
  EXPECT_EQ(section_anchor("dgd.topology.node-class"), "dgdtopologynode-class");
}

TEST(RulesPage, SectionContainsAllRuleFields) {
  const std::string page = section_pages();
  for (const validators::Rule& rule : validators::catalog()) {
    SCOPED_TRACE(rule.id);
    const std::string_view section = section_of(page, rule.id);
    const validators::RuleText* const text = validators::find_text(rule.id);
    ASSERT_NE(text, nullptr);
    EXPECT_THAT(section, testing::HasSubstr("\n- field: `" + spelt_out(rule.field) + "`\n"));
    for (const std::string_view part :
         {text->summary, text->since, text->explanation, text->wrong, text->right}) {
      EXPECT_THAT(section, testing::HasSubstr(part));
    }
    const std::string kinds = kinds_line_of(section);
    for (const api::KindNames& kind : api::kKinds) {
      const bool listed =
          kinds == ", all," || kinds.find(", " + std::string(kind.name) + ",") != std::string::npos;
      EXPECT_EQ(listed, rule.kinds.has(kind.kind)) << kind.name << " in" << kinds;
    }
    EXPECT_EQ(count(section, "```"), 4U);
  }
}

TEST(RulesPage, AbbreviationsAreExpanded) {
  EXPECT_EQ(spelt_out("P.envs"), "SERVICE.envs");
  EXPECT_EQ(spelt_out("E, M.args, C.name"),
            "SERVICE.extraPodSpec, SERVICE.extraPodSpec.mainContainer.args, CONTAINER.name");
  EXPECT_EQ(spelt_out("H.type, spec"), "COMPONENT.type, spec");
  EXPECT_EQ(spelt_out("spec.pvcs[i].name"), "spec.pvcs[i].name");
  EXPECT_EQ(spelt_out("Else.E"), "Else.E");
  for (const RulesPage& page : rules_pages()) {
    EXPECT_THAT(page.text, testing::Not(testing::ContainsRegex("`[PEMCH]\\."))) << page.file;
    EXPECT_LE(std::ranges::count(page.text, '\n'), 2000) << page.file;
  }
}

TEST(RulesPage, RatchetedRuleExplainsUpdates) {
  EXPECT_THAT(section_of(section_pages(), "dcd.topology.node-class"),
              testing::AllOf(testing::HasSubstr("\n- on: update\n"),
                             testing::HasSubstr("\n- outcome: deny (ratcheted)\n"),
                             testing::HasSubstr("\n- since: 0.1.0\n"),
                             testing::HasSubstr("\nWrong:\n\n```yaml\n# before\n")));
}

TEST(RulesPage, IndexHasSummaryOfEachRule) {
  const std::string page = index_page();
  for (const validators::Rule& rule : validators::catalog()) {
    EXPECT_THAT(page, testing::HasSubstr(
                          " | " + std::string(validators::find_text(rule.id)->summary) + " |\n"));
  }
}

TEST(RulesPage, IndexShowsWhichRulesAreRatcheted) {
  const std::string page = index_page();
  for (const validators::Rule& rule : validators::catalog()) {
    const std::size_t start = page.find("\n| [`" + std::string(rule.id) + "`](") + 1;
    EXPECT_EQ(count(page.substr(start, page.find('\n', start) - start), " (ratcheted) |"),
              rule.ratchet == validators::Ratchet::kYes ? 1U : 0U)
        << rule.id;
  }
}

TEST(RulesPage, SchemaChecksAreListed) {
  const std::string page = index_page();
  for (const schema::CheckText& check : schema::catalog()) {
    EXPECT_EQ(count(page, "\n| `" + std::string(check.id) + "` | "), 1U) << check.id;
  }
}

TEST(RulesPage, TableRowsMatchHeader) {
  const std::string page = index_page();
  std::size_t cells = 0;  // of the current table
  for (std::size_t at = 0; at < page.size();) {
    const std::size_t end = page.find('\n', at);
    const std::string_view line = std::string_view(page).substr(at, end - at);
    at = end + 1;
    if (!line.starts_with("| ") && !line.starts_with("|---")) {
      cells = 0;
      continue;
    }
    const std::size_t found = count(line, "|");
    EXPECT_TRUE(line.ends_with("|") && (cells == 0 || found == cells)) << line;
    cells = found;
  }
}

TEST(RulesPage, DefaultsShowObjectBeforeAndAfter) {
  EXPECT_THAT(section_of(section_pages(), "dgd.default.replicas"),
              testing::AllOf(testing::HasSubstr("\n- on: create, update\n"),
                             testing::HasSubstr("\nWhat is created:\n\n```yaml\napiVersion: "),
                             testing::HasSubstr("\nWhat is stored:\n\n```yaml\napiVersion: ")));
}

}  // namespace
}  // namespace dynamo::admission
