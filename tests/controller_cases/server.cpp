#include "tests/controller_cases/server.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "aio/child_process.hpp"
#include "desired/kinds.hpp"
#include "kube/config/config.hpp"
#include "runtime/clock.hpp"
#include "tests/controller_cases/allowed_differences.hpp"
#include "tests/controller_cases/api_server.hpp"
#include "tests/controller_cases/compare.hpp"
#include "tests/controller_cases/etcd_listener.hpp"
#include "tests/controller_cases/server_cases.hpp"

namespace dynamo::cases {
namespace {

constexpr std::string_view kPrefixes = "etcd-deleted-prefixes";
constexpr std::string_view kHashAnnotation = "nvidia.com/last-applied-hash";

// Inputs of the cases that describe the cluster and are no flags.
bool is_no_flag(std::string_view name) {
  constexpr std::array<std::string_view, 5> kOfCluster = {"restrictedNamespace", "lws", "grove",
                                                          "kai", "kai-queues"};
  return std::ranges::find(kOfCluster, name) != kOfCluster.end();
}

bool is_being_deleted(const Value& golden) {
  const Value& object = member(member(golden, "input"), "object");
  return !member(member(object, "metadata"), "deletionTimestamp").IsNull();
}

std::string flag_of(std::string_view name, const Value& value) {
  std::string flag = "--";
  flag += name;
  flag += '=';
  return flag + (value.IsString() ? std::string(text(value)) : text_of(value));
}

const Value& result_at(const Value& golden, rapidjson::SizeType at) {
  static const Value nothing;
  const Value& steps = member(member(golden, "output"), "steps");
  return steps.IsArray() && at < steps.Size() ? steps[at] : nothing;
}

// One case in its own namespace.
class ServerCase {
 public:
  ServerCase(ApiServer& api, const ServerOptions& options, const Value& original)
      : api_(api),
        options_(options),
        space_(api.new_namespace(options.namespace_label)),
        golden_(place_in_namespace(original, space_, options.namespace_label, api)),
        of_graph_(text(member(golden_, "controller")) == "dgd"),
        is_being_deleted_(is_being_deleted(golden_)) {}

  ServerResult run() {
    ServerResult out;
    out.not_played = make_inputs();
    if (!out.not_played.empty()) return out;
    const CaseQueues queues(api_, golden_);
    const bool asks_etcd = !member(result_at(golden_, 0), kPrefixes).IsNull();
    if (asks_etcd) etcd_.emplace(api_.loop());
    if (is_being_deleted_) settle_and_delete();
    play_steps();
    compare_objects(member(member(golden_, "output"), "objects"));
    if (is_being_deleted_) check_garbage();
    set_outcome(case_result_);
    out.case_result = std::move(case_result_);
    return out;
  }

 private:
  static std::string name_of(const Value& object) {
    return std::string(text(member(member(object, "metadata"), "name")));
  }
  void add_difference(std::string line) {
    case_result_.differences.push_back(where_ + std::move(line));
  }

  void play_steps() {
    const Value& steps = member(member(golden_, "input"), "steps");
    if (!steps.IsArray()) return reconcile(result_at(golden_, 0));
    rapidjson::SizeType at = 0;
    for (const Value& step : steps.GetArray()) {
      const Value& result = result_at(golden_, at++);
      where_ = "step " + std::to_string(at) + ": ";
      if (!member(step, "reconcile").IsNull()) reconcile(result);
      if (!member(step, "patch").IsNull()) patch(member(step, "patch"));
      if (!member(step, "show").IsNull()) compare_objects(member(result, "objects"));
    }
    where_.clear();
  }

  void reconcile(const Value& result) {
    record_objects();
    const aio::ChildResult ended = run_program();
    read_parent();
    result_ = &result;
    compare_end(ended);
    compare_status();
    compare_etcd();
    compare_scales();
  }

