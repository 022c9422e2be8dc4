#include "tests/controller_cases/case.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "api/kind.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "render/children/children.hpp"
#include "render/name.hpp"
#include "render/restart.hpp"
#include "tests/controller_cases/compare.hpp"
#include "tests/controller_cases/operator.hpp"
#include "tests/controller_cases/store.hpp"
#include "validators/rule_groups.hpp"
#include "validators/severities.hpp"
#include "validators/validate.hpp"

namespace dynamo::cases {
namespace {

// What is made by children_of(); everything else belongs to controllers that are to come.
constexpr std::array<std::string_view, 17> kOurKinds = {"Secret",
                                                        "Deployment",
                                                        "Service",
                                                        "Ingress",
                                                        "VirtualService",
                                                        "LeaderWorkerSet",
                                                        "PodGroup",
                                                        "PersistentVolumeClaim",
                                                        "ServiceAccount",
                                                        "Role",
                                                        "RoleBinding",
                                                        "ConfigMap",
                                                        "InferencePool",
                                                        "DynamoGraphDeploymentScalingAdapter",
                                                        "DynamoComponentDeployment",
                                                        "DynamoCheckpoint",
                                                        "Job"};

std::string_view kind_of(const std::string& key) {
  return std::string_view(key).substr(0, key.find('/'));
}

bool is_ours(std::string_view kind) {
  return std::ranges::find(kOurKinds, kind) != kOurKinds.end();
}

std::optional<api::Kind> kind_of_controller(std::string_view name) {
  for (const api::KindNames& names : api::kKinds) {
    if (names.short_name == name) return names.kind;
  }
  return std::nullopt;
}

// The operator's own rules, as its controllers ask them; ours beyond them belong to the webhook.
const validators::Severities& operators_severities() {
  static const validators::Severities severities = [] {
    validators::Severities made;
    for (const validators::Rule& rule : validators::catalog()) {
      const auto own = validators::operator_rules();
      const bool is_own = std::ranges::any_of(
          own, [&rule](const validators::Rule& other) { return other.id == rule.id; });
      if (!is_own) made.set(validators::index_of(rule), validators::Severity::kOff);
    }
    return made;
  }();
  return severities;
}

class Play {
 public:
  explicit Play(const Value& golden)
      : golden_(golden),
        input_(member(golden, "input")),
        object_(copy_of(member(input_, "object"))),
        space_(text(member(member(object_, "metadata"), "namespace"))),
        self_(Store::key_of(object_)) {
    if (!object_.IsObject()) throw std::runtime_error("must have an input.object");
  }

  Verdict run() {
    note_what_is_not_ours();
    if (!whole_case_) return std::move(verdict_);
    const Value& cluster = member(input_, "cluster");
    if (cluster.IsArray()) {
      for (const Value& object : cluster.GetArray()) store_.put(copy_of(object));
    }
    store_.put(copy_of(object_));
    store_.mark();
    play_steps();
    compare(member(member(golden_, "output"), "objects"), "");
    settle();
    return std::move(verdict_);
  }

 private:
  void not_yet(std::string what) {
    const auto found = std::ranges::find(verdict_.not_yet_ours, what);
    if (found == verdict_.not_yet_ours.end()) verdict_.not_yet_ours.push_back(std::move(what));
  }
  void skip(std::string what) {
    not_yet(std::move(what));
    whole_case_ = false;
    verdict_.outcome = Outcome::kNotYetOurs;
  }
  void say(std::string line) { verdict_.differences.push_back(std::move(line)); }

  void note_what_is_not_ours() {
    const std::string_view controller = text(member(golden_, "controller"));
    if (controller == "dm" || controller == "dgdsa") {
      return skip("the controller " + std::string(controller));
    }
    const Value& flags = member(input_, "operator");
    const Value& annotations = member(member(object_, "metadata"), "annotations");
    const bool grove = member(flags, "grove").IsTrue() &&
                       text(member(annotations, "nvidia.com/enable-grove")) != "false";
    if (controller == "dgd" && grove) return skip("the objects of Grove");
    if (!member(member(object_, "metadata"), "deletionTimestamp").IsNull()) {
      return skip("finalizers");
    }
  }

