// A cluster in memory for tests of `kubectl dynamo status`.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <memory>
#include <sstream>
#include <string>

#include "api/kind.hpp"
#include "cli/cluster/status/status.hpp"
#include "json/document.hpp"
#include "kube/object/resource.hpp"
#include "schema/table.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/fake_cluster.hpp"

namespace dynamo::cli::status {

inline kube::Resource resource_of(api::Kind kind) {
  const std::string_view name = api::names(kind).name;
  return {.group = api::kGroup,
          .version = api::kVersion,
          .plural = schema::find_resource(name)->plural,
          .kind = name};
}

inline std::string head(const std::string& name, const std::string& more = "",
                        const std::string& space = "team-a") {
  return R"({"metadata":{"name":")" + name + R"(","namespace":")" + space + "\"" + more + "}";
}

inline json::Value first(json::Value list) {
  for (const json::Value each : list.elements()) return each;
  return {};
}

struct RunResult {
  int code = 0;
  std::string out;
  std::string err;
};

class Status : public testing::Test {
 protected:
  Status() {
    options_.namespace_name = "team-a";
    options_.interval = std::chrono::milliseconds(1);
  }

  void put(api::Kind kind, const std::string& json) { cluster_.put(resource_of(kind), json); }

  // A graph with two services, one of which has an adapter and a model.
  void put_graph(const std::string& name = "llama", const std::string& state = "pending") {
    put(api::Kind::kGraphDeployment,
        head(name) +
            R"(,"spec":{"services":{"Frontend":{"componentType":"frontend","replicas":1},)"
            R"("Decode":{"componentType":"worker","replicas":3,"modelRef":{"name":"base"}}}},)"
            R"("status":{"state":")" +
            state +
            R"(","conditions":[{"type":"Ready","status":"False","reason":"Waiting",)"
            R"("message":"Decode is not ready","lastTransitionTime":"2026-02-03T04:00:06Z"}],)"
            R"("services":{"Frontend":{"componentKind":"Deployment","replicas":1,)"
            R"("readyReplicas":1},"Decode":{"componentKind":"Deployment","replicas":3,)"
            R"("readyReplicas":2}}}})");
  }
  void put_pod(const std::string& name, const std::string& component,
               const std::string& phase = "Running", const std::string& waiting = "",
               const std::string& graph = "llama") {
    const bool ready = phase == "Running" && waiting.empty();
    cluster_.put(kube::kPods,
                 head(name, R"(,"labels":{"nvidia.com/dynamo-graph-deployment-name":")" + graph +
                                R"(","nvidia.com/dynamo-component":")" + component + "\"}") +
                     R"(,"status":{"phase":")" + phase + R"(","containerStatuses":[{"ready":)" +
                     (ready ? "true" : "false") + R"(,"restartCount":)" +
                     (waiting.empty() ? "0" : "2") + R"(,"state":{)" +
                     (waiting.empty() ? "" : R"("waiting":{"reason":")" + waiting + "\"}") +
                     "}}]}}");
  }
  void put_event(const std::string& name, const std::string& reason, const std::string& note,
                 const std::string& time, const std::string& about = "llama",
                 const std::string& kind = "DynamoGraphDeployment") {
    cluster_.put(kube::kEvents, head(name) +
                                    R"(,"regarding":{"apiVersion":"nvidia.com/v1alpha1",)"
                                    R"("kind":")" +
                                    kind + R"(","namespace":"team-a","name":")" + about +
                                    R"("},"type":"Warning","reason":")" + reason + R"(","note":")" +
                                    note + R"(","eventTime":")" + time +
                                    R"(","series":{"count":3}})");
  }

  // Serves none of our kinds, for one read.
  void serve_nothing() {
    test::Fault absent;
    absent.kind = test::Fault::Kind::kStatus;
    absent.status = 404;
    cluster_.fail({.path = "/apis/nvidia.com/"}, absent, api::kKindCount);
  }

  RunResult run() {
    std::ostringstream out;
    std::ostringstream err;
    RunResult ran;
    ran.code = run_status(options_, *transport_, loop_, "https://c:6443", clock_, out, err);
    ran.out = out.str();
    ran.err = err.str();
    return ran;
  }

  test::FakeClock clock_;
  test::FakeCluster cluster_{&clock_};
  boost::asio::io_context loop_;
  std::unique_ptr<kube::Transport> transport_ = cluster_.connect();
  StatusOptions options_;
};

}  // namespace dynamo::cli::status
