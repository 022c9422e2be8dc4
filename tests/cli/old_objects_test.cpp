// Validation as an update: --old and --against.
#include "cli/check/old_objects.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include <array>
#include <filesystem>

#include "cli/commands/commands.hpp"
#include "cli/git/child_process.hpp"
#include "tests/cli/validate_fixture.hpp"
#include "tests/cli/workspace.hpp"

namespace dynamo::cli {
namespace {

namespace fs = std::filesystem;
using test::graph_json;
using test::graph_yaml;
using test::RunResult;
using test::with_another_service;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

std::string found(const OldObjects& objects, const ManifestKey& key, const FilePath& input = {}) {
  const OldObject old = objects.find(key, input);
  if (old.json_text != nullptr) return *old.json_text;
  return old.uncertainty.empty() ? "new" : old.uncertainty;
}

TEST(OldObjects, AreFoundByKindNamespaceAndName) {
  OldObjects objects;
  objects.put({"DynamoModel", "team-a", "x"}, "1");
  objects.put({"DynamoModel", "team-b", "x"}, "2");
  objects.put({"DynamoModel", "team-b", "x"}, "3");
  objects.put({"DynamoModel", "team-b", ""}, "4");
  EXPECT_EQ(found(objects, {"DynamoModel", "team-a", "x"}), "1");
  EXPECT_EQ(found(objects, {"DynamoModel", "team-b", "x"}), "3") << "the last one of a file counts";
  EXPECT_EQ(found(objects, {"DynamoModel", "team-b", ""}), "new") << "has no name";
  EXPECT_EQ(found(objects, {"DynamoModel", "team-a", "y"}), "new");
  EXPECT_EQ(found(objects, {"DynamoGraphDeployment", "team-a", "x"}), "new");
  EXPECT_EQ(objects.size(), 2U);
  EXPECT_THAT(objects.gone(), IsEmpty());
  objects.put({"DynamoModel", "team-b", "z"}, "5", {"old.yaml", "old.yaml"});
  const auto gone = objects.gone();
  ASSERT_EQ(gone.size(), 1U);
  EXPECT_EQ(gone[0].kind + gone[0].namespace_name + gone[0].name + gone[0].file,
            "DynamoModelteam-bzold.yaml");
}

TEST(OldObjects, SameFileTakesPrecedence) {
  OldObjects objects;
  const ManifestKey key{"DynamoModel", "default", "x"};
  objects.put(key, "dev", {"old/dev/a.yaml", "dev/a.yaml"});
  objects.put(key, "prod", {"old/prod/a.yaml", "prod/a.yaml"});
  EXPECT_EQ(found(objects, key, {"/x/new/dev/a.yaml", 10}), "dev");
  EXPECT_EQ(found(objects, key, {"/x/new/prod/a.yaml", 6}), "prod") << "new/prod was named";
  EXPECT_THAT(found(objects, key, {"/x/new/team/prod/a.yaml", 16}),
              StartsWith("there is more than one old object of this kind, namespace and name: in "
                         "old/dev/a.yaml and in old/prod/a.yaml; "));
  EXPECT_THAT(found(objects, key), StartsWith("there is more than one"));
}

TEST(OldObjects, ElsewhereIsLoadedOnceAndLazily) {
  OldObjects objects;
  int reads = 0;
  objects.put({"DynamoModel", "default", "x"}, "1");
  objects.set_moved_search([&reads](OldObjects& elsewhere) {
    ++reads;
    elsewhere.put({"DynamoModel", "default", "y"}, "2", {"main:y.yaml", "/y.yaml"});
    elsewhere.put({"DynamoModel", "default", "z"}, "3", {"main:z.yaml", "/z.yaml"});
    elsewhere.put_unreadable({"main:t.yaml", 3, 1, "broken"}, {}, false);
  });
  EXPECT_EQ(found(objects, {"DynamoModel", "default", "x"}), "1");
  EXPECT_EQ(reads, 0);
  EXPECT_THAT(objects.unreadable_elsewhere(), IsEmpty());
  EXPECT_EQ(found(objects, {"DynamoModel", "default", "y"}), "2");
  EXPECT_EQ(found(objects, {"DynamoModel", "default", "none"}), "new");
  EXPECT_EQ(reads, 1);
  EXPECT_EQ(objects.unreadable_elsewhere().size(), 1U);
  EXPECT_THAT(objects.gone(), IsEmpty()) << "z is none of the inputs' business";
}

// The finding for a service that an update adds.
constexpr std::string_view kRefusal = "[dgd.topology.services]";

class Updates : public test::ValidateFixture {};

TEST_F(Updates, ExistingObjectIsValidatedAsUpdate) {
  workspace_.write("old/a.yaml", graph_yaml("a"));
  workspace_.write("new.yaml", with_another_service("a") + "---\n" + with_another_service("b"));
  EXPECT_EQ(validate({"@/new.yaml"}).code, kExitValid);
  const RunResult ran = validate({"@/new.yaml", "--old", "@/old"});
  EXPECT_EQ(ran.code, kExitInvalid);
  EXPECT_THAT(ran.out, HasSubstr("DynamoGraphDeployment a, as an update: 1 error"));
  EXPECT_THAT(ran.out, HasSubstr(kRefusal));
  EXPECT_THAT(ran.out, Not(HasSubstr("DynamoGraphDeployment b"))) << "b is new";
}

TEST_F(Updates, OldObjectsMayBeInOneList) {
  workspace_.write("old.json", R"({"apiVersion":"v1","kind":"List","items":[)" + graph_json("a") +
                                   "," + graph_json("b") + "]}");
  workspace_.write("new.yaml", with_another_service("b"));
  EXPECT_EQ(validate({"@/new.yaml", "--old", "@/old.json"}).code, kExitInvalid);
}

TEST_F(Updates, DeletedObjectsAreListed) {
  workspace_.write("old.yaml",
                   graph_yaml("a") + "---\n" + graph_yaml("b") + "---\n" + graph_yaml("c"));
  workspace_.write("new.yaml", graph_yaml("b"));
  const RunResult ran = validate({"@/new.yaml", "--old", "@/old.yaml"});
  EXPECT_EQ(ran.code, kExitValid);
  EXPECT_EQ(ran.err,
            "kubectl-dynamo: 2 old objects are not among the inputs any more\n"
            "  DynamoGraphDeployment default/a of old.yaml\n"
            "  DynamoGraphDeployment default/c of old.yaml\n");
  EXPECT_THAT(validate({"@/new.yaml", "--old", "@/old.yaml", "-q"}).err, IsEmpty());
}

// No input can be the same object.
TEST_F(Updates, OldGeneratedNameIsNotMissing) {
  std::string text = graph_yaml("a");
  text.replace(text.find("name: a"), 7, "generateName: a-");
  workspace_.write("old.yaml", text + "---\n" + text);
  const RunResult ran = validate({"@/old.yaml", "--old", "@/old.yaml"});
  EXPECT_EQ(ran.code, kExitValid) << ran.out;
  EXPECT_THAT(ran.err, IsEmpty());
}

TEST_F(Updates, NamespacesAreDistinguished) {
  const std::string in_team_a = "  namespace: team-a\nspec:";
  std::string old_text = graph_yaml("a");
  old_text.replace(old_text.find("spec:"), 5, in_team_a);
  workspace_.write("old.yaml", old_text);
  workspace_.write("new.yaml", with_another_service("a"));
  EXPECT_EQ(validate({"@/new.yaml", "--old", "@/old.yaml"}).code, kExitValid) << "in default";
  EXPECT_EQ(validate({"@/new.yaml", "--old", "@/old.yaml", "-n", "team-a"}).code, kExitInvalid);
}

TEST_F(Updates, AnUnchangedObjectIsAValidUpdate) {
  // Defaults are set on both sides; otherwise the two would differ.
  std::string text = with_another_service("a");
  text.erase(text.find("      replicas: 1\n"), 18);
  workspace_.write("d/a.yaml", text);
  const RunResult ran = validate({"@/d", "--old", "@/d"});
  EXPECT_EQ(ran.code, kExitValid) << ran.out;
}

TEST_F(Updates, OldInputFaultsAreReported) {
  workspace_.write("new.yaml", with_another_service("a"));
  const RunResult missing = validate({"@/new.yaml", "--old", "@/none"});
  EXPECT_EQ(missing.code, kExitUnusable);
  EXPECT_EQ(missing.err, "kubectl-dynamo: --old none: there is no such file or directory\n");
  const RunResult standard_input = validate({"@/new.yaml", "--old", "-"});
  EXPECT_EQ(standard_input.code, kExitUnusable);
  EXPECT_THAT(standard_input.err, StartsWith("kubectl-dynamo: --old must name a file"));
  fs::create_directories(workspace_.path("old/b.yaml"));
  fs::create_symlink("nowhere", workspace_.path("old/c.yaml"));
  const RunResult dangling = validate({"@/new.yaml", "--old", "@/old"});
  EXPECT_EQ(dangling.code, kExitUnusable);
  EXPECT_THAT(dangling.out, HasSubstr("old/c.yaml: error: the file cannot be opened"));
}

TEST_F(Updates, MissingObjectsAreFaultsWithBrokenOldFile) {
  workspace_.write("new/a.yaml", with_another_service("a"));
  workspace_.write("new/b.yaml", graph_yaml("b"));
  workspace_.write("old/a.yaml", "apiVersion: nvidia.com/v1alpha1\na: [\n");
  workspace_.write("old/b.yaml", graph_yaml("b"));
  const RunResult fixed = validate({"@/new", "--old", "@/old"});
  EXPECT_EQ(fixed.code, kExitValid) << "the file that was broken is fixed";
  EXPECT_THAT(fixed.err, StartsWith("kubectl-dynamo: nothing to compare with at old/a.yaml:"));
  workspace_.write("new/c.yaml", graph_yaml("c"));
  const RunResult other = validate({"@/new", "--old", "@/old"});
  EXPECT_EQ(other.code, kExitUnusable);
  EXPECT_THAT(other.out, HasSubstr("new/c.yaml:1:1: error: DynamoGraphDeployment c could not be "
                                   "compared: there may be an old object in old/a.yaml:"));
  EXPECT_THAT(other.out, Not(HasSubstr("new/a.yaml")));
  const RunResult named = validate({"@/new/a.yaml", "--old", "@/old/a.yaml"});
  EXPECT_EQ(named.code, kExitUnusable) << "it was named to be compared with";
  const RunResult json = validate({"@/new", "--old", "@/old", "-o", "json"});
  EXPECT_EQ(json.code, kExitUnusable);
  EXPECT_THAT(json.out, HasSubstr("could not be compared: there may be"));
}

TEST_F(Updates, OldInputsWithoutObjectsAreAFault) {
  workspace_.write("new.yaml", graph_yaml("a"));
  workspace_.write("old.yaml", "apiVersion: v1\nkind: Pod\n");
  const RunResult ran = validate({"@/new.yaml", "--old", "@/old.yaml"});
  EXPECT_EQ(ran.code, kExitUnusable);
  EXPECT_EQ(ran.err,
            "kubectl-dynamo: --old old.yaml: there is no object of this API to compare with\n");
}

TEST_F(Updates, SameNamedObjectsAreComparedByFile) {
  for (const char* folder : {"dev", "prod"}) {
    workspace_.write(std::string("new/") + folder + "/a.yaml", with_another_service("a"));
  }
  workspace_.write("old/dev/a.yaml", graph_yaml("a"));
  workspace_.write("old/prod/a.yaml", with_another_service("a"));
  const RunResult all = validate({"-R", "@/new", "--old", "@/old"});
  EXPECT_EQ(all.code, kExitInvalid);
  EXPECT_THAT(all.out, AllOf(HasSubstr("new/dev/a.yaml"), Not(HasSubstr("new/prod/a.yaml"))));
  EXPECT_THAT(all.err,
              StartsWith("kubectl-dynamo: 1 object appears more than once among the inputs"))
      << "both were found";
  EXPECT_EQ(std::ranges::count(all.err, '\n'), 2) << all.err;
  EXPECT_EQ(validate({"@/new/prod", "-R", "--old", "@/old"}).code, kExitValid);
  EXPECT_EQ(validate({"@/new/prod/a.yaml", "-R", "--old", "@/old"}).code, kExitValid);
  EXPECT_EQ(validate({"@/new/dev/a.yaml", "-R", "--old", "@/old"}).code, kExitInvalid);
  workspace_.write("new.yaml", with_another_service("a"));
  const RunResult unclear = validate({"@/new.yaml", "-R", "--old", "@/old"});
  EXPECT_EQ(unclear.code, kExitUnusable);
  EXPECT_THAT(unclear.out,
              HasSubstr("in old/dev/a.yaml and in old/prod/a.yaml; compare one folder"));
}

// A graph of each version; `metadata` and `spec` add fields in flow YAML.
std::string beta_graph(std::string_view metadata, std::string_view component = "") {
  std::string text =
      "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\nmetadata: {name: g";
  text.append(metadata).append("}\nspec: {components: [{name: A, type: worker, replicas: 1");
  text.append(component);
  return text + ", podTemplate: {spec: {containers: [{name: main, image: 'a:1.5.0'}]}}}]}\n";
}
std::string alpha_graph(std::string_view metadata, std::string_view service = "") {
  std::string text =
      "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nmetadata: {name: g";
  text.append(metadata).append("}\nspec: {services: {A: {componentType: worker, replicas: 1");
  text.append(service);
  return text + ", extraPodSpec: {mainContainer: {image: 'a:1.5.0'}}}}}\n";
}

constexpr std::string_view kStored =
    ", uid: u, annotations: {nvidia.com/workload-provider: component}";
constexpr std::string_view kStoredByGrove =
    ", uid: u, annotations: {nvidia.com/workload-provider: grove}";
constexpr std::string_view kGroveGiven = ", annotations: {nvidia.com/workload-provider: grove}";

TEST_F(Updates, RecordedProviderIsKeptByManifest) {
  for (const auto& graph : {&beta_graph, &alpha_graph}) {
    workspace_.write("old.yaml", graph(kStoredByGrove, ", minAvailable: 1"));
    workspace_.write("new.yaml", graph("", ""));
    for (const char* pathway : {"grove", "component", "unknown"}) {
      const RunResult ran = validate({"@/new.yaml", "--old", "@/old.yaml", "--pathway", pathway,
                                      "--operator-generation", "later"});
      EXPECT_EQ(ran.code, kExitValid) << pathway << ran.out;
    }
  }
}

TEST_F(Updates, GivenProviderIsComparedWithRecordedOne) {
  for (const auto& graph : {&beta_graph, &alpha_graph}) {
    workspace_.write("old.yaml", graph(kStored, ""));
    workspace_.write("new.yaml", graph(kGroveGiven, ""));
    for (const char* pathway : {"grove", "component", "unknown"}) {
      const RunResult ran = validate({"@/new.yaml", "--old", "@/old.yaml", "--pathway", pathway,
                                      "--operator-generation", "later"});
      EXPECT_THAT(ran.out, HasSubstr("[hub.graph.provider-fixed]")) << pathway;
    }
    workspace_.write("old.yaml", graph(", uid: u", ""));
    const RunResult added = validate({"@/new.yaml", "--old", "@/old.yaml", "--pathway", "grove",
                                      "--operator-generation", "later", "--user", "alice",
                                      "--operator-service-account", "a/b"});
    EXPECT_THAT(added.out, HasSubstr("metadata.annotations[nvidia.com/workload-provider]"));
  }
}

class Git : public Updates {
 protected:
  void SetUp() override {
    auto started = Process::start({"git", "--version"}, false);
    ASSERT_FALSE(std::holds_alternative<int>(started)) << "git must be installed";
    git({"init", "-q", "-b", "main"});
  }

