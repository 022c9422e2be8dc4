// kubectl dynamo default, replay and bench.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "admission/review.hpp"
#include "cli/commands/commands.hpp"
#include "json/parser.hpp"
#include "json/yaml.hpp"
#include "tests/cli/workspace.hpp"
#include "tests/support/objects.hpp"
#include "tests/support/review_fixture.hpp"

namespace dynamo::cli {
namespace {

using test::graph_json;
using test::graph_yaml;
using test::RunResult;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

TEST(Default, PrintsTheStoredObject) {
  const test::Workspace workspace;
  const RunResult ran = workspace.run(
      {"default", "-f", "-", "--operator-version", "1.2.3"},
      "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nmetadata: {name: a}\n"
      "spec:\n  services:\n    A:\n      envFromSecret: '8000'\n      componentType: worker\n"
      "      extraPodSpec: {mainContainer: {image: x:1}}\n    B: null\n");
  EXPECT_EQ(ran.code, kExitValid) << ran.err;
  EXPECT_EQ(ran.out,
            "apiVersion: nvidia.com/v1alpha1\n"
            "kind: DynamoGraphDeployment\n"
            "metadata:\n"
            "  name: a\n"
            "  annotations:\n"
            "    nvidia.com/dynamo-operator-origin-version: 1.2.3\n"
            "spec:\n"
            "  services:\n"
            "    A:\n"
            "      envFromSecret: \"8000\"\n"
            "      componentType: worker\n"
            "      extraPodSpec:\n"
            "        mainContainer:\n"
            "          image: x:1\n"
            "      replicas: 1\n");
}

TEST(Default, StampsNoUnknownOperatorVersion) {
  const test::Workspace workspace;
  const RunResult ran = workspace.run({"default", "-f", "-"}, graph_yaml("a"));
  EXPECT_EQ(ran.code, kExitValid) << ran.err;
  EXPECT_THAT(ran.out, Not(HasSubstr("annotations")));
}

TEST(Default, SeparatesDocumentsAndOmitsOtherKinds) {
  const test::Workspace workspace;
  const std::string input =
      graph_yaml("a") + "---\napiVersion: v1\nkind: Pod\n---\n" + graph_yaml("b");
  const RunResult yaml = workspace.run({"default", "-f", "-"}, input);
  EXPECT_EQ(yaml.code, kExitValid);
  EXPECT_EQ(yaml.err, "kubectl-dynamo: left out 1 object of another kind\n");
  const RunResult quiet =
      workspace.run({"default", "-q", "-f", "-"}, "apiVersion: v1\nkind: Pod\n");
  EXPECT_EQ(quiet.err, "");
  json::YamlReader reader(yaml.out);
  json::Document document;
  for (const char* name : {"a", "b"}) {
    ASSERT_EQ(reader.next(document), json::YamlReader::ReadResult::kDocument);
    EXPECT_EQ(document.root()["metadata"]["name"].string(), name);
  }
  EXPECT_EQ(reader.next(document), json::YamlReader::ReadResult::kEnd);

  const RunResult json = workspace.run({"default", "-f", "-", "-o", "json"}, input);
  const std::size_t end = json.out.find('\n');
  EXPECT_EQ(json::parse_copy(json.out.substr(0, end))->root()["metadata"]["name"].string(), "a");
  EXPECT_EQ(json::parse_copy(json.out.substr(end))->root()["metadata"]["name"].string(), "b");
}

TEST(Default, EscapesInvisibleCharacters) {
  const test::Workspace workspace;
  const std::string input =
      "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nmetadata: {name: a}\nspec:\n"
      "  envs: [{name: A, value: \"\\u202Ea\\u2066\\u200F\\u061C\\x85\\u2028\\uFEFF\u00e9\"}]\n"
      "  services: {A: {componentType: worker, extraPodSpec: {mainContainer: {image: x:1}}}}\n";
  const RunResult yaml = workspace.run({"default", "-f", "-"}, input);
  EXPECT_EQ(yaml.code, kExitValid) << yaml.err;
  EXPECT_THAT(yaml.out, HasSubstr("\"\\u202Ea\\u2066\\u200F\\u061C\\x85\\u2028\\uFEFF\u00e9\"\n"));
  const RunResult json = workspace.run({"default", "-f", "-", "-o", "json"}, input);
  EXPECT_THAT(json.out, HasSubstr("\"\\u202ea\\u2066\\u200f\\u061c\\u0085\\u2028\\ufeff\u00e9\""));
}

TEST(Default, PrintsErrorsInsteadOfRefusedObjects) {
  const test::Workspace workspace;
  const RunResult ran = workspace.run(
      {"default", "-f", "-"}, graph_yaml("a", -1) + "---\n" + graph_yaml("b") + "---\nx: [\n");
  EXPECT_EQ(ran.code, kExitUnusable) << "one document could not be read";
  EXPECT_THAT(ran.out, AllOf(HasSubstr("name: b\n"), Not(HasSubstr("name: a\n"))));
  EXPECT_THAT(ran.err, HasSubstr("-1"));
  EXPECT_THAT(ran.err, HasSubstr("8:17: error: spec.services[Frontend].replicas"));
  EXPECT_EQ(workspace.run({"default", "-f", "-"}, graph_yaml("a", -1)).code, kExitInvalid);
}

TEST(Default, IsIdempotent) {
  const test::Workspace workspace;
  const RunResult once = workspace.run({"default", "-f", "-"}, graph_yaml("a"));
  EXPECT_EQ(workspace.run({"default", "-f", "-"}, once.out).out, once.out);
}

std::string review(api::Operation operation, std::string_view object, std::string_view old = {}) {
  test::ReviewParts parts;
  parts.operation = operation;
  const auto now = test::from_yaml(object);
  const auto before = old.empty() ? json::Document{} : test::from_yaml(old);
  parts.object = now.root();
  parts.old_object = before.root();
  return test::review_text(parts);
}

TEST(Replay, AnswersReviewsLikeTheServer) {
  const test::Workspace workspace;
  workspace.write("capture.jsonl",
                  review(api::Operation::kCreate, graph_yaml("example")) + "\n" +
                      review(api::Operation::kUpdate, test::with_another_service("example"),
                             graph_yaml("example")) +
                      "\n");
  const RunResult ran = workspace.run({"replay", "@/capture.jsonl"});
  EXPECT_EQ(ran.code, kExitInvalid);
  EXPECT_THAT(ran.err, IsEmpty());
  const std::string out = workspace.shown(ran.out);
  EXPECT_THAT(out, StartsWith("capture.jsonl:1: allowed: CREATE DynamoGraphDeployment "
                              "default/example by jane@example.com\n"
                              "capture.jsonl:2: denied: UPDATE DynamoGraphDeployment "
                              "default/example by jane@example.com\n"
                              "  error: spec.services: "));
  EXPECT_THAT(out, HasSubstr("[dgd.topology.services]\n"));
  EXPECT_THAT(out, testing::EndsWith("2 reviews: 1 allowed, 1 denied\n"));
}

// The server's response to a review under that policy.
std::unique_ptr<json::ParsedText> served(std::string_view policy_text, std::string_view text) {
  const admission::ReadPolicy policy = admission::read_policy(policy_text);
  const api::Settings settings;
  const api::ClusterFacts facts;
  const admission::NoNamespaceLeases leases;
  const admission::EvaluationInputs inputs{settings, facts, leases,
                                           std::chrono::system_clock::from_time_t(1'770'091'506),
                                           &policy.policy.value()};
  std::string body(text);
  body.append(json::kParsePadding, '\0');
  std::string answer;
  admission::Reviewer reviewer(admission::Enforcement::kDeny, {});
  reviewer.review(test::validating(api::Kind::kGraphDeployment), std::span(body).first(text.size()),
                  inputs, answer);
  return json::parse_copy(answer);
}

TEST(Replay, HonoursIgnoreAnnotationsLikeTheServer) {
  const std::string with_reason =
      "dynamo-admission.nvidia.com/ignore: pod.vocabulary, "
      "dynamo-admission.nvidia.com/ignore-reason: a test";
  const std::string without = "dynamo-admission.nvidia.com/ignore: pod.vocabulary";
  struct Case {
    std::string policy;
    std::string annotations;
    bool allowed;
  };
  for (const Case& each : {Case{"{version: 1, honourIgnores: true}", with_reason, true},
                           Case{"{version: 1, honourIgnores: true}", without, false},
                           Case{"{version: 1}", with_reason, false}}) {
    SCOPED_TRACE(each.policy + " " + each.annotations);
    const test::Workspace workspace;
    const std::string text =
        review(api::Operation::kCreate,
               "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\n"
               "metadata: {name: a, annotations: {" +
                   each.annotations +
                   "}}\n"
                   "spec: {services: {A: {componentType: frontend, replicas: 1, extraPodSpec: "
                   "{dnsPolicy: Foo, mainContainer: {image: 'a:1'}}}}}\n");
    workspace.write("policy.yaml", each.policy);
    const RunResult ran =
        workspace.run({"replay", "-", "-o", "json", "--policy", "@/policy.yaml"}, text);
    const auto replayed = json::parse_copy(ran.out);
    const auto answer = served(each.policy, text);
    ASSERT_FALSE(replayed->error) << ran.out << ran.err;
    const json::Value response = answer->root()["response"];
    EXPECT_EQ(replayed->root()["allowed"].boolean(), each.allowed) << ran.out;
    EXPECT_EQ(response["allowed"].boolean(), each.allowed);
    EXPECT_EQ(replayed->root()["warnings"].size(), response["warnings"].size());
    EXPECT_EQ(ran.code, each.allowed ? kExitValid : kExitInvalid);
  }
}

TEST(Replay, JsonHasOneObjectPerReview) {
  const test::Workspace workspace;
  const std::string text =
      review(api::Operation::kCreate, graph_yaml("example", -1) +
                                          "    Worker:\n      componentType: worker\n"
                                          "      extraPodSpec: {mainContainer: {image: x:1}}\n");
  const RunResult ran = workspace.run({"replay", "-", "-o", "json"}, text + "\n" + text);
  EXPECT_EQ(ran.code, kExitInvalid);
  const auto first = json::parse_copy(ran.out.substr(0, ran.out.find('\n')));
  ASSERT_FALSE(first->error) << ran.out;
  const json::Value answer = first->root();
  EXPECT_EQ(answer["allowed"].boolean(), false);
  EXPECT_EQ(answer["line"].integer(), 1);
  EXPECT_EQ(answer["user"].string(), "jane@example.com");
  EXPECT_EQ((*answer["errors"].elements().begin())["field"].string(),
            "spec.services[Frontend].replicas");
  EXPECT_EQ(answer["patch"].size(), 2U);
  const auto second = json::parse_copy(ran.out.substr(ran.out.find('\n') + 1));
  EXPECT_EQ(second->root()["line"].integer(), 2);
}

TEST(Replay, ReadsAReviewOverManyLines) {
  const test::Workspace workspace;
  std::string text = review(api::Operation::kCreate, graph_yaml("example"));
  for (std::size_t at = text.find(','); at != std::string::npos; at = text.find(',', at + 2)) {
    text.insert(at + 1, "\n");
  }
  const RunResult ran = workspace.run({"replay", "-"}, text);
  EXPECT_EQ(ran.code, kExitValid) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("1 review: 1 allowed, 0 denied"));
}

TEST(Replay, InvalidReviewDoesNotHideTheRest) {
  const test::Workspace workspace;
  const RunResult ran = workspace.run(
      {"replay", "-"}, "{\"kind\":\"Pod\"}\n{\"kind\":\"Pod\"\n" +
                           review(api::Operation::kCreate, graph_yaml("example")) + "\ntext\n");
  EXPECT_EQ(ran.code, kExitUnusable);
  EXPECT_THAT(ran.err, HasSubstr("kubectl-dynamo: standard input:1:1: "));
  EXPECT_THAT(ran.err, HasSubstr("standard input:4:1: expected an AdmissionReview"));
  EXPECT_EQ(std::ranges::count(ran.err, '\n'), 3);
  EXPECT_EQ(workspace.run({"replay", "@/none.json"}).code, kExitUnusable);
}

TEST(Replay, UnclosedLineDoesNotHideTheNext) {
  const test::Workspace workspace;
  const std::string good = review(api::Operation::kCreate, graph_yaml("example")) + "\n";
  workspace.write("capture.jsonl", good + "{\"broken\":\n" + good);
  const RunResult ran = workspace.run({"replay", "@/capture.jsonl"});
  EXPECT_EQ(ran.code, kExitUnusable);
  EXPECT_THAT(workspace.shown(ran.err), StartsWith("kubectl-dynamo: capture.jsonl:2:1: "));
  EXPECT_THAT(ran.out, HasSubstr("2 reviews: 2 allowed"));
}

TEST(Replay, AcceptsTheFileAsOption) {
  const test::Workspace workspace;
  workspace.write("review.json", review(api::Operation::kCreate, graph_yaml("example")));
  const RunResult ran = workspace.run({"replay", "-f", "@/review.json"});
  EXPECT_EQ(ran.code, kExitValid) << ran.err;
  EXPECT_EQ(ran.out, workspace.run({"replay", "@/review.json"}).out);
}

TEST(Replay, FailsWithoutReviews) {
  const test::Workspace workspace;
  for (const char* text : {"", "\n \n"}) {
    workspace.write("empty.jsonl", text);
    const RunResult ran = workspace.run({"replay", "@/empty.jsonl"});
    EXPECT_EQ(ran.code, kExitUnusable);
    EXPECT_EQ(workspace.shown(ran.err),
              "kubectl-dynamo: there is no AdmissionReview in empty.jsonl\n");
    EXPECT_THAT(ran.out, IsEmpty());
  }
  EXPECT_EQ(workspace.run({"replay", "-"}).code, kExitUnusable);
}

TEST(Replay, UserOfTheReviewCanBeOverridden) {
  const test::Workspace workspace;
  const RunResult ran = workspace.run({"replay", "-", "--user", "bob"},
                                      review(api::Operation::kCreate, graph_yaml("example")));
  EXPECT_THAT(ran.out, HasSubstr(" by bob\n"));
}

TEST(Schema, OffersValuesOfOpenVocabularies) {
  const test::Workspace workspace;
  const RunResult ran = workspace.run({"schema", "DynamoGraphDeployment"});
  for (const char* words :
       {R"(["frontend","worker","prefill","decode","planner","epp"])",
        R"(["ReadWriteOnce","ReadOnlyMany","ReadWriteMany","ReadWriteOncePod"])",
        R"(["limits.cpu",)", R"(["metadata.name",)", R"(["metadata.name"])", R"(["v1"])"}) {
    EXPECT_THAT(ran.out, HasSubstr(R"("anyOf":[{"enum":)" + std::string(words)));
  }
}

TEST(Schema, HasBothApiVersions) {
  const test::Workspace workspace;
  const auto printed = [&](const char* kind) { return workspace.run({"schema", kind}).out; };
  EXPECT_THAT(printed("dgd"), HasSubstr(R"("const":"nvidia.com/v1alpha1")"));
  EXPECT_THAT(printed("dgd"), HasSubstr("\"services\""));
  EXPECT_THAT(printed("dgd.v1beta1"), HasSubstr(R"("const":"nvidia.com/v1beta1")"));
  EXPECT_THAT(printed("dgd.v1beta1"), HasSubstr("\"components\""));
  EXPECT_EQ(workspace.run({"schema", "dm.v1beta1"}).code, kExitUnusable);
  EXPECT_THAT(workspace.run({"schema"}).out, HasSubstr("#/$defs/DynamoGraphDeployment.v1beta1"));
}

TEST(Bench, ReportsSpeedAsTextAndJson) {
  const test::Workspace workspace;
  const std::string input = graph_yaml("a") + "---\n" + graph_yaml("b", -1);
  const RunResult text = workspace.run({"bench", "-f", "-", "--rounds", "3", "-j", "2"}, input);
  EXPECT_EQ(text.code, kExitValid);
  EXPECT_THAT(text.out,
              StartsWith("2 objects (1 invalid), 0.0 MB, 2 threads, 3 rounds\nfastest: "));
  const RunResult json = workspace.run({"bench", "-f", "-", "--rounds", "3", "-o", "json"}, input);
  const auto figures = json::parse_copy(json.out);
  ASSERT_FALSE(figures->error) << json.out;
  EXPECT_EQ(figures->root()["objects"].integer(), 2);
  EXPECT_EQ(figures->root()["seconds"].size(), 3U);
  EXPECT_GT(figures->root()["objectsPerSecond"].number(), 0);
}

TEST(Bench, NeedsAnObject) {
  const test::Workspace workspace;
  const RunResult nothing = workspace.run({"bench", "-f", "-"}, "x: 1\n");
  EXPECT_EQ(nothing.code, kExitUnusable);
  EXPECT_EQ(nothing.err, "kubectl-dynamo: there is no object to validate in the inputs\n");
  EXPECT_EQ(workspace.run({"bench", "@/none.yaml"}).code, kExitUnusable);
}

}  // namespace
}  // namespace dynamo::cli
