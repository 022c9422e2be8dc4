// `kubectl dynamo status` against a cluster in memory: the tree, what is missing from it, and how a
// watch begins and ends.
#include "cli/cluster/status/status.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <sstream>
#include <string>
#include <string_view>

#include "json/parser.hpp"
#include "tests/cli/cluster/status_fixture.hpp"

namespace dynamo::cli::status {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

TEST_F(Status, ShowsAGraphWithItsObjects) {
  put_graph();
  put(api::Kind::kScalingAdapter,
      head("llama-decode") +
          R"(,"spec":{"replicas":3,"dgdRef":{"name":"llama","serviceName":"Decode"}},)"
          R"("status":{"replicas":2}})");
  put(api::Kind::kModel,
      head("lora") + R"(,"spec":{"modelName":"x","baseModelName":"base","modelType":"lora"},)"
                     R"("status":{"readyEndpoints":2,"totalEndpoints":2}})");
  put(api::Kind::kModel, head("alone") + R"(,"spec":{"modelName":"x","baseModelName":"other"}})");
  put_pod("front-1", "Frontend");
  put_pod("decode-1", "Decode");
  put_pod("decode-2", "Decode", "Pending", "ImagePullBackOff");
  put_event("e1", "ValidationFailed", "refused", "2026-02-03T04:03:06Z");
  const RunResult ran = run();
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(ran.out, R"(DynamoGraphDeployment team-a/llama: pending, 1 of 2 services ready, 0s old
│ Ready=False Waiting for 5m: Decode is not ready
│ Warning ValidationFailed 2m ago, 3 times: refused
├─ service Decode: worker, 2 of 3 ready
│  ├─ adapter llama-decode: 3 replicas wanted, 2 given to the graph, 0s old
│  ├─ model lora: lora, 2 of 2 endpoints ready, 0s old
│  ├─ pod decode-2: ImagePullBackOff, 0 of 1 containers ready, 2 restarts, 0s old
│  └─ pod decode-1: Running, 1 of 1 containers ready, 0s old
└─ service Frontend: frontend, 1 of 1 ready
   └─ pod front-1: Running, 1 of 1 containers ready, 0s old
DynamoModel team-a/alone: no status yet, 0s old
)");
}

TEST_F(Status, AttachesPodsBySelector) {
  put_graph();
  put(api::Kind::kComponentDeployment,
      head("llama-decode", R"(,"labels":{"nvidia.com/dynamo-component":"Decode",)"
                           R"("nvidia.com/dynamo-graph-deployment-name":"llama"})") +
          R"(,"spec":{"serviceName":"Decode"},"status":{"conditions":[{"type":"Available",)"
          R"("status":"False","reason":"NotReady","message":"one is missing"}]}})");
  cluster_.put(kube::kPods,
               head("p", R"(,"labels":{"nvidia.com/dynamo-graph-deployment-name":"llama",)"
                         R"("nvidia.com/selector":"llama-decode"})") +
                   R"(,"status":{"phase":"Running"}})");
  const std::string text = run().out;
  EXPECT_THAT(text, HasSubstr("service Decode: worker, 2 of 3 ready\n│  │ Available=False NotReady"
                              ": one is missing\n"));
  EXPECT_THAT(text, HasSubstr("│  └─ pod p: Running"));
  EXPECT_THAT(text, Not(HasSubstr("DynamoComponentDeployment team-a"))) << "it stands in the graph";
}

TEST_F(Status, CountsReplicasOfCliquesAndGroups) {
  put(api::Kind::kGraphDeployment,
      head("llama") +
          R"(,"spec":{"services":{"Decode":{"componentType":"worker","replicas":2,"multinode":{)"
          R"("nodeCount":2}},"Frontend":{"componentType":"frontend","replicas":1}}},"status":{)"
          R"("state":"pending","services":{"Decode":{"componentKind":"PodCliqueScalingGroup",)"
          R"("componentName":"llama-0-decode","replicas":2,"updatedReplicas":2,)"
          R"("availableReplicas":1},"Frontend":{"componentKind":"PodClique","componentName":)"
          R"("llama-0-frontend","replicas":1,"updatedReplicas":1,"readyReplicas":1}}}})");
  put_pod("llama-0-decode-0-decode-ldr-x1", "Decode");
  put_pod("llama-0-decode-1-decode-wkr-x2", "Decode", "Pending");
  EXPECT_EQ(run().out, R"(DynamoGraphDeployment team-a/llama: pending, 1 of 2 services ready, 0s old
├─ service Decode: worker, 1 of 2 ready
│  ├─ pod llama-0-decode-1-decode-wkr-x2: Pending, 0 of 1 containers ready, 0s old
│  └─ pod llama-0-decode-0-decode-ldr-x1: Running, 1 of 1 containers ready, 0s old
└─ service Frontend: frontend, 1 of 1 ready
)");
}

// Such as one whose pods exceed a quota.
TEST_F(Status, ServiceWithoutReplicasWantsOne) {
  put(api::Kind::kGraphDeployment,
      head("llama") + R"(,"spec":{"services":{"Frontend":{"componentType":"frontend"},"New":{}}},)"
                      R"("status":{"state":"pending","services":{"Frontend":{"replicas":0,)"
                      R"("readyReplicas":0,"availableReplicas":0,"updatedReplicas":0}}}})");
  put(api::Kind::kComponentDeployment,
      head("alone") + R"(,"spec":{},"status":{"service":{"replicas":0,"readyReplicas":0}}})");
  const std::string text = run().out;
  EXPECT_THAT(text, HasSubstr("pending, 0 of 2 services ready"));
  EXPECT_THAT(text, HasSubstr("service Frontend: frontend, 0 of 1 ready\n"));
  EXPECT_THAT(text, HasSubstr("service New: 1 wanted, none reported\n"));
  EXPECT_THAT(text, HasSubstr("DynamoComponentDeployment team-a/alone: 0 of 1 ready"));
  options_.json = true;
  const auto document = json::parse_copy(run().out);
  const json::Value graph = first(document->root()["objects"]);
  EXPECT_EQ(first(graph["children"])["health"].string(), "waiting");
}

TEST_F(Status, ServiceWithZeroReplicasIsGood) {
  put(api::Kind::kGraphDeployment,
      head("llama") + R"(,"spec":{"services":{"A":{"replicas":0}}},)"
                      R"("status":{"services":{"A":{"replicas":0,"readyReplicas":0}}}})");
  EXPECT_THAT(run().out, HasSubstr("1 of 1 services ready"));
}

// Their readyEndpoints are always 0.
TEST_F(Status, BaseModelHealthFollowsItsCondition) {
  const auto put_model = [this](const std::string& name, const std::string& type, int total,
                                const std::string& status) {
    put(api::Kind::kModel,
        head(name) + R"(,"spec":{"modelName":"x","baseModelName":"b","modelType":")" + type +
            R"("},"status":{"readyEndpoints":0,"totalEndpoints":)" + std::to_string(total) +
            R"(,"conditions":[{"type":"EndpointsReady","status":")" + status +
            R"(","reason":"R","message":"m"}]}})");
  };
  put_model("a-base", "base", 3, "True");
  put_model("b-adapter", "adapter", 1, "True");
  put_model("c-base", "base", 0, "False");
  put_model("d-lora", "lora", 3, "False");
  const std::string text = run().out;
  EXPECT_THAT(text, HasSubstr("team-a/a-base: base, 3 endpoints found, "));
  EXPECT_THAT(text, HasSubstr("team-a/b-adapter: adapter, 1 endpoint found, "));
  EXPECT_THAT(text, HasSubstr("team-a/c-base: base, 0 endpoints found, "));
  EXPECT_THAT(text, HasSubstr("team-a/d-lora: lora, 0 of 3 endpoints ready, "));
  options_.json = true;
  const auto document = json::parse_copy(run().out);
  std::string health;
  for (const json::Value each : document->root()["objects"].elements()) {
    health += std::string(each["health"].string_or_empty()) + " ";
  }
  EXPECT_EQ(health, "good good waiting waiting ");
}

