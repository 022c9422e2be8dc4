#include "reconciler/validation/controller.hpp"

#include <optional>
#include <utility>

#include "kube/object_meta.hpp"
#include "reconciler/resources.hpp"

namespace dynamo::reconciler::validation {

Validation::Validation(api::Kind kind, const Settings& settings, const World& world)
    : kind_(kind), resource_(resource_of(kind)), settings_(settings), world_(world) {}

std::vector<Watched> Validation::watches() const {
  Watched own;
  own.resource = resource_;
  own.options.namespace_index = true;
  return {own};
}

// Others write status all the time. What our conditions say there counts, and a spec, and marks.
bool Validation::concerns(const kube::StoreChange& change) const {
  if (change.before == nullptr || change.now == nullptr) return true;
  const json::Value before = change.before->root();
  const json::Value now = change.now->root();
  return kube::generation_of(*change.before) != kube::generation_of(*change.now) ||
         change.before->uid() != change.now->uid() ||
         !json::equal(before["metadata"]["annotations"], now["metadata"]["annotations"]) ||
         !json::equal(before["status"]["conditions"], now["status"]["conditions"]) ||
         !json::equal(before["status"]["state"], now["status"]["state"]) ||
         kube::is_going(*change.before) != kube::is_going(*change.now);
}

Observed Validation::observe(kube::Object object) {
  Observed observed;
  observed.kind = kind_;
  observed.resource = resource_;
  const admission::Environment environment = world_.environment();
  observed.verdict = judge_.judge(kind_, object, environment);
  if (settings_.keeps_record) {
    observed.record = read_record(object);
    observed.immutable_part = immutable_part(kind_, object);
    if (observed.record.state == RecordState::kRead &&
        observed.record.spec != observed.immutable_part) {
      observed.change = judge_.judge_change(kind_, object, observed.record.spec, environment);
    }
  }
  const auto told = told_.find(kube::key_of(object));
  if (told != told_.end() && told->second.first == object.uid()) {
    observed.told_generation = told->second.second;
  }
  observed.object = std::move(object);
  return observed;
}

void Validation::remember(const kube::Object& object, const Plan& plan) {
  for (const Action& action : plan.actions) {
    if (action.reason == kFailedEvent) {
      told_[kube::key_of(object)] = {std::string(object.uid()), kube::generation_of(object)};
    } else if (action.reason == kPassedEvent) {
      told_.erase(kube::key_of(object));
    }
  }
}

aio::Task<kube::PassResult> Validation::reconcile(kube::ObjectKey key, Pass& pass) {
  const auto found = pass.stores().at(resource_).find(key);
  if (!found) {
    told_.erase(key);
    co_return kube::PassResult::done();
  }
  // Nothing needs to be judged of what goes, whatever is wrong with it.
  if (kube::is_going(*found)) co_return kube::PassResult::done();
  const Observed observed = observe(*found);
  const Plan planned = plan(observed, settings_, pass.clock().wall());
  std::optional<kube::PassResult> ended;
  if (!planned.actions.empty()) ended = co_await pass.act(planned.actions);
  if (ended) co_return *ended;
  remember(observed.object, planned);
  co_return kube::PassResult::done();
}

std::vector<std::unique_ptr<Controller>> make(const Settings& settings, const World& world) {
  std::vector<std::unique_ptr<Controller>> all;
  all.reserve(std::size(api::kKinds));
  for (const api::KindNames& each : api::kKinds) {
    all.push_back(std::make_unique<Validation>(each.kind, settings, world));
  }
  return all;
}

}  // namespace dynamo::reconciler::validation
