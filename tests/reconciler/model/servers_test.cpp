// A model with inference servers that are slow, broken, hanging or redirecting: real requests on
// loopback, and an in-memory API server.
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reconciler/model/http_engine_client.hpp"
#include "reconciler/model/reconciler.hpp"
#include "tests/kube/scripted_server.hpp"
#include "tests/reconciler/model/models.hpp"
#include "tests/reconciler/reconcile_fixture.hpp"

namespace dynamo::reconciler::model {
namespace {

using test::answer;
using test::answering;
using test::Peer;
using test::Script;
using test::ScriptedServer;
using test::stalling;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

struct Row {
  std::string name;
  Script script;
  bool loads = false;
};

std::vector<Row> rows() {
  return {
      {"answers", answering(answer(200, R"({"status":"success"})")), true},
      {"answers no JSON", answering(answer(200, "<html>")), true},
      {"fails", answering(answer(500, "no memory"))},
      {"redirects", answering(answer(307, "", "Location: http://127.0.0.1:1/\r\n"))},
      {"hangs", stalling()},
      {"stops half way",
       [](Peer& peer) {
         peer.read_request();
         peer.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345");
         peer.end();
       }},
      {"answers too much", answering(answer(200, std::string(2U << 20U, 'x')))},
      {"speaks something else", [](Peer& peer) { peer.send("SSH-2.0-x\r\n"); }},
      {"cuts",
       [](Peer& peer) {
         peer.read_request();
         peer.cut();
       }},
  };
}

class ServersTest : public test::ReconcileTest {
 protected:
  void SetUp() override {
    std::vector<test::PodAddress> addresses;
    HttpEngineClientOptions engines;
    engines.reaches_everywhere = true;
    const auto ports = std::make_shared<std::map<std::string, std::uint16_t>>();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const std::string host = "10.0.0." + std::to_string(i + 1);
      servers_.push_back(std::make_unique<ScriptedServer>(std::vector{rows_[i].script}));
      (*ports)[host] = servers_.back()->port();
      addresses.push_back({host, "p" + std::to_string(i)});
    }
    engines.resolver = [ports](const std::string& host, std::uint16_t) {
      return std::optional(HostPort{.address = "127.0.0.1", .port = ports->at(host)});
    };
    ModelReconcilerOptions options;
    options.calls.request_timeout = std::chrono::milliseconds(2'500);
    reconciler_.emplace(std::make_shared<HttpEngineClient>(std::move(engines)), std::move(options));
    cluster_.put(kModels, test::model_text({.type = "lora", .finalizers = "[]"}));
    cluster_.put(kube::kEndpointSlices, test::slice_text("s", test::endpoints_text(addresses)));
    watch(*reconciler_);
  }
  void run_reconcile() {
    cache_->show();
    reconcile(*reconciler_, {.namespace_name = "team-a", .name = "a"});
  }

  const std::vector<Row> rows_ = rows();
  std::vector<std::unique_ptr<ScriptedServer>> servers_;
  std::optional<ModelReconciler> reconciler_;
};

TEST_F(ServersTest, EachServerIsReportedByItsAnswer) {
  run_reconcile();
  const kube::Object model = cluster_.find(kModels, "team-a", "a").value();
  const json::Value status = model.root()["status"];
  std::size_t at = 0;
  const json::Value listed = status["endpoints"];
  for (const json::Value each : listed.elements()) {
    EXPECT_EQ(each["ready"].boolean(), rows_[at].loads) << rows_[at].name;
    ++at;
  }
  EXPECT_EQ(at, rows_.size());
  EXPECT_EQ(status["readyEndpoints"].integer(), 2);
  EXPECT_THAT(take_events(), ElementsAre("Warning PartialEndpointFailure on DynamoModel/a",
                                         "Warning NotReady on DynamoModel/a"));
}

TEST_F(ServersTest, ServersDoNotBlockDeletion) {
  run_reconcile();
  cluster_.erase(kModels, "team-a", "a");
  run_reconcile();
  EXPECT_EQ(cluster_.find(kModels, "team-a", "a"), std::nullopt);
  const std::vector<std::string> requests = servers_.front()->requests();
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_THAT(requests[0], AllOf(HasSubstr("POST /v1/loras HTTP/1.1\r\n"),
                                 HasSubstr(R"({"lora_name":"my lora/v1",)")));
  EXPECT_THAT(requests[1], AllOf(HasSubstr("DELETE /v1/loras/my%20lora/v1 HTTP/1.1\r\n"),
                                 Not(HasSubstr("Content-Length"))));
}

}  // namespace
}  // namespace dynamo::reconciler::model