  // The case begins with an object that is being deleted. Here it first settles with its owned
  // objects.
  void settle_and_delete() {
    const aio::ChildResult ended = run_program();
    if (!is_exit(ended, 0)) add_difference("it must settle before its end; " + describe_end(ended));
    if (etcd_ && !etcd_->prefixes().empty())
      add_difference("etcd must not be asked before the end");
    if (managed_objects().empty()) add_difference("it must own objects before its end; found none");
    const kube::Resource& resource = *resource_of(text(member(parent_, "kind")));
    const auto deleted = api_.remove(resource, space_, name_of(parent_));
    if (!deleted) add_difference("the server refuses to delete it: " + deleted.error().text);
    parent_ = live(key_of(parent_));
    if (parent_.IsNull()) add_difference("its finalizer must keep it; it is gone at once");
  }

  // Objects with the reconciler's labels.
  std::vector<Object> managed_objects() {
    std::vector<Object> made;
    for (const reconciler::ManagedKind& each : reconciler::kManagedKinds) {
      for (Object& object : api_.list(each.resource, space_)) {
        const Value& annotations = member(member(object, "metadata"), "annotations");
        if (!member(annotations, kHashAnnotation).IsNull()) made.push_back(std::move(object));
      }
    }
    return made;
  }

  // This server has no garbage collector; objects with an owner count as deleted.
  void check_garbage() {
    const Value& uid = member(member(parent_, "metadata"), "uid");
    for (const Object& each : managed_objects()) {
      const Value& owners = member(member(each, "metadata"), "ownerReferences");
      const bool goes = owners.IsArray() && owners.Size() == 1 && member(owners[0], "uid") == uid;
      if (!goes)
        add_difference(key_of(each) + " must go with its owner; found the owners " +
                       text_of(owners));
    }
  }

  void compare_etcd() {
    if (!etcd_) return;
    Object made(rapidjson::kArrayType);
    for (const std::string& prefix : etcd_->prefixes()) {
      made.PushBack(Value(prefix.data(), static_cast<rapidjson::SizeType>(prefix.size()),
                          made.GetAllocator()),
                    made.GetAllocator());
    }
    const Value& recorded = member(*result_, kPrefixes);
    if (recorded == made) return;
    add_difference("the keys deleted in etcd must be those below " + text_of(recorded) +
                   "; found " + text_of(made));
  }

  // Each recorded write of a scale, "PUT podcliques/g-0-a 2", shows in the count of its object.
  void compare_scales() {
    const Value& calls = member(*result_, "scale-calls");
    if (!calls.IsArray()) return;
    for (const Value& call : calls.GetArray()) {
      std::istringstream words{std::string(text(call))};
      std::string method;
      std::string path;
      std::string count;
      words >> method >> path >> count;
      if (method != "PUT") continue;
      const bool is_clique = path.starts_with("podcliques/");
      const Object scaled = live((is_clique ? "PodClique/" : "PodCliqueScalingGroup/") + space_ +
                                 "/" + path.substr(path.find('/') + 1));
      const std::string found = text_of(member(member(scaled, "spec"), "replicas"));
      if (found != count) {
        add_difference(path + " must be scaled to " + count + "; found " + found);
      }
    }
  }

  void record_objects() {
    stood_.clear();
    const Value& objects = member(member(golden_, "output"), "objects");
    std::vector<std::string> keys;
    for (const auto& [key, object] : inputs_) keys.push_back(key);
    if (objects.IsArray()) {
      for (const Value& each : objects.GetArray()) keys.push_back(key_of(each));
    }
    for (const std::string& key : keys) {
      if (resource_of(key.substr(0, key.find('/'))) == nullptr) continue;
      Object object = live(key);
      if (!object.IsNull()) stood_.insert_or_assign(key, std::move(object));
    }
  }

  void read_parent() {
    const kube::Resource& resource = *resource_of(text(member(parent_, "kind")));
    const Object self = api_.find(resource, space_, name_of(parent_));
    status_ = copy_of(member(self, "status"));
    generation_ = copy_of(member(member(self, "metadata"), "generation"));
  }

