// Which graphs get the Secret with the MPI keys, and from where.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "json/writer.hpp"
#include "tests/reconciler/graph/graph_fixture.hpp"
#include "text/base64.hpp"

namespace dynamo::reconciler {
namespace {

using test::Fault;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Graphs of TensorRT-LLM where LeaderWorkerSets are served.
class MpiSecretTest : public ::testing::Test {
 protected:
  void begin(std::vector<std::string> copied_to, bool creates_source = false,
             std::string source_namespace = "system") {
    RenderSettings settings = GraphFixture::default_settings();
    settings.environment.profile.mpi_secret_name = "mpi";
    settings.mpi_secret_copies = {.source_namespace = std::move(source_namespace),
                                  .namespaces = std::move(copied_to),
                                  .creates_source = creates_source};
    fixture_.emplace(settings);
    fixture_->set_served_kinds(api::Fact::kNo, api::Fact::kYes);
  }
  void put_graph(int nodes) {
    fixture_->put_graph(
        R"({"Work":{"componentType":"worker","multinode":{"nodeCount":)" + std::to_string(nodes) +
            R"(},"resources":{"limits":{"gpu":"1"}},"extraPodSpec":{"mainContainer":{"image":"a:1",)"
            R"("command":["python3"],"args":["-m","dynamo.trtllm"]}}}})",
        "g", "", "trtllm");
    fixture_->start_process();
  }
  void put_source() {
    fixture_->cluster.put(kube::kSecrets, R"({"metadata":{"name":"mpi","namespace":"system"},)"
                                          R"("type":"Opaque","data":{"key":"a2V5"}})");
  }
  std::optional<kube::Object> secret() const {
    return fixture_->cluster.find(kube::kSecrets, kSpace, "mpi");
  }