  void play_steps() {
    const Value& steps = member(input_, "steps");
    const Value& results = member(member(golden_, "output"), "steps");
    const auto result_at = [&](rapidjson::SizeType at) -> const Value& {
      return results.IsArray() && at < results.Size() ? results[at] : member(results, "none");
    };
    if (!steps.IsArray()) return reconcile(Value(rapidjson::kObjectType), result_at(0));
    rapidjson::SizeType at = 0;
    for (const Value& step : steps.GetArray()) {
      const Value& result = result_at(at++);
      if (!member(step, "reconcile").IsNull()) reconcile(member(step, "reconcile"), result);
      if (!member(step, "patch").IsNull()) patch(member(step, "patch"));
      if (!member(step, "create").IsNull()) store_.put(copy_of(member(step, "create")));
      if (!member(step, "delete").IsNull()) store_.erase(key_in(member(step, "delete")));
      if (!member(step, "show").IsNull()) {
        compare(member(result, "objects"), "step " + std::to_string(at) + ": ");
      }
    }
  }

  std::string key_in(const Value& reference) const {
    const Value& metadata = member(reference, "metadata");
    const Value& name = metadata.IsNull() ? member(reference, "name") : member(metadata, "name");
    return Store::key(text(member(reference, "kind")), space_, text(name));
  }

  void patch(const Value& step) {
    Object* const found = store_.find(key_in(step));
    if (found == nullptr && !is_ours(text(member(step, "kind")))) {
      return not_yet("the kind " + std::string(text(member(step, "kind"))));
    }
    if (found == nullptr) return say("must have " + key_in(step) + " to be patched; found none");
    merge_patch(*found, member(step, "with"), found->GetAllocator());
  }

  void reconcile(const Value& step, const Value& result) {
    std::string_view controller = text(member(step, "controller"));
    if (controller.empty()) controller = text(member(golden_, "controller"));
    const std::optional<api::Kind> kind = kind_of_controller(controller);
    std::string_view name = text(member(step, "name"));
    if (name.empty()) name = text(member(member(object_, "metadata"), "name"));
    if (!kind) return not_yet("the controller " + std::string(controller));
    const std::string key = Store::key(api::names(*kind).name, space_, name);
    const Object* const live = store_.find(key);
    if (live == nullptr) return;
    const auto document = json::parse_copy(text_of(*live));
    const bool failed = text(member(result, "result")) == "error";
    if (is_invalid(*kind, document->root(), name)) return;
    const bool has_states =
        *kind == api::Kind::kCheckpoint || *kind == api::Kind::kGraphDeploymentRequest;
    if (has_states && !begins_job(key)) return;
    const std::optional<render::Children> children = children_of(*kind, document->root());
    if (!children) return not_yet("the controller " + std::string(controller));
    if (children->refused && !failed) {
      say(key + " must be made; it was refused at " + children->refused->path + ": " +
          children->refused->reason);
    }
    // Its children before the error are there, and how far it came depends on what it looked up.
    if (!children->refused && failed) {
      failed_elsewhere_ = true;
      return not_yet("an error of looking something up");
    }
    store_.sync(*children, space_);
    sweep_adapters(*kind, document->root());
    sweep_groups(*kind, document->root());
  }

  bool is_invalid(api::Kind kind, json::Value object, std::string_view name) const {
    const bool judged =
        kind == api::Kind::kGraphDeployment || kind == api::Kind::kComponentDeployment;
    if (!judged) return false;
    const api::Settings settings;
    const api::ClusterFacts facts;
    const api::Context context{.kind = kind,
                               .operation = api::Operation::kCreate,
                               .namespace_name = space_,
                               .object_name = name,
                               .user = "operator",
                               .sub_resource = {},
                               .settings = settings,
                               .facts = facts};
    api::ErrorList found;
    render::Arena arena;
    validators::validate(context, object, {}, found, operators_severities(), arena);
    return !found.errors().empty();
  }