  Object live(const std::string& key) {
    const std::string kind = key.substr(0, key.find('/'));
    return api_.find(*resource_of(kind), space_, key.substr(key.rfind('/') + 1));
  }

  // Writes of other clients. A server maintains generations itself, and takes a status only through
  // the subresource.
  void patch(const Value& step) {
    const std::string kind(text(member(step, "kind")));
    const std::string name(text(member(step, "name")));
    const kube::Resource& resource = *resource_of(kind);
    Object with = copy_of(member(step, "with"));
    if (with.HasMember("status")) {
      const Object before = live(kind + "/" + space_ + "/" + name);
      add_required_counts(kind, member(before, "status"), with["status"], with.GetAllocator());
    }
    const std::string status = text_of(member(with, "status"));
    with.RemoveMember("status");
    merge_patch(with, parsed(R"({"metadata":{"generation":null}})"), with.GetAllocator());
    const std::string key = kind + "/" + space_ + "/" + name;
    Object& theirs = others_.try_emplace(key, parsed("{}")).first->second;
    merge_patch(theirs, with, theirs.GetAllocator());
    auto written = api_.merge(resource, space_, name, text_of(with));
    if (written && status != "null") {
      written = api_.merge(resource, space_, name, R"({"status":)" + status + "}", "status");
    }
    if (!written) add_difference("the server refuses what others write: " + written.error().text);
    if (key == key_of(parent_)) parent_ = live(key);
  }

  void compare_objects(const Value& objects) {
    if (!objects.IsArray()) return;
    for (const Value& each : objects.GetArray()) compare_object(each);
  }

  std::string key_of(const Value& object) const {
    return std::string(text(member(object, "kind"))) + "/" + space_ + "/" + name_of(object);
  }

  // "", or the reason why the case cannot be played.
  std::string make_inputs() {
    const Value& input = member(golden_, "input");
    static const Value nothing;
    std::string why = make(member(input, "object"), nothing, parent_);
    const Value& cluster = member(input, "cluster");
    if (!cluster.IsArray()) return why;
    for (const Value& each : cluster.GetArray()) {
      Object made;
      if (why.empty()) why = make(each, parent_, made);
    }
    return why;
  }

  // Creates the object of the case, with its status and the uid of its owner.
  std::string make(const Value& given, const Value& owner, Object& made) {
    const std::string kind(text(member(given, "kind")));
    if (kind == "Scale") return make(object_with_scale(given, space_), owner, made);
    const kube::Resource* const resource = resource_of(kind);
    if (resource == nullptr) return "needs the kind " + kind;
    Object body = copy_of(given);
    complete(body);
    const std::string status = text_of(member(body, "status"));
    body.RemoveMember("status");
    merge_patch(body, parsed(R"({"metadata":{"deletionTimestamp":null}})"), body.GetAllocator());
    set_owner(body, owner);
    const std::string_view named = text(member(member(body, "metadata"), "namespace"));
    const std::string space = resource->namespaced ? std::string(named) : "";
    auto written = api_.create(*resource, space, body);
    if (written && status != "null") {
      written =
          api_.merge(*resource, space, name_of(body), R"({"status":)" + status + "}", "status");
    }
    if (!written) return "the server refuses it: " + written.error().text;
    made = copy_of(written->root());
    if (space == space_) inputs_.insert_or_assign(key_of(made), copy_of(made));
    return {};
  }

  static void set_owner(Object& body, const Value& owner) {
    if (owner.IsNull() || member(member(body, "metadata"), "ownerReferences").IsNull()) return;
    const Value& uid = member(member(owner, "metadata"), "uid");
    for (Value& each : body["metadata"]["ownerReferences"].GetArray()) {
      if (text(member(each, "name")) != name_of(owner)) continue;
      each.RemoveMember("uid");
      each.AddMember("uid", Value(uid, body.GetAllocator()), body.GetAllocator());
    }
  }