TEST_F(Status, NameSelectsAGraphOrAnyObject) {
  put_graph("llama");
  put_graph("qwen");
  put(api::Kind::kCheckpoint, head("saved") + R"(,"status":{"phase":"Ready"}})");
  options_.name = "qwen";
  const std::string one = run().out;
  EXPECT_THAT(one, StartsWith("DynamoGraphDeployment team-a/qwen: pending"));
  EXPECT_THAT(one, Not(HasSubstr("llama")));
  EXPECT_EQ(cluster_.count({.path = "dynamo-graph-deployment-name%3Dqwen"}), 1U)
      << "only its pods are asked for";
  options_.name = "saved";
  EXPECT_EQ(run().out, "DynamoCheckpoint team-a/saved: Ready, 0s old\n");
  options_.name = "nothing";
  const RunResult none = run();
  EXPECT_EQ(none.code, 2);
  EXPECT_EQ(none.out, "");
  EXPECT_EQ(
      none.err,
      "kubectl-dynamo: must name an object of nvidia.com/v1alpha1; found none named \"nothing\" in "
      "namespace team-a\n");
}

TEST_F(Status, SharedObjectsArePrintedInFullOnce) {
  put_graph("llama");
  put_graph("qwen");
  for (const std::string graph : {"llama", "qwen"}) {
    cluster_.merge(resource_of(api::Kind::kGraphDeployment), "team-a", graph,
                   R"({"status":{"checkpoints":{"Decode":{"checkpointName":"saved"}}}})");
  }
  put(api::Kind::kModel, head("shared") + R"(,"spec":{"modelName":"x","baseModelName":"base"}})");
  put(api::Kind::kCheckpoint, head("saved") + R"(,"status":{"phase":"Ready"}})");
  const auto times = [](const std::string& text, const std::string& word) {
    int found = 0;
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
    return found;
  };
  const std::string all = run().out;
  EXPECT_EQ(times(all, "model shared: no status yet"), 1) << all;
  EXPECT_EQ(times(all, "model shared: as above\n"), 1) << all;
  EXPECT_EQ(times(all, "checkpoint saved: Ready"), 1) << all;
  EXPECT_EQ(times(all, "checkpoint saved: as above\n"), 1) << all;
  EXPECT_EQ(times(all, "DynamoModel"), 0) << "it stands in the graphs";
  options_.name = "qwen";
  const std::string one = run().out;
  EXPECT_EQ(times(one, "model shared: no status yet"), 1) << one;
  EXPECT_EQ(times(one, "checkpoint saved: Ready"), 1) << one;
}

