// kubectl dynamo convert.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cli/commands/commands.hpp"
#include "cli/fix/kept_comments.hpp"
#include "tests/cli/command_line.hpp"
#include "tests/cli/workspace.hpp"

namespace dynamo::cli {
namespace {

using test::RunResult;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::string_view kGraph =
    "# our graph\n"
    "apiVersion: nvidia.com/v1alpha1\n"
    "kind: DynamoGraphDeployment\n"
    "metadata:\n"
    "  name: g  # a short name\n"
    "spec:\n"
    "  services:\n"
    "    # answers HTTP\n"
    "    Frontend:\n"
    "      componentType: frontend\n"
    "      replicas: 2  # two zones\n";

constexpr std::string_view kConverted =
    "# our graph\n"
    "apiVersion: nvidia.com/v1beta1\n"
    "kind: DynamoGraphDeployment\n"
    "metadata:\n"
    "  name: g  # a short name\n"
    "spec:\n"
    "  components:\n"
    "  # answers HTTP\n"
    "  - name: Frontend\n"
    "    type: frontend\n"
    "    replicas: 2  # two zones\n";

TEST(Convert, KeepsCommentsOfFieldsWithAPlace) {
  const test::Workspace workspace;
  const RunResult ran = workspace.run({"convert", "-f", "-"}, std::string(kGraph));
  EXPECT_EQ(ran.code, kExitValid) << ran.err;
  EXPECT_EQ(ran.out, kConverted);
  EXPECT_THAT(ran.err, IsEmpty());
}

TEST(Convert, TooLongStandardInputIsRefused) {
  const test::Workspace workspace;
  const RunResult ran =
      workspace.run({"convert", "-f", "-"}, std::string((std::size_t{128} << 20U) + 1, '#'));
  EXPECT_EQ(ran.code, kExitUnusable);
  EXPECT_THAT(ran.err, HasSubstr("the input is longer than 134217728 bytes"));
  EXPECT_THAT(ran.out, IsEmpty());
}

TEST(Convert, ReturnsToTheEarlierVersion) {
  const test::Workspace workspace;
  const RunResult ran =
      workspace.run({"convert", "--to", "v1alpha1", "-f", "-"}, std::string(kConverted));
  EXPECT_EQ(ran.code, kExitValid) << ran.err;
  EXPECT_EQ(ran.out, kGraph);
}

TEST(Convert, ReportsLinesOfLostComments) {
  const test::Workspace workspace;
  const RunResult ran =
      workspace.run({"convert", "-f", "-"}, std::string(kGraph) +
                                                "      # one card\n"
                                                "      resources: {limits: {gpu: '1'}}\n");
  EXPECT_EQ(ran.code, kExitValid);
  EXPECT_THAT(ran.err, HasSubstr("new version: line 12"));
}

TEST(Convert, NamesFieldsThatItsVersionLacks) {
  const test::Workspace workspace;
  const RunResult ran = workspace.run({"convert", "-f", "-"},
                                      "apiVersion: nvidia.com/v1alpha1\n"
                                      "kind: DynamoGraphDeployment\n"
                                      "metadata: {name: g}\n"
                                      "spec: {services: {W: {replcias: 3}}, components: []}\n");
  EXPECT_EQ(ran.code, kExitValid);
  EXPECT_THAT(ran.err, HasSubstr("dropped, because its version has no such field: "
                                 "DynamoGraphDeployment g: spec.components\n"));
  EXPECT_THAT(ran.err, HasSubstr("DynamoGraphDeployment g: spec.services[W].replcias\n"));
}

TEST(Convert, LeavesOtherDocumentsAsTheyAre) {
  const test::Workspace workspace;
  const std::string other = "kind:   ConfigMap # as written\napiVersion: v1\n";
  const RunResult ran =
      workspace.run({"convert", "-f", "-"}, other + "---\n" + std::string(kGraph));
  EXPECT_EQ(ran.code, kExitValid) << ran.err;
  EXPECT_EQ(ran.out, other + "---\n" + std::string(kConverted));
}

TEST(Convert, ConvertsItemsOfLists) {
  const test::Workspace workspace;
  const RunResult ran = workspace.run(
      {"convert", "-f", "-", "-o", "json"},
      "{apiVersion: v1, kind: List, items: [{apiVersion: nvidia.com/v1alpha1, kind: "
      "DynamoGraphDeploymentScalingAdapter, metadata: {name: s}, spec: {replicas: 1, dgdRef: "
      "{name: g, serviceName: w}}}]}");
  EXPECT_EQ(ran.code, kExitValid) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr(R"("componentName":"w")"));
  EXPECT_THAT(ran.out, HasSubstr(R"("apiVersion":"nvidia.com/v1beta1")"));
}

TEST(Convert, PrintsTheDifference) {
  const test::Workspace workspace;
  workspace.write("graph.yaml", std::string(kGraph));
  const RunResult ran = workspace.run({"convert", "-f", workspace.path("graph.yaml"), "--diff"});
  EXPECT_EQ(ran.code, kExitValid) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("-apiVersion: nvidia.com/v1alpha1\n"));
  EXPECT_THAT(ran.out, HasSubstr("+apiVersion: nvidia.com/v1beta1\n"));
  EXPECT_THAT(ran.out, Not(HasSubstr("-  name: g")));
}

TEST(Convert, ReportsObjectsThatCannotBeConverted) {
  const test::Workspace workspace;
  const RunResult ran = workspace.run(
      {"convert", "-f", "-"},
      "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nmetadata: {name: g}\n"
      "spec: {services: {w: {replicas: two}}}\n");
  EXPECT_EQ(ran.code, kExitUnusable);
  EXPECT_THAT(ran.err, HasSubstr("DynamoGraphDeployment g: spec.services[w].replicas: must be"));
}

TEST(Convert, ReportsUnreadableText) {
  const test::Workspace workspace;
  const RunResult ran = workspace.run({"convert", "-f", "-"}, "a: [\n");
  EXPECT_EQ(ran.code, kExitUnusable);
}

TEST(KeptComments, TextOfBlocksIsNoComment) {
  const CommentedText kept =
      keep_comments("a: |\n  # text\nb: '# x'\nc: \"y # z\"  # real\n", "c: y\nb: x\na: z\n");
  EXPECT_EQ(kept.text, "c: y  # real\nb: x\na: z\n");
  EXPECT_THAT(kept.lost, IsEmpty());
}

TEST(KeptComments, LastCommentIsLost) {
  EXPECT_THAT(keep_comments("a: 1\n# end\n", "a: 1\n").lost, ElementsAre(2));
}

}  // namespace
}  // namespace dynamo::cli