  aio::ChildResult run_program() {
    std::vector<std::string> words = {options_.reconciler,
                                      "--once",
                                      "--kubeconfig=" + options_.kubeconfig,
                                      "--mode=replacement",
                                      "--controllers=" + std::string(controllers_of(golden_)),
                                      "--leader-election-namespace=" + space_};
    const Value& flags = member(member(golden_, "input"), "operator");
    std::optional<NamespaceReservations> others;
    if (is_cluster_wide(golden_)) {
      others.emplace(api_, space_);
    } else {
      words.push_back("--restrictedNamespace=" + space_);
    }
    if (of_graph_ && member(flags, "mpi-run-ssh-secret-name").IsNull()) {
      words.emplace_back("--mpi-run-ssh-secret-name=mpi-run-ssh-secret");
    }
    if (of_graph_ && member(flags, "mpi-run-ssh-secret-namespace").IsString()) {
      words.emplace_back("--mpi-run-ssh-secret-namespaces=*");
    }
    if (etcd_) words.push_back("--etcdAddr=" + etcd_->url());
    if (flags.IsObject()) {
      for (const auto& [flag, value] : flags.GetObject()) {
        if (!is_no_flag(text(flag))) words.push_back(flag_of(text(flag), value));
      }
    }
    return api_.run_program(std::move(words));
  }

  static bool is_exit(const aio::ChildResult& ended, int code) {
    return ended.exit_reason == aio::ChildResult::ExitReason::kExited && ended.code == code;
  }
  static std::string describe_end(const aio::ChildResult& ended) {
    return "the program ended with " + std::to_string(ended.code) + ": " + ended.errors;
  }

  // Exit status 1 means that the reconcile must be retried.
  void compare_end(const aio::ChildResult& ended) {
    const Value& recorded = member(*result_, "result");
    const int expected = text(recorded) == "error" ? 1 : 0;
    if (is_exit(ended, expected)) return;
    // Waiting for something that is missing is no retry; the status reports it.
    const std::string_view state = text(member(status_, "state"));
    const bool waits = is_exit(ended, 0) && state == "failed" &&
                       state == text(member(member(*result_, "status"), "state"));
    if (waits) return;
    std::string line =
        "the reconcile must end as " + std::string(text(recorded)) + "; " + describe_end(ended);
    if (!is_exit(ended, 1 - expected)) return add_difference(std::move(line));
    const Value end(rapidjson::StringRef(expected == 1 ? "done" : "error"));
    record_whole_difference({.place = Place::kResult, .recorded = &recorded, .actual = &end},
                            std::move(line));
  }

  // Ignores fields that the server adds to the recorded ones, and its generations.
  void record_difference(DifferenceContext found, const Difference& difference,
                         const std::string& where) {
    const bool of_server =
        difference.recorded->IsNull() || difference.path.ends_with("last-applied-hash") ||
        difference.path.ends_with("last-applied-generation") ||
        difference.path == "metadata.generation" ||
        (difference.path.ends_with("observedGeneration") && *difference.actual == generation_);
    if (of_server) return;
    found.keys = difference.keys;
    found.path = difference.path;
    found.recorded = difference.recorded;
    found.actual = difference.actual;
    record_whole_difference(found, where + difference.line);
  }

  // Records the difference unless it is allowed.
  void record_whole_difference(DifferenceContext found, std::string line) {
    found.status = &status_;
    found.self = key_of(parent_);
    found.subject = &parent_;
    found.recorded_status = &member(*result_, "status");
    found.flags = &member(member(golden_, "input"), "operator");
    const Value& cluster = member(member(golden_, "input"), "cluster");
    if (cluster.IsArray()) {
      for (const Value& object : cluster.GetArray()) found.live_objects.push_back(&object);
    }
    const AllowedDifference* const row = find_allowed_difference(found);
    if (row == nullptr) return add_difference(std::move(line));
    case_result_.allowed.emplace(row->id);
  }