  // The states of checkpoints and requests are to come: here the first pass accepts a new object,
  // the second one makes the job, and no other makes anything.
  bool begins_job(const std::string& key) {
    not_yet("the states of " + std::string(kind_of(key)));
    const Value& status = member(object_, "status");
    return status.IsNull() && ++passes_[key] == 2;
  }

  std::optional<render::Children> children_of(api::Kind kind, json::Value object) {
    Operator made = operator_of(member(input_, "operator"), store_, space_);
    switch (kind) {
      case api::Kind::kGraphDeployment:
        made.environment.restarts = restarts_of(api::GraphDeployment{object});
        return render::children_of(api::GraphDeployment{object}, space_, made.environment);
      case api::Kind::kComponentDeployment:
        return render::children_of(api::ComponentDeployment{object}, space_, made.environment);
      case api::Kind::kCheckpoint:
        return render::children_of(api::Checkpoint{object}, space_, made.environment);
      case api::Kind::kGraphDeploymentRequest:
        return render::children_of(api::GraphDeploymentRequest{object}, space_, made.environment);
      default:
        return std::nullopt;
    }
  }

  std::string component_key(std::string_view graph, std::string_view service) const {
    return Store::key("DynamoComponentDeployment", space_,
                      render::Name(graph).with("-").lowered(service).str());
  }

  // Has seen what was last asked of it, and is available.
  bool is_updated(std::string_view graph, std::string_view service) const {
    const Object* const live = store_.find(component_key(graph, service));
    if (live == nullptr) return false;
    const auto document = json::parse_copy(text_of(*live));
    const json::Value status = document->root()["status"];
    const auto seen = status["observedGeneration"].integer().value_or(0);
    if (seen < document->root()["metadata"]["generation"].integer().value_or(0)) return false;
    for (const json::Value condition : status["conditions"].elements()) {
      if (condition["type"].string_or_empty() == "Available") {
        return condition["status"].string_or_empty() == "True";
      }
    }
    return false;
  }

  // Moves the graph's restart on, and says who carries which id; who is not meant keeps what it
  // has.
  std::vector<render::RestartMark> restarts_of(const api::GraphDeployment& graph) {
    const std::string_view name = graph.metadata().name();
    const std::optional<render::RestartStatus> next =
        render::restart_status(graph, restart_ ? restart_->root() : graph.status()["restart"],
                               [&](std::string_view service) { return is_updated(name, service); });
    restart_ = json::parse_copy(next ? text_of_restart(*next) : "null");
    const render::RestartState state = render::restart_state(graph, restart_->root());
    std::vector<render::RestartMark> marks;
    for (const std::string& service : state.services) marks.push_back({service, state.value});
    const json::Value services = graph.services();
    for (const auto [service, written] : services.members()) {
      if (std::ranges::find(state.services, service) != state.services.end()) continue;
      const Object* const live = store_.find(component_key(name, service));
      if (live == nullptr) continue;
      const Value& annotations = member(member(*live, "spec"), "annotations");
      const std::string_view carried = text(member(annotations, "nvidia.com/restartAt"));
      if (!carried.empty()) marks.push_back({std::string(service), std::string(carried)});
    }
    return marks;
  }

  static std::string text_of_restart(const render::RestartStatus& status) {
    std::string text;
    json::Writer out(text);
    out.start_object().member("observedID", status.id).member("phase", status.phase);
    out.key("inProgress").start_array();
    for (const std::string& service : status.in_progress) out.string(service);
    out.end_array().end_object();
    return text;
  }