TEST_F(Status, MergesComponentsOfOneService) {
  put_graph();
  const auto put_component = [this](const std::string& name, const std::string& ready) {
    put(api::Kind::kComponentDeployment,
        head(name, R"(,"labels":{"nvidia.com/dynamo-component":"Decode",)"
                   R"("nvidia.com/dynamo-graph-deployment-name":"llama"})") +
            R"(,"spec":{"serviceName":"Decode"},"status":{"conditions":[{"type":"Available",)"
            R"("status":")" +
            ready + R"(","reason":"R","message":"of )" + name + "\"}]}}");
    for (int i = 0; i < 3; ++i) {
      const std::string minute = std::to_string(2 * i + (ready == "True" ? 1 : 0));
      cluster_.put(kube::kEvents,
                   head(name + minute) +
                       R"(,"regarding":{"apiVersion":"nvidia.com/v1alpha1",)"
                       R"("kind":"DynamoComponentDeployment","namespace":"team-a","name":")" +
                       name + R"("},"type":"Warning","reason":"Reason)" + minute +
                       R"(","note":"n","eventTime":"2026-02-03T04:0)" + minute + R"(:06Z"})");
    }
  };
  put_component("decode-old", "False");
  put_component("decode-new", "True");
  const std::string text = run().out;
  EXPECT_THAT(text, HasSubstr("of decode-old"));
  EXPECT_THAT(text, Not(HasSubstr("of decode-new")));
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(text.find("Reason" + std::to_string(i)) != std::string::npos, i >= 3) << i;
  }
  EXPECT_LT(text.find("Reason5"), text.find("Reason3"));
}