  void compare_status() {
    const Value& recorded = member(*result_, "status");
    if (text(recorded) == "object gone" && !live(key_of(parent_)).IsNull()) {
      add_difference("it must be gone; it is there");
    }
    if (!recorded.IsObject()) return;
    for (const Difference& each : differences_of(recorded, status_)) {
      record_difference(
          {.place = Place::kStatus, .whole_recorded = &recorded, .whole_actual = &status_}, each,
          "status.");
    }
  }

  void compare_object(const Value& recorded) {
    const std::string gone(text(member(recorded, "gone")));
    const std::string kind =
        gone.empty() ? std::string(text(member(recorded, "kind"))) : gone.substr(0, gone.find('/'));
    const std::string name = gone.empty() ? name_of(recorded) : gone.substr(gone.rfind('/') + 1);
    const kube::Resource* const resource = resource_of(kind);
    if (resource == nullptr) {
      case_result_.unsupported.push_back("the kind " + kind);
      return;
    }
    const Object live = api_.find(*resource, space_, name);
    const std::string where = kind + "/" + name + " ";
    const std::string key = kind + "/" + space_ + "/" + name;
    const DifferenceContext found = found_of(key, live);
    if (!gone.empty()) {
      if (live.IsNull()) return;
      DifferenceContext there = found;
      there.actual = &live;
      return record_whole_difference(std::move(there), where + "must be gone; found one");
    }
    if (live.IsNull()) {
      DifferenceContext absent = found;
      absent.recorded = &recorded;
      return record_whole_difference(std::move(absent), where + "must be made; found none");
    }
    const bool is_set = kind == reconciler::kPodCliqueSets.kind;
    const Object expected = is_set ? with_cliques_in_order(recorded, live) : copy_of(recorded);
    for (const Difference& each : differences_of(expected, live)) {
      DifferenceContext different = found;
      different.whole_recorded = &expected;
      record_difference(std::move(different), each, where);
    }
  }

  // Adds the history of the object.
  DifferenceContext found_of(const std::string& key, const Value& live) const {
    const auto input = inputs_.find(key);
    const auto stood = stood_.find(key);
    const auto others = others_.find(key);
    return {.place = Place::kObject,
            .key = key,
            .whole_actual = &live,
            .origin = input == inputs_.end() ? nullptr : &input->second,
            .before = stood == stood_.end() ? nullptr : &stood->second,
            .others = others == others_.end() ? nullptr : &others->second,
            .written_since_creation = others != others_.end() || others_.contains(key_of(parent_))};
  }

  ApiServer& api_;
  const ServerOptions& options_;
  const std::string space_;
  const Object golden_;
  const bool of_graph_;
  const bool is_being_deleted_;  // deleted from the start
  std::optional<EtcdListener> etcd_;
  Object parent_;
  Object status_;
  Object generation_;
  const Value* result_ = nullptr;         // of the last reconcile, as recorded
  std::map<std::string, Object> inputs_;  // as the server stored them
  std::map<std::string, Object> stood_;   // `inputs_` before the last reconcile
  std::map<std::string, Object> others_;  // writes of others, merged
  std::string where_;                     // "step 2: "
  CaseResult case_result_;
};

}  // namespace

Server::Server(ServerOptions options) : options_(std::move(options)) {
  const runtime::SystemClock clock;
  auto config = kube::load_kubeconfig(options_.kubeconfig, "", clock);
  if (!config) throw std::runtime_error(config.error().text);
  api_ = std::make_unique<ApiServer>(*std::move(config));
}

Server::~Server() = default;

ServerResult Server::play(const Value& golden) {
  std::string why = reason_not_played(golden, *api_);
  if (!why.empty()) return {.not_played = std::move(why)};
  return ServerCase(*api_, options_, golden).run();
}

}  // namespace dynamo::cases