  std::string git(const std::vector<std::string>& arguments) {
    std::vector<std::string> words{"git",
                                   "-C",
                                   workspace_.path("."),
                                   "-c",
                                   "user.name=x",
                                   "-c",
                                   "user.email=x@example.com",
                                   "-c",
                                   "commit.gpgsign=false"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    auto started = Process::start(words, true);
    const auto output = std::get<Process>(started).finish(std::size_t{1} << 20U);
    EXPECT_TRUE(output && output->status == 0) << (output ? output->errors : "no answer");
    return output ? output->text : "";
  }

  void commit_again() {
    workspace_.write("more.txt", "x");
    commit();
  }
  void commit() {
    git({"add", "-A"});
    git({"commit", "-q", "-m", "x"});
  }
};

TEST_F(Git, ObjectsAreComparedWithACommit) {
  workspace_.write("deploy/a.yaml", graph_yaml("a"));
  workspace_.write("deploy/sub/b.yaml", graph_yaml("b"));
  workspace_.write("deploy/.hidden.yaml", graph_yaml("new"));
  commit();
  workspace_.write("deploy/a.yaml", with_another_service("a"));
  workspace_.write("deploy/sub/b.yaml", with_another_service("b"));
  workspace_.write("deploy/new.yaml", with_another_service("new"));
  const RunResult flat = validate({"@/deploy", "--against", "main"});
  EXPECT_EQ(flat.code, kExitInvalid);
  EXPECT_THAT(flat.out, AllOf(HasSubstr("DynamoGraphDeployment a, as an update: 1 error"),
                              HasSubstr(kRefusal), HasSubstr("2 objects in 2 files: 1 invalid")));
  const RunResult deep = validate({"-R", "@/deploy", "--against", "HEAD"});
  EXPECT_THAT(deep.out, AllOf(HasSubstr("DynamoGraphDeployment b, as an update: 1 error"),
                              HasSubstr("3 objects in 3 files: 2 invalid")));
  EXPECT_THAT(deep.err, IsEmpty());
}

TEST_F(Git, ConfigurationsCompareTheirOwnObjects) {
  const std::string later = "      runtimeVersionOverride: 1.5.0\n";
  workspace_.write("d/team/.dynamo-admission.yaml", "operator-generation: later\nexclude: [x/*]\n");
  workspace_.write("d/team/a.yaml", graph_yaml("a") + later);
  workspace_.write("d/team/gone.yaml", graph_yaml("gone") + later);
  workspace_.write("d/team/x/excluded.yaml", graph_yaml("excluded"));
  workspace_.write("d/b.yaml", graph_yaml("b"));
  commit();
  EXPECT_EQ(validate({"-R", "@/d", "--against", "HEAD"}).code, kExitValid);
  workspace_.write("d/team/a.yaml", with_another_service("a") + later);
  workspace_.write("d/b.yaml", with_another_service("b"));
  fs::remove(workspace_.path("d/team/gone.yaml"));
  const RunResult ran = validate({"-R", "@/d", "--against", "HEAD"});
  EXPECT_EQ(ran.code, kExitInvalid);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("DynamoGraphDeployment a, as an update: 1 error"),
                             HasSubstr("DynamoGraphDeployment b, as an update: 1 error"),
                             HasSubstr("2 objects in 2 files: 2 invalid (2 errors)")));
  EXPECT_EQ(
      ran.err,
      "kubectl-dynamo: 1 old object is not among the inputs any more\n"
      "  DynamoGraphDeployment default/gone of HEAD:d/team/gone.yaml\n"
      "kubectl-dynamo: warning: d/team/.dynamo-admission.yaml:2: exclude: x/*; line 1: "
      "operator-generation: later (this may leave findings out; --config none validates without "
      "the file, --config-from REF with that of a trusted commit)\n");
}

TEST_F(Git, SingleFilesAreCompared) {
  workspace_.write("a.yaml", graph_yaml("a"));
  workspace_.write("deploy/b.json", graph_json("b"));
  commit();
  workspace_.write("a.yaml", with_another_service("a"));
  workspace_.write("deploy/b.json", graph_json("b"));
  const RunResult ran = validate({"@/a.yaml", "@/deploy/b.json", "--against", "HEAD"});
  EXPECT_EQ(ran.code, kExitInvalid);
  EXPECT_THAT(ran.out, HasSubstr("2 objects in 2 files: 1 invalid"));
}

TEST_F(Git, OlderCommitsAndTagsCanBeNamed) {
  workspace_.write("a.yaml", graph_yaml("a"));
  commit();
  git({"tag", "-a", "v1", "-m", "x"});
  workspace_.write("a.yaml", with_another_service("a"));
  commit();
  EXPECT_EQ(validate({"@/a.yaml", "--against", "HEAD"}).code, kExitValid);
  EXPECT_EQ(validate({"@/a.yaml", "--against", "HEAD~1"}).code, kExitInvalid);
  EXPECT_EQ(validate({"@/a.yaml", "--against", "v1"}).code, kExitInvalid);
}

TEST_F(Git, UnusualFileNamesAreFound) {
  const std::string name = "a \"b\"\n*\u00e9.yaml";
  workspace_.write(name, graph_yaml("a"));
  commit();
  workspace_.write(name, with_another_service("a"));
  EXPECT_EQ(validate({"@/" + name, "--against", "HEAD"}).code, kExitInvalid);
  EXPECT_EQ(validate({"@/.", "--against", "HEAD"}).code, kExitInvalid);
}

TEST_F(Git, ManyLargeFilesAreRead) {
  const std::string padding = "# " + std::string(300'000, 'x') + "\n";
  for (int i = 0; i < 30; ++i) {
    workspace_.write("d/" + std::to_string(i) + ".yaml",
                     (i % 3 == 0 ? padding : "") + graph_yaml("n" + std::to_string(i)));
  }
  workspace_.write("d/empty.yaml", "");
  commit();
  for (int i = 0; i < 30; ++i) {
    workspace_.write("d/" + std::to_string(i) + ".yaml",
                     with_another_service("n" + std::to_string(i)));
  }
  const RunResult ran = validate({"@/d", "--against", "HEAD"});
  EXPECT_THAT(ran.out, HasSubstr("30 objects in 31 files: 30 invalid (30 errors)"));
}

TEST_F(Git, LinksInTheCommitAreNotRead) {
  workspace_.write("d/a.yaml", graph_yaml("a"));
  fs::create_symlink("a.yaml", workspace_.path("d/b.yaml"));
  commit();
  const RunResult ran = validate({"@/d", "--against", "HEAD"});
  EXPECT_EQ(ran.code, kExitValid) << ran.out << ran.err;
}

TEST_F(Git, LinksAreComparedByTheirTarget) {
  workspace_.write("base/a.yaml", graph_yaml("a"));
  fs::create_directory(workspace_.path("deploy"));
  fs::create_symlink("../base/a.yaml", workspace_.path("deploy/a.yaml"));
  commit();
  workspace_.write("base/a.yaml", with_another_service("a"));
  for (const std::string name : {"@/deploy", "@/deploy/a.yaml", "@/."}) {
    const RunResult ran = validate({"-R", name, "--against", "HEAD"});
    EXPECT_EQ(ran.code, kExitInvalid) << name << ran.out;
    EXPECT_THAT(ran.out, Not(HasSubstr("DynamoGraphDeployment a: "))) << name;
  }
}

TEST_F(Git, SubmodulesAreComparedWithTheirRecordedCommit) {
  workspace_.write("source/a.yaml", graph_yaml("a"));
  git({"-C", "source", "init", "-q", "-b", "main"});
  git({"-C", "source", "add", "-A"});
  git({"-C", "source", "commit", "-q", "-m", "x"});
  git({"-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "./source", "deploy"});
  fs::remove_all(workspace_.path("source"));
  commit();
  EXPECT_EQ(validate({"-R", "@/.", "--against", "HEAD"}).code, kExitValid);
  workspace_.write("deploy/a.yaml", with_another_service("a"));
  const RunResult ran = validate({"-R", "@/.", "--against", "HEAD"});
  EXPECT_EQ(ran.code, kExitInvalid) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("DynamoGraphDeployment a, as an update: 1 error"));
  // Its commit no longer exists.
  git({"update-index", "--cacheinfo", "160000,1111111111111111111111111111111111111111,deploy"});
  git({"commit", "-q", "-m", "y"});
  const RunResult unknown = validate({"-R", "@/.", "--against", "HEAD"});
  EXPECT_EQ(unknown.code, kExitUnusable);
  EXPECT_THAT(unknown.out, HasSubstr("could not be compared: it is in the submodule"));
}

TEST_F(Git, MissingGitBlobIsAFault) {
  workspace_.write("d/a.yaml", graph_yaml("a"));
  commit();
  std::string id = git({"rev-parse", "HEAD:d/a.yaml"});
  id.pop_back();
  fs::remove(workspace_.path(".git/objects/" + id.substr(0, 2) + "/" + id.substr(2)));
  workspace_.write("d/a.yaml", with_another_service("a"));
  const RunResult ran = validate({"@/d/a.yaml", "--against", "HEAD"});
  EXPECT_EQ(ran.code, kExitUnusable);
  EXPECT_THAT(ran.out + ran.err, HasSubstr("git does not have this object"));
}

TEST_F(Git, PatchesInTheCommitAreNotOldObjects) {
  workspace_.write("deploy/base/a.yaml", graph_yaml("a"));
  workspace_.write("deploy/base/kustomization.yaml", "resources: [a.yaml]\n");
  workspace_.write("deploy/prod/patch.yaml", graph_yaml("a"));
  workspace_.write("deploy/prod/kustomization.yaml",
                   "resources: [../base]\npatches: [{path: patch.yaml}]\n");
  commit();
  fs::rename(workspace_.path("deploy"), workspace_.path("apps"));
  EXPECT_EQ(validate({"-R", "@/apps", "--against", "HEAD"}).code, kExitValid);
  workspace_.write("apps/base/a.yaml", with_another_service("a"));
  EXPECT_EQ(validate({"-R", "@/apps", "--against", "HEAD"}).code, kExitInvalid);
}

TEST_F(Git, NotesArePrintedOnOneLine) {
  workspace_.write("b\n::warning::y.yaml", "apiVersion: nvidia.com/v1alpha1\na: [\n");
  commit();
  fs::remove(workspace_.path("b\n::warning::y.yaml"));
  workspace_.write("a.yaml", graph_yaml("a"));
  EXPECT_THAT(validate({"-R", "@/.", "--against", "HEAD"}).err, Not(HasSubstr("\n::")));
}

TEST_F(Git, ErrorsArePrintedOnOneLine) {
  workspace_.write("d/a.yaml", graph_yaml("a"));
  commit();
  const RunResult unknown = validate({"@/d", "--against", "no-such-branch"});
  EXPECT_EQ(unknown.code, kExitUnusable);
  EXPECT_EQ(unknown.err,
            "kubectl-dynamo: there is no commit no-such-branch in the git repository of d\n");
  const RunResult option = validate({"@/d", "--against=--output=x"});
  EXPECT_EQ(option.code, kExitUnusable);
  EXPECT_EQ(option.err, "kubectl-dynamo: --against must name a commit; --output=x is an option\n");
  const RunResult input = validate({"-f", "-", "--against", "HEAD"}, graph_yaml("a"));
  EXPECT_EQ(input.code, kExitUnusable);
  EXPECT_THAT(input.err, StartsWith("kubectl-dynamo: --against needs files in a git repository"));
  fs::remove_all(workspace_.path(".git"));
  const RunResult outside = validate({"@/d", "--against", "HEAD"});
  EXPECT_EQ(outside.code, kExitUnusable);
  EXPECT_THAT(outside.err, StartsWith("kubectl-dynamo: there is no git repository at or above d"));
}

TEST_F(Git, BrokenDocumentsInTheCommitAreNotes) {
  workspace_.write("d/a.yaml", "apiVersion: nvidia.com/v1alpha1\na: [\n");
  commit();
  workspace_.write("d/a.yaml", with_another_service("a"));
  const RunResult ran = validate({"@/d", "--against", "HEAD"});
  EXPECT_EQ(ran.code, kExitValid) << "the change fixes it";
  EXPECT_THAT(ran.err, HasSubstr("nothing to compare with at HEAD:d/a.yaml:"));
}

TEST_F(Git, SameNamedObjectsAreComparedByFile) {
  workspace_.write("dev/a.yaml", graph_yaml("a"));
  workspace_.write("prod/a.yaml", with_another_service("a"));
  commit();
  workspace_.write("dev/a.yaml", with_another_service("a"));
  const RunResult all = validate({"-R", "@/.", "--against", "HEAD"});
  EXPECT_EQ(all.code, kExitInvalid);
  EXPECT_THAT(all.out, AllOf(HasSubstr("dev/a.yaml"), Not(HasSubstr("prod/a.yaml"))));
  fs::rename(workspace_.path("dev/a.yaml"), workspace_.path("dev/b.yaml"));
  EXPECT_EQ(validate({"-R", "@/.", "--against", "HEAD"}).code, kExitInvalid)
      << "prod/a.yaml still is where it was";
  fs::rename(workspace_.path("prod/a.yaml"), workspace_.path("prod/b.yaml"));
  const RunResult unclear = validate({"-R", "@/.", "--against", "HEAD"});
  EXPECT_EQ(unclear.code, kExitUnusable);
  EXPECT_THAT(unclear.out, AllOf(HasSubstr("HEAD:./dev/a.yaml"), HasSubstr("HEAD:./prod/a.yaml")));
}

TEST_F(Git, MovedObjectsAreFoundInTheCommit) {
  workspace_.write("apps/a.yaml", graph_yaml("a"));
  workspace_.write("chart/Chart.yaml", "apiVersion: v2\n");
  workspace_.write("chart/templates/x.yaml", "a: [\n");
  commit();
  fs::create_directory(workspace_.path("deploy"));
  fs::rename(workspace_.path("apps/a.yaml"), workspace_.path("deploy/b.yaml"));
  EXPECT_EQ(validate({"@/deploy", "--against", "HEAD"}).code, kExitValid);
  workspace_.write("deploy/b.yaml", with_another_service("a"));
  const RunResult folder = validate({"@/deploy", "--against", "HEAD"});
  EXPECT_EQ(folder.code, kExitInvalid);
  EXPECT_THAT(folder.out, HasSubstr("DynamoGraphDeployment a, as an update: 1 error"));
  EXPECT_THAT(folder.err, IsEmpty());
  EXPECT_EQ(validate({"@/deploy/b.yaml", "--against", "HEAD"}).code, kExitInvalid);
}

TEST_F(Git, CopyIsNotComparedWithItsOriginal) {
  workspace_.write("dev/a.yaml", graph_yaml("a"));
  commit();
  workspace_.write("prod/a.yaml", with_another_service("a"));
  EXPECT_EQ(validate({"@/prod", "--against", "HEAD"}).code, kExitValid);
  EXPECT_EQ(validate({"-R", "@/.", "--against", "HEAD"}).code, kExitValid);
  fs::remove(workspace_.path("dev/a.yaml"));
  EXPECT_EQ(validate({"-R", "@/.", "--against", "HEAD"}).code, kExitInvalid) << "now it was moved";
}

TEST_F(Git, UnreadableFilesElsewhereAreNotes) {
  workspace_.write("deploy/a.yaml", graph_yaml("a"));
  workspace_.write("other/b.yaml", "apiVersion: nvidia.com/v1alpha1\na: [\n");
  commit();
  workspace_.write("deploy/new.yaml", graph_yaml("new"));
  const RunResult ran = validate({"@/deploy", "--against", "HEAD"});
  EXPECT_EQ(ran.code, kExitValid);
  EXPECT_THAT(
      ran.err,
      StartsWith("kubectl-dynamo: not searched for what has been moved: HEAD:other/b.yaml:"));
}

TEST_F(Git, NonManifestsInTheCommitRaiseNoDoubt) {
  workspace_.write("d/a.yaml", graph_yaml("a"));
  workspace_.write("d/tsconfig.json", "{\n  // a comment\n  \"a\": 1,\n}\n");
  workspace_.write("d/playbook.yaml", "- hosts: all\n");
  workspace_.write("d/kustomization.yaml", "patches: [{path: patch.yaml}]\n");
  workspace_.write("d/patch.yaml", graph_yaml("a", 3));
  commit();
  workspace_.write("d/new.yaml", graph_yaml("new"));
  const RunResult ran = validate({"-R", "@/d", "--against", "HEAD"});
  EXPECT_EQ(ran.code, kExitValid) << ran.out << ran.err;
  EXPECT_THAT(ran.err, AllOf(Not(HasSubstr("nothing to compare")), Not(HasSubstr("not searched"))));
}

TEST_F(Git, EverythingIsNewBeforeTheFirstCommit) {
  workspace_.write("d/a.yaml", graph_yaml("a"));
  for (const char* reference : {"HEAD", "main"}) {
    const RunResult ran = validate({"@/d", "--against", reference});
    EXPECT_EQ(ran.code, kExitValid);
    EXPECT_EQ(ran.err,
              "kubectl-dynamo: the git repository of d has no commit yet: every object counts as "
              "new\n");
  }
  EXPECT_EQ(validate({"@/d", "--against", "HEAD~1"}).code, kExitUnusable);
}

TEST_F(Git, MissingCommitOfShallowCloneIsExplained) {
  workspace_.write("d/a.yaml", graph_yaml("a"));
  commit();
  git({"branch", "release"});
  commit_again();
  git({"clone", "-q", "file://" + workspace_.path("."), workspace_.path("fresh")});
  const RunResult fresh = validate({"@/fresh/d", "--against", "release"});
  EXPECT_EQ(fresh.code, kExitUnusable);
  EXPECT_EQ(fresh.err,
            "kubectl-dynamo: there is no commit release in the git repository of fresh/d; did you "
            "mean origin/release?\n");
  git({"clone", "-q", "--depth", "1", "file://" + workspace_.path("."),
       workspace_.path("shallow")});
  const RunResult shallow = validate({"@/shallow/d", "--against", "HEAD~1"});
  EXPECT_EQ(shallow.code, kExitUnusable);
  EXPECT_THAT(shallow.err, AllOf(HasSubstr("the clone is shallow"), HasSubstr("fetch-depth: 0")));
}

TEST(ProcessTest, PassesTextBothWays) {
  auto started = Process::start({"cat"}, false);
  auto& process = std::get<Process>(started);
  EXPECT_TRUE(process.write("some text\n"));
  std::array<char, 64> bytes{};
  const auto count = process.read(bytes);
  ASSERT_TRUE(count);
  EXPECT_EQ(std::string_view(bytes.data(), *count), "some text\n");
  const auto rest = process.finish(100);
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->text, "");
}

TEST(ProcessTest, CollectsOutputErrorsAndStatus) {
  auto started = Process::start({"sh", "-c", "echo out; echo err >&2; exit 7"}, true);
  const auto output = std::get<Process>(started).finish(1000);
  ASSERT_TRUE(output);
  EXPECT_EQ(output->text, "out\n");
  EXPECT_EQ(output->errors, "err\n");
  EXPECT_EQ(output->status, 7);
}

TEST(ProcessTest, WritingToAnEndedProgramRaisesNoSignal) {
  auto started = Process::start({"true"}, false);
  auto& process = std::get<Process>(started);
  std::array<char, 1> byte{};
  EXPECT_EQ(process.read(byte), std::size_t{0}) << "it has ended";
  EXPECT_FALSE(process.write(std::string(8'000'000, 'x')));
}

TEST(ProcessTest, MissingOrVerboseProgramsAreErrors) {
  EXPECT_EQ(std::get<int>(Process::start({"no-such-program-anywhere"}, false)), ENOENT);
  auto started = Process::start({"yes"}, false);
  EXPECT_FALSE(std::get<Process>(started).finish(100'000));
}

}  // namespace
}  // namespace dynamo::cli