TEST_F(Status, ShowsAllNamespacesOrOne) {
  put_graph();
  put(api::Kind::kModel, head("m", "", "team-b") + R"(,"spec":{}})");
  EXPECT_THAT(run().out, Not(HasSubstr("team-b/m")));
  options_.all_namespaces = true;
  const std::string all = run().out;
  EXPECT_THAT(all, HasSubstr("DynamoModel team-b/m"));
  EXPECT_THAT(all, HasSubstr("DynamoGraphDeployment team-a/llama"));
}

TEST_F(Status, ReportsAnEmptyCluster) {
  EXPECT_EQ(run().out, "nothing of nvidia.com/v1alpha1 in namespace team-a\n");
}

TEST_F(Status, ReportsForbiddenAndAbsentKinds) {
  put_graph();
  cluster_.forbid("list", "pods");
  cluster_.forbid("list", "dynamomodels");
  test::Fault absent;
  absent.kind = test::Fault::Kind::kStatus;
  absent.status = 404;
  cluster_.fail({.path = "/dynamocheckpoints"}, absent);
  const RunResult ran = run();
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, HasSubstr("DynamoGraphDeployment team-a/llama"));
  EXPECT_THAT(ran.out, HasSubstr("not seen: list dynamomodels.nvidia.com"));
  EXPECT_THAT(ran.out, HasSubstr("not seen: DynamoCheckpoint is not served here: its definition "
                                 "must be installed\n"));
  EXPECT_THAT(ran.out, HasSubstr("not seen: list pods"));
}

TEST_F(Status, FailsWhenNoKindCanBeRead) {
  serve_nothing();
  const RunResult ran = run();
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(std::ranges::count(ran.err, '\n'), static_cast<std::ptrdiff_t>(api::kKindCount));
}

TEST_F(Status, FailsInOneLineWithoutApiServer) {
  cluster_.set_reachable(false);
  const RunResult ran = run();
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(std::ranges::count(ran.err, '\n'), 1);
}

TEST_F(Status, ShowsTenPodsUnhealthyFirst) {
  put_graph();
  for (int i = 0; i < 1'000; ++i) {
    const bool bad = i == 731;
    put_pod("decode-" + std::to_string(i), "Decode", bad ? "Pending" : "Running",
            bad ? "ImagePullBackOff" : "");
  }
  const std::string text = run().out;
  EXPECT_LT(std::ranges::count(text, '\n'), 30);
  EXPECT_LT(text.find("decode-731: ImagePullBackOff"), text.find("decode-0:"));
  EXPECT_THAT(text, HasSubstr("and 990 more pods: 990 ready\n"));
  options_.json = true;
  const auto document = json::parse_copy(run().out);
  ASSERT_FALSE(document->error);
  const json::Value graph = first(document->root()["objects"]);
  const json::Value decode = first(graph["children"]);
  EXPECT_EQ(decode["name"].string(), "Decode");
  EXPECT_EQ(decode["children"].size(), 100U);
  EXPECT_EQ(decode["omittedPods"].integer(), 900);
}

TEST_F(Status, ShowsAtMostFiveHundredGraphs) {
  for (int i = 0; i < 510; ++i) {
    put(api::Kind::kModel, head("m" + std::to_string(i)) + R"(,"spec":{}})");
  }
  EXPECT_THAT(run().out, HasSubstr("and 10 more objects: name one, or a namespace\n"));
}

bool has_control_characters(std::string_view text) {
  return std::ranges::any_of(
             text, [](char c) { return (c >= 0 && c < ' ' && c != '\n') || c == '\x7f'; }) ||
         text.find("\xc2\x9b") != std::string_view::npos ||
         text.find("\u202e") != std::string_view::npos ||
         text.find("\u200b") != std::string_view::npos;
}

