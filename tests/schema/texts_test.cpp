// Messages for users: what must hold, what was found, what to do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <ostream>
#include <string>
#include <vector>

#include "schema/catalog.hpp"
#include "schema/suggest.hpp"
#include "tests/schema/validation_helpers.hpp"

namespace dynamo::test {
namespace {

using testing::ElementsAre;

std::string detail_of(std::string_view spec) {
  const std::vector<std::string> details =
      details_of(findings_of("DynamoGraphDeployment", object_of("DynamoGraphDeployment", spec)));
  return details.size() == 1 ? details.front() : std::to_string(details.size()) + " findings";
}

struct Row {
  const char* name;
  const char* spec;
  const char* detail;
};

void PrintTo(const Row& row, std::ostream* out) {
  *out << row.spec;
}

class TextTest : public testing::TestWithParam<Row> {};

TEST_P(TextTest, IsHelpful) {
  EXPECT_EQ(detail_of(GetParam().spec), GetParam().detail);
}

INSTANTIATE_TEST_SUITE_P(
    Of, TextTest,
    testing::Values(
        Row{"misspelt", "{services: {A: {replica: 1}}}",
            R"(must be a field that the API knows; did you mean "replicas"?)"},
        Row{"a_letter_of_another_script", "{services: {A: {replic\u0430s: 1}}}",
            "must be a field that the API knows; the name contains U+0430 CYRILLIC SMALL LETTER A, "
            "which looks like \"a\"; did you mean \"replicas\"?"},
        Row{"letters_of_another_script", "{services: {A: {r\u0435plic\u0430\u0455: 1}}}",
            "must be a field that the API knows; the name contains U+0435 CYRILLIC SMALL LETTER "
            "IE, "
            "which looks like \"e\"; did you mean \"replicas\"?"},
        Row{"an_invisible_character", "{services: {A: {\"\\u200Breplicas\": 1}}}",
            "must be a field that the API knows; the name contains U+200B ZERO WIDTH SPACE; did "
            "you "
            "mean \"replicas\"?"},
        Row{"other_case", "{services: {A: {ReadinessProbe: {}}}}",
            R"(must be a field that the API knows; did you mean "readinessProbe"?)"},
        Row{"plural", "{service: {}}",
            R"(must be a field that the API knows; did you mean "services"?)"},
        Row{"swapped_letters", "{services: {A: {rpelicas: 1}}}",
            R"(must be a field that the API knows; did you mean "replicas"?)"},
        Row{"one_level_too_high", "{services: {A: {nodeCount: 2}}}",
            R"(must be a field that the API knows; did you mean "multinode.nodeCount"?)"},
        Row{"of_the_main_container", "{services: {A: {image: a}}}",
            R"(must be a field that the API knows; did you mean "extraPodSpec.mainContainer.image"?)"},
        Row{"of_the_main_container_and_others", "{services: {A: {command: [a]}}}",
            R"(must be a field that the API knows; did you mean "extraPodSpec.mainContainer.command"?)"},
        Row{"in_the_pod_spec", "{services: {A: {extraPodSpec: {image: a}}}}",
            R"(must be a field that the API knows; did you mean "mainContainer.image"?)"},
        Row{"one_level_too_deep", "{services: {A: {extraPodSpec: {replicas: 1}}}}",
            R"(must be a field that the API knows; did you mean "spec.services[A].replicas"?)"},
        Row{"several_levels_too_deep",
            "{services: {A: {extraPodSpec: {mainContainer: {backendFramework: vllm}}}}}",
            R"(must be a field that the API knows; did you mean "spec.backendFramework"?)"},
        Row{"like_nothing", "{services: {A: {zzzzzz: 1}}}",
            "must be a field that the API knows; remove it"},
        Row{"text_without_quotes", "{services: {A: {resources: {limits: {gpu: 1}}}}}",
            "must be a string; found integer; write it in quotes"},
        Row{"number_in_quotes", "{services: {A: {replicas: '1'}}}",
            "must be an integer; found string; write it without quotes"},
        Row{"word_for_a_number", "{services: {A: {replicas: many}}}",
            "must be an integer; found string"},
        Row{"boolean_in_quotes", "{services: {A: {scalingAdapter: {enabled: 'true'}}}}",
            "must be true or false; found string; write it without quotes"},
        Row{"object_for_a_list", "{pvcs: {name: a}}", "must be a list; found object"},
        Row{"enumeration", "{backendFramework: vlm}",
            R"(must be one of "sglang", "vllm", "trtllm"; found "vlm"; did you mean "vllm"?)"},
        Row{"minimum", "{services: {A: {replicas: -1}}}", "must be at least 0; found -1"},
        Row{"quantity", "{services: {A: {sharedMemory: {size: 16GB}}}}",
            R"(must be a quantity such as 500m, 2 or 16Gi; found "16GB"; write "16Gi" or "16G")"},
        Row{"quantity_of_the_wrong_type", "{services: {A: {sharedMemory: {size: true}}}}",
            "must be a quantity such as 16Gi; found boolean"},
        Row{"missing", "{services: {A: {volumeMounts: [{}]}}}", "must be set"},
        Row{"empty", "{restart: {id: ''}}", "must not be empty"},
        Row{"repeated_key",
            "{services: {A: {extraPodSpec: {mainContainer: {env: [{name: a}, {name: a}]}}}}}",
            "must differ from the other items in its name; [0] has the same"},
        Row{"repeated_keys",
            "{services: {A: {extraPodSpec: {mainContainer: {ports: [{containerPort: 1}, "
            "{containerPort: 1}]}}}}}",
            "must differ from the other items in its containerPort and protocol; [0] has the same"},
        Row{"duplicate_field", "{services: {A: {replicas: 1, replicas: 2}}}",
            "must occur once; found it again, and the last one would count"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Texts, DoNotRepeatPossibleSecrets) {
  const std::string detail = detail_of("{services: {A: {envs: [{name: TOKEN, value: 1234567}]}}}");
  EXPECT_EQ(detail, "must be a string; found integer; write it in quotes");
}

TEST(Suggestions, AreNearBySpelling) {
  constexpr std::array<std::string_view, 3> kWords{"alpha", "beta", "gamma"};
  EXPECT_EQ(schema::nearest_word(kWords, "ALPHA"), "alpha");
  EXPECT_EQ(schema::nearest_word(kWords, "bta"), "beta");
  EXPECT_EQ(schema::nearest_word(kWords, "gmama"), "gamma");
  EXPECT_EQ(schema::nearest_word(kWords, "delta"), "");
  EXPECT_EQ(schema::nearest_word(kWords, ""), "");
  EXPECT_EQ(schema::nearest_word(kWords, std::string(1000, 'a')), "");
}

TEST(Catalog, ExplainsEachId) {
  std::vector<std::string_view> ids;
  for (const schema::CheckText& check : schema::catalog()) {
    ids.push_back(check.id);
    EXPECT_FALSE(check.summary.empty() || check.summary.ends_with('.')) << check.id;
    EXPECT_TRUE(check.explanation.ends_with('.')) << check.id;
    EXPECT_EQ(schema::find_check(check.id), &check);
  }
  EXPECT_THAT(
      ids,
      ElementsAre(
          "metadata.annotations", "metadata.finalizers", "metadata.generate-name",
          "metadata.labels", "metadata.name", "metadata.namespace", "metadata.owner-references",
          "schema.api-version", "schema.cel.checkpoint-job", "schema.cel.checkpoint-source",
          "schema.cel.claim-creation", "schema.cel.component-names", "schema.cel.container-image",
          "schema.cel.epp-config-source", "schema.cel.epp-config-type",
          "schema.cel.executor-backend", "schema.cel.gms-client-containers",
          "schema.cel.gms-client-pods", "schema.cel.gms-client-pods-reserved",
          "schema.cel.identity-unchanged", "schema.cel.init-container-image",
          "schema.cel.kv-preferred-weight", "schema.cel.kv-topology",
          "schema.cel.kv-weight-enforcement", "schema.cel.label-prefix", "schema.cel.min-available",
          "schema.cel.min-available-unchanged", "schema.cel.restart-on-create",
          "schema.cel.shared-memory-size", "schema.cel.single-epp", "schema.dropped-document",
          "schema.duplicate-field", "schema.duplicate-item", "schema.enum", "schema.format",
          "schema.items", "schema.kind", "schema.length", "schema.maximum", "schema.minimum",
          "schema.pattern", "schema.properties", "schema.required", "schema.type",
          "schema.unknown-field"));
  EXPECT_EQ(schema::find_check("schema.unknown"), nullptr);
}

}  // namespace
}  // namespace dynamo::test