  std::optional<GraphFixture> fixture_;
};

TEST_F(MpiSecretTest, IsCopiedIntoNamespacesThatMatch) {
  begin({"other", "m?"});
  put_graph(2);
  fixture_->reconcile_graph();
  EXPECT_THAT(fixture_->condition_text(kGraphs, "g", "Ready"), HasSubstr("Secret mpi must exist"));
  put_source();
  fixture_->reconcile_graph();
  const auto copy = secret();
  ASSERT_TRUE(copy);
  EXPECT_EQ(json::to_text(copy->root()["data"]), R"({"key":"a2V5"})");
  EXPECT_FALSE(copy->root()["metadata"]["labels"].exists());
  EXPECT_THAT(fixture_->context->events, Not(Contains(HasSubstr("MpiKeyCreated"))));
}

TEST_F(MpiSecretTest, MissingSourceIsCreatedBeforeItsCopy) {
  begin({"*"}, true);
  put_graph(2);
  fixture_->reconcile_graph();
  const auto source = fixture_->cluster.find(kube::kSecrets, "system", "mpi");
  ASSERT_TRUE(source);
  EXPECT_EQ(source->root()["data"].size(), 2U);
  EXPECT_EQ(source->root()["metadata"]["labels"]["app.kubernetes.io/managed-by"].string_or_empty(),
            "dynamo-operator");
  const auto copy = secret();
  ASSERT_TRUE(copy);
  EXPECT_EQ(json::to_text(copy->root()["data"]), json::to_text(source->root()["data"]));
  EXPECT_THAT(fixture_->context->events,
              Contains("Normal MpiKeyCreated on DynamoGraphDeployment/g"));
  EXPECT_THAT(fixture_->names(kComponents), ElementsAre("g-work"));
}

TEST_F(MpiSecretTest, ExistingSourceIsNeverReplaced) {
  begin({"*"}, true);
  put_source();
  put_graph(2);
  fixture_->reconcile_graph();
  const auto copy = secret();
  ASSERT_TRUE(copy);
  EXPECT_EQ(json::to_text(copy->root()["data"]), R"({"key":"a2V5"})");
  EXPECT_THAT(fixture_->context->events, Not(Contains(HasSubstr("MpiKeyCreated"))));
}

TEST_F(MpiSecretTest, CopyWaitsWhenAnotherGraphCreatesSource) {
  begin({"*"}, true);
  put_graph(2);
  fixture_->cluster.fail({.method = kube::HttpMethod::kPost, .path = "/namespaces/system/secrets"},
                         {.kind = Fault::Kind::kStatus, .status = 409, .reason = "AlreadyExists"},
                         1);
  EXPECT_EQ(fixture_->reconcile_graph().kind, ReconcileResult::Kind::kRetry);
  EXPECT_FALSE(secret());
  put_source();
  fixture_->reconcile_graph();
  ASSERT_TRUE(secret());
  EXPECT_EQ(json::to_text(secret()->root()["data"]), R"({"key":"a2V5"})");
}

TEST_F(MpiSecretTest, NamespaceOfSourceGetsOneKey) {
  begin({"*"}, true, kSpace);
  put_graph(2);
  fixture_->reconcile_graph();
  ASSERT_TRUE(secret());
  EXPECT_EQ(
      secret()->root()["metadata"]["labels"]["app.kubernetes.io/managed-by"].string_or_empty(),
      "dynamo-operator");
  EXPECT_THAT(fixture_->names(kComponents), ElementsAre("g-work"));
}

TEST_F(MpiSecretTest, IsGeneratedForAllOtherNamespaces) {
  begin({"other"});
  put_source();
  put_graph(2);
  fixture_->reconcile_graph();
  const auto made = secret();
  ASSERT_TRUE(made);
  const json::Value data = made->root()["data"];
  EXPECT_EQ(data.size(), 2U);
  EXPECT_THAT(text::decode_base64(data["private.key"].string_or_empty()).value_or(""),
              StartsWith("-----BEGIN OPENSSH PRIVATE KEY-----\n"));
  EXPECT_THAT(text::decode_base64(data["private.key.pub"].string_or_empty()).value_or(""),
              StartsWith("ecdsa-sha2-nistp256 "));
  EXPECT_EQ(made->root()["type"].string_or_empty(), "Opaque");
  EXPECT_EQ(made->root()["metadata"]["labels"]["app.kubernetes.io/managed-by"].string_or_empty(),
            "dynamo-operator");
  EXPECT_FALSE(made->root()["metadata"]["ownerReferences"].exists())
      << "other graphs mount it, too";
  EXPECT_THAT(fixture_->context->events,
              Contains("Normal MpiKeyCreated on DynamoGraphDeployment/g"));
  EXPECT_THAT(fixture_->names(kComponents), ElementsAre("g-work"));
  fixture_->reconcile_graph();
  EXPECT_EQ(json::to_text(secret()->root()), json::to_text(made->root()));
}

TEST_F(MpiSecretTest, IsNotCreatedForOneNode) {
  begin({"*"});
  put_source();
  put_graph(1);
  fixture_->reconcile_graph();
  EXPECT_FALSE(secret());
  EXPECT_THAT(fixture_->names(kComponents), ElementsAre("g-work"));
  EXPECT_EQ(fixture_->cluster.count({.method = kube::HttpMethod::kGet, .path = "/secrets/mpi"}),
            0U);
}

TEST_F(MpiSecretTest, ExistingSecretStays) {
  begin({"*"});
  put_source();
  fixture_->cluster.put(kube::kSecrets, R"({"metadata":{"name":"mpi","namespace":"ml"},)"
                                        R"("type":"Opaque","data":{"key":"b3du"}})");
  put_graph(2);
  fixture_->reconcile_graph();
  EXPECT_EQ(json::to_text(secret()->root()["data"]), R"({"key":"b3du"})");
}

TEST_F(MpiSecretTest, DryRunGeneratesNoKey) {
  begin({});
  put_graph(2);
  fixture_->context->dry_run = true;
  fixture_->reconcile_graph();
  EXPECT_FALSE(secret());
  EXPECT_THAT(fixture_->context->printed, HasSubstr(R"(private.key: "***")"));
}

TEST_F(MpiSecretTest, ReadErrorIsReportedWithoutBlockingDeletion) {
  begin({"*"});
  put_graph(2);
  fixture_->reconcile_graph();
  constexpr std::size_t kMany = 1'000;
  fixture_->cluster.fail({.method = kube::HttpMethod::kGet, .path = "/secrets/mpi"},
                         {.kind = Fault::Kind::kStatus, .status = 403, .reason = "Forbidden"},
                         kMany);
  EXPECT_EQ(fixture_->reconcile_graph().kind, ReconcileResult::Kind::kRetry);
  EXPECT_THAT(fixture_->condition_text(kGraphs, "g", "Ready"), HasSubstr("Forbidden"));
  fixture_->cluster.erase(kGraphs, kSpace, "g");
  fixture_->reconcile_graph();
  EXPECT_FALSE(fixture_->cluster.find(kGraphs, kSpace, "g"));
}

}  // namespace
}  // namespace dynamo::reconciler