TEST_F(Status, EscapesTextOfTheCluster) {
  const std::string hostile = R"(\u001b[2J\u0007\u009b31m\u202e\u200b\r\n)";
  put(api::Kind::kGraphDeployment,
      head("llama") + R"(,"spec":{"services":{"De)" + hostile + R"(code":{"componentType":")" +
          hostile + R"("}}},"status":{"state":")" + hostile + R"(","conditions":[{"type":")" +
          hostile + R"(","status":"False","reason":")" + hostile + R"(","message":")" + hostile +
          R"("}]}})");
  put_pod("p", "De" + hostile + "code", "Pending", hostile);
  put_event("e1", hostile, hostile + std::string(5'000, 'x'), "2026-02-03T04:03:06Z");
  const std::string text = run().out;
  EXPECT_FALSE(has_control_characters(text)) << text;
  EXPECT_LT(text.size(), 2'000U);
  EXPECT_EQ(std::ranges::count(text, '\n'), 5) << text;
  cluster_.forbid("list", "dynamomodels");
  options_.name = "\x1b[31m";
  EXPECT_FALSE(has_control_characters(run().err));
}

TEST_F(Status, UsesColoursOnlyOnRequest) {
  put_graph("llama", "failed");
  EXPECT_THAT(run().out, Not(HasSubstr("\033")));
  options_.color = true;
  EXPECT_THAT(run().out, HasSubstr("team-a/llama: \033[31mfailed\033[0m, 1 of 2 services ready"));
}

TEST_F(Status, JsonIsOneLine) {
  put_graph();
  put_event("e1", "ValidationFailed", "refused", "2026-02-03T04:03:06Z");
  options_.json = true;
  const std::string text = run().out;
  EXPECT_EQ(std::ranges::count(text, '\n'), 1);
  const auto document = json::parse_copy(text);
  ASSERT_FALSE(document->error);
  const json::Value graph = first(document->root()["objects"]);
  EXPECT_EQ(graph["kind"].string(), "DynamoGraphDeployment");
  EXPECT_EQ(graph["state"].string(), "pending");
  EXPECT_EQ(graph["health"].string(), "waiting");
  EXPECT_EQ(first(graph["conditions"])["reason"].string(), "Waiting");
  EXPECT_EQ(first(graph["events"])["count"].integer(), 3);
  EXPECT_EQ(first(graph["events"])["last"].string(), "2026-02-03T04:03:06Z");
  EXPECT_EQ(graph["children"].size(), 2U);
}

TEST_F(Status, ShowsTheLastThreeEventsOfAnObject) {
  put_graph();
  for (int i = 0; i < 6; ++i) {
    const std::string digit = std::to_string(i);
    put_event("e" + digit, "Reason" + digit, "n", "2026-02-03T04:0" + digit + ":06Z");
  }
  const std::string text = run().out;
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(text.find("Reason" + std::to_string(i)) != std::string::npos, i >= 3) << i;
  }
  EXPECT_LT(text.find("Reason5"), text.find("Reason3"));
}

TEST_F(Status, ChangesNothing) {
  put_graph();
  cluster_.clear_calls();
  run();
  for (const test::Call& call : cluster_.calls()) EXPECT_EQ(call.method, kube::HttpMethod::kGet);
  EXPECT_EQ(cluster_.calls().size(), 9U) << "one list each, and the namespace";
}

// --- Watching. Actions for the n-th read run before the list of graphs.

class StatusWatch : public Status {
 protected:
  StatusWatch() { options_.watch = true; }
  // Runs at the start of each read, counted from 1.
  void on_poll(std::function<void(int)> action) {
    action_ = std::move(action);
    arm();
  }

 private:
  void arm() {
    cluster_.before({.path = "/dynamographdeployments?"}, [this] {
      arm();
      action_(++looks_);
    });
  }
  std::function<void(int)> action_;
  int looks_ = 0;
};

TEST_F(StatusWatch, PrintsChangesUntilASignal) {
  put_graph();
  on_poll([this](int poll) {
    if (poll == 4) put_graph("llama", "successful");
    clock_.tick(std::chrono::seconds(2));
    if (poll == 7) std::raise(SIGINT);
  });
  const RunResult ran = run();
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.err, "");
  std::size_t times = 0;
  for (std::size_t at = ran.out.find("team-a/llama"); at != std::string::npos;
       at = ran.out.find("team-a/llama", at + 1)) {
    ++times;
  }
  EXPECT_EQ(times, 2U) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("team-a/llama: pending"));
  EXPECT_THAT(ran.out, HasSubstr("\n\nDynamoGraphDeployment team-a/llama: successful"));
  EXPECT_THAT(ran.out, Not(HasSubstr("\033")));
}