  // Adapters of services that the graph has no more, which are found in the store alone.
  void sweep_adapters(api::Kind kind, json::Value object) {
    if (kind != api::Kind::kGraphDeployment) return;
    std::vector<std::string> orphans;
    const std::string_view graph = object["metadata"]["name"].string_or_empty();
    for (const auto& [key, adapter] : store_.objects()) {
      if (kind_of(key) != "DynamoGraphDeploymentScalingAdapter") continue;
      const Value& labels = member(member(adapter, "metadata"), "labels");
      if (text(member(labels, "nvidia.com/dynamo-graph-deployment-name")) != graph) continue;
      const Value& reference = member(member(adapter, "spec"), "dgdRef");
      const std::string_view service = text(member(reference, "serviceName"));
      if (!object["spec"]["services"][service].exists()) orphans.push_back(key);
    }
    for (const std::string& key : orphans) store_.erase(key);
  }

  // Groups beyond the replicas, up to the first that is not there.
  void sweep_groups(api::Kind kind, json::Value object) {
    if (kind != api::Kind::kComponentDeployment) return;
    const std::string name(object["metadata"]["name"].string_or_empty());
    for (auto i = object["spec"]["replicas"].integer().value_or(1);; ++i) {
      const std::string group = name + "-" + std::to_string(i);
      const std::string set = Store::key("LeaderWorkerSet", space_, group);
      if (store_.find(set) == nullptr) return;
      store_.erase(set);
      store_.erase(Store::key("PodGroup", space_, group));
    }
  }

  bool is_shown(const std::string& key) const {
    const Value& shown = member(golden_, "shown-kinds");
    if (!shown.IsArray()) return true;
    return std::ranges::any_of(shown.GetArray(), [&](const Value& wanted) {
      return text(wanted) == key || text(wanted) == kind_of(key);
    });
  }

  void compare(const Value& measured, const std::string& where) {
    std::set<std::string> expected;
    if (measured.IsArray()) {
      for (const Value& object : measured.GetArray()) {
        const std::string gone(text(member(object, "gone")));
        const std::string key = gone.empty() ? Store::key_of(object) : gone;
        expected.insert(key);
        compare_one(key, gone.empty() ? &object : nullptr, where);
      }
    }
    for (const std::string& key : store_.changed()) {
      if (expected.contains(key) || key == self_ || !is_shown(key)) continue;
      say(where + key +
          (store_.find(key) == nullptr ? " must stay; it is gone"
                                       : " must not be made; found " + text_of(*store_.find(key))));
    }
  }

  void compare_one(const std::string& key, const Value* measured, const std::string& where) {
    if (key == self_) return not_yet_of_itself();
    const Object* const made = store_.find(key);
    if (measured == nullptr) {
      if (made != nullptr) say(where + key + " must be gone; found one");
      return;
    }
    if (!is_ours(kind_of(key))) return not_yet("the kind " + std::string(kind_of(key)));
    compared_ = true;
    if (made == nullptr) return say(where + key + " must be made; found none");
    for (const std::string& line : differences(*measured, *made)) say(where + key + " " + line);
  }

  // Its finalizer and status, in every case: said once for all of them by the program.
  void not_yet_of_itself() {
    const Value& shown = member(golden_, "shown-kinds");
    if (shown.IsArray()) only_itself_ = true;
  }

  void settle() {
    if (failed_elsewhere_) {
      verdict_.differences.clear();
      verdict_.outcome = Outcome::kNotYetOurs;
    } else if (!verdict_.differences.empty()) {
      verdict_.outcome = Outcome::kFailing;
    } else if (!verdict_.not_yet_ours.empty()) {
      verdict_.outcome = Outcome::kNotYetOurs;
    } else if (only_itself_ && !compared_) {
      not_yet("the status, which is all that is shown");
      verdict_.outcome = Outcome::kNotYetOurs;
    }
  }

  const Value& golden_;
  const Value& input_;
  const Object object_;
  const std::string space_;
  const std::string self_;
  Store store_;
  std::map<std::string, int> passes_;
  std::unique_ptr<json::ParsedText> restart_;
  Verdict verdict_;
  bool whole_case_ = true;
  bool compared_ = false;
  bool failed_elsewhere_ = false;
  bool only_itself_ = false;
};

}  // namespace

Verdict play(const Value& golden) {
  return Play(golden).run();
}

}  // namespace dynamo::cases
