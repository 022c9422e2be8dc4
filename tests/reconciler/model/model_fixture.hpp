// Fixture: the DynamoModel controller against an in-memory API server and scripted servers.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "aio/pause.hpp"
#include "kube/object/conditions.hpp"
#include "reconciler/model/reconciler.hpp"
#include "tests/reconciler/model/models.hpp"
#include "tests/reconciler/reconcile_fixture.hpp"

namespace dynamo::reconciler::model {

inline const kube::ObjectKey kKey{.namespace_name = "team-a", .name = "a"};

// Scripted servers: `statuses` maps an address to its answer, 0 means no answer; others answer 200.
class ScriptedEngineClient final : public EngineClient {
 public:
  aio::Task<EngineAnswer> ask(EngineRequest request) override {
    asked.push_back(std::string(kube::to_string(request.method)) + " " +
                    url_of(request.host, request.port) + request.path);
    if (on_call) std::exchange(on_call, nullptr)();
    EngineAnswer answer;
    const auto status = statuses.find(request.host);
    answer.status = status == statuses.end() ? 200 : status->second;
    if (answer.status == 0) answer.problem = "no answer in time";
    if (answer.status >= 300) answer.problem = "answered HTTP " + std::to_string(answer.status);
    if (hangs.contains(request.host)) co_await aio::pause(request.deadline);
    if (request.host == withholds) {
      withholds.clear();
      answer = EngineAnswer();
      answer.problem = kAnotherLeads;
      answer.was_withheld = true;
    }
    co_return answer;
  }

  std::map<std::string, int> statuses;
  std::set<std::string> hangs;
  std::string withholds;          // one address, once
  std::function<void()> on_call;  // called once
  std::vector<std::string> asked;
};

class ModelTest : public test::ReconcileTest {
 protected:
  void SetUp() override {
    put_model({.type = "lora", .finalizers = "[]"});
    put_slice("s1", {{"10.0.0.1", "p1"}, {"10.0.0.2", "p2"}});
    make();
  }
  // A new process without any memory.
  void make() {
    reconciler_.emplace(std::shared_ptr<EngineClient>(std::shared_ptr<void>(), &engines_),
                        options_);
    watch(*reconciler_);
  }

  void put_model(const test::ModelShape& shape) { cluster_.put(kModels, test::model_text(shape)); }
  void put_slice(const std::string& name, const std::vector<test::PodAddress>& addresses) {
    cluster_.put(kube::kEndpointSlices, test::slice_text(name, test::endpoints_text(addresses)));
  }
  kube::Object model() const { return cluster_.find(kModels, "team-a", "a").value(); }
  std::string counts() const {
    const kube::Object now = model();
    const json::Value status = now.root()["status"];
    return json::to_text(status["readyEndpoints"]) + "/" + json::to_text(status["totalEndpoints"]);
  }
  std::string reason(std::string_view type) const {
    const kube::Object now = model();
    const auto conditions = kube::Conditions::read(now.root()["status"]["conditions"]);
    const auto* const found = conditions.find(type);
    return found == nullptr ? "" : found->reason;
  }
  kube::ReconcileResult run_reconcile() {
    cache_->show();
    return reconcile(*reconciler_, kKey);
  }
  std::vector<std::string> take_asked() { return std::exchange(engines_.asked, {}); }

  // Whether a change of the model from `before` to its present state triggers a reconcile.
  bool should_reconcile(const kube::Object& before) const {
    const kube::Object now = model();
    const kube::StoreChange change{.key = kKey, .before = &before, .now = &now};
    return reconciler_->should_reconcile(change);
  }

  ScriptedEngineClient engines_;
  ModelReconcilerOptions options_;
  std::optional<ModelReconciler> reconciler_;
};

}  // namespace dynamo::reconciler::model