TEST_F(StatusWatch, RedrawsTheTerminal) {
  put_graph();
  options_.redraws = true;
  on_poll([](int poll) {
    if (poll == 4) std::raise(SIGTERM);
  });
  const RunResult ran = run();
  EXPECT_THAT(ran.out, StartsWith("\033[2J\033[H\033[J"));
  // Cleared once, redrawn at least three times: a signal may arrive after the read that raised it.
  const auto escapes = std::ranges::count(ran.out, '\033');
  EXPECT_GE(escapes, 3 + 2 + 2);
  EXPECT_EQ(escapes % 2, 1);
}

TEST_F(StatusWatch, JsonIsOneLinePerChange) {
  put_graph();
  options_.json = true;
  options_.redraws = true;
  on_poll([this](int poll) {
    if (poll == 2) put_graph("llama", "successful");
    if (poll == 4) std::raise(SIGINT);
  });
  const std::string text = run().out;
  EXPECT_EQ(std::ranges::count(text, '\n'), 2);
  EXPECT_EQ(std::ranges::count(text, '\033'), 0);
}

TEST_F(StatusWatch, SurvivesAnOutageAndReportsItOnce) {
  put_graph();
  on_poll([this](int poll) {
    if (poll == 2) {
      test::Fault refused;
      cluster_.fail({.path = "/dynamographdeployments?"}, refused, 3);
    }
    if (poll == 7) std::raise(SIGINT);
  });
  const RunResult ran = run();
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(std::ranges::count(ran.err, '\n'), 1) << ran.err;
}

// A load balancer answers instead of the API server.
TEST_F(StatusWatch, ForeignResponsesAreNotAnEmptyCluster) {
  put_graph();
  on_poll([this](int poll) {
    if (poll == 2) {
      test::Fault bad_gateway;
      bad_gateway.kind = test::Fault::Kind::kStatus;
      bad_gateway.status = 502;
      cluster_.fail({.path = "/apis/nvidia.com/"}, bad_gateway, 3 * api::kKindCount);
    }
    if (poll == 8) std::raise(SIGINT);
  });
  const RunResult ran = run();
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, Not(HasSubstr("nothing of")));
  EXPECT_EQ(std::ranges::count(ran.err, '\n'), 1) << ran.err;
}

TEST_F(StatusWatch, EndsWithoutServedKindsOrMatchingName) {
  put_graph();
  options_.name = "nothing";
  EXPECT_EQ(run().code, 2);
  options_.name = "";
  serve_nothing();
  const RunResult ran = run();
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.out, "");
}

TEST_F(StatusWatch, ReportsDeletionOfTheWatchedObject) {
  put_graph();
  options_.name = "llama";
  on_poll([this](int poll) {
    if (poll == 3) cluster_.erase(resource_of(api::Kind::kGraphDeployment), "team-a", "llama");
    if (poll == 5) std::raise(SIGINT);
  });
  const RunResult ran = run();
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, HasSubstr("\nnothing of nvidia.com/v1alpha1 is named \"llama\" in "
                                 "namespace team-a\n"));
}

TEST_F(StatusWatch, EndsWhenTheFirstReadFails) {
  cluster_.set_reachable(false);
  const RunResult ran = run();
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(std::ranges::count(ran.err, '\n'), 1);
}

}  // namespace
}  // namespace dynamo::cli::status
