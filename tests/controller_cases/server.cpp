#include "tests/controller_cases/server.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include "aio/child_process.hpp"
#include "kube/config.hpp"
#include "reconciler/children/kinds.hpp"
#include "runtime/clock.hpp"
#include "tests/controller_cases/api_server.hpp"
#include "tests/controller_cases/compare.hpp"
#include "tests/controller_cases/deliberate.hpp"

namespace dynamo::cases {
namespace {

constexpr std::string_view kSpaceOfCases = "team-a";

struct NotPlayed {
  std::string_view name;
  std::string_view why;
};
constexpr std::array<NotPlayed, 2> kNotPlayed = {{
    {"dcd-merge-rules", "a server refuses its Deployment, whose pods end"},
    {"dcd-ingress-tls-prefix-suffix",
     "a component without a graph names an account that is no name"},
}};

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
  return text;
}

const kube::Resource* resource_of(std::string_view kind) {
  if (kind == reconciler::kGraphs.kind) return &reconciler::kGraphs;
  const reconciler::ChildKind* const found = reconciler::find_child_kind(kind);
  return found == nullptr ? nullptr : &found->resource;
}

bool is_on(const Value& flags, std::string_view name) {
  return member(flags, name).IsTrue();
}

// "" for a case that can be played.
std::string why_not(const Value& golden) {
  const std::string_view name = text(member(golden, "case"));
  for (const NotPlayed& each : kNotPlayed) {
    if (each.name == name) return std::string(each.why);
  }
  const std::string_view controller = text(member(golden, "controller"));
  const Value& input = member(golden, "input");
  const Value& flags = member(input, "operator");
  if (controller != "dgd" && controller != "dcd") return "not of graphs and components";
  if (is_on(flags, "grove") || is_on(flags, "lws") || is_on(flags, "kai")) {
    return "needs definitions of others";
  }
  if (controller == "dgd" && member(flags, "restrictedNamespace").IsNull()) {
    return "serves the whole cluster";
  }
  const Value& metadata = member(member(input, "object"), "metadata");
  if (!member(metadata, "deletionTimestamp").IsNull()) return "is deleted from the start";
  return {};
}

// With what the cases leave out, as no API server looked at them.
void complete(Object& object) {
  const std::string_view kind = text(member(object, "kind"));
  const auto patched = [&object](const std::string& patch) {
    merge_patch(object, parsed(patch), object.GetAllocator());
  };
  constexpr std::string_view kPod = R"({"extraPodSpec":{"mainContainer":{"image":"i"}}})";
  const auto has_image = [](const Value& service) {
    const Value& main = member(member(service, "extraPodSpec"), "mainContainer");
    return !member(main, "image").IsNull();
  };
  if (kind == "PersistentVolumeClaim" && member(member(object, "spec"), "resources").IsNull()) {
    patched(R"({"spec":{"accessModes":["ReadWriteOnce"],)"
            R"("resources":{"requests":{"storage":"1Gi"}}}})");
  }
  // A server gives addresses itself, and each once.
  if (kind == "Service") patched(R"({"spec":{"clusterIP":null,"clusterIPs":null}})");
  if (kind == reconciler::kComponents.kind && !has_image(member(object, "spec"))) {
    patched(R"({"spec":)" + std::string(kPod) + "}");
  }
  if (kind != reconciler::kGraphs.kind) return;
  std::vector<std::string> names;
  const Value& services = member(member(object, "spec"), "services");
  if (!services.IsObject()) return;
  for (const auto& [name, service] : services.GetObject()) {
    if (!has_image(service)) names.emplace_back(text(name));
  }
  for (const std::string& name : names) {
    patched(R"({"spec":{"services":{")" + name + "\":" + std::string(kPod) + "}}}");
  }
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

// One case in a namespace of its own.
class Played {
 public:
  Played(ApiServer& api, const ServerOptions& options, const Value& original)
      : api_(api),
        options_(options),
        space_(api.new_namespace(options.namespace_label)),
        golden_(parsed(replaced(text_of(original), kSpaceOfCases, space_))),
        of_graph_(text(member(golden_, "controller")) == "dgd") {}

  OnServer run() {
    OnServer out;
    out.not_played = make_inputs();
    if (!out.not_played.empty()) return out;
    play_steps();
    compare_objects(member(member(golden_, "output"), "objects"));
    settle(verdict_);
    out.verdict = std::move(verdict_);
    return out;
  }

 private:
  static std::string name_of(const Value& object) {
    return std::string(text(member(member(object, "metadata"), "name")));
  }
  void say(std::string line) { verdict_.differences.push_back(where_ + std::move(line)); }

  void play_steps() {
    const Value& steps = member(member(golden_, "input"), "steps");
    if (!steps.IsArray()) return pass(result_at(golden_, 0));
    rapidjson::SizeType at = 0;
    for (const Value& step : steps.GetArray()) {
      const Value& result = result_at(golden_, at++);
      where_ = "step " + std::to_string(at) + ": ";
      if (!member(step, "reconcile").IsNull()) pass(result);
      if (!member(step, "patch").IsNull()) patch(member(step, "patch"));
      if (!member(step, "show").IsNull()) compare_objects(member(result, "objects"));
    }
    where_.clear();
  }

  void pass(const Value& result) {
    note_what_stands();
    run_program(result);
    look_at_parent();
    result_ = &result;
    compare_status();
  }

  void note_what_stands() {
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

  void look_at_parent() {
    const kube::Resource& resource = *resource_of(text(member(parent_, "kind")));
    const Object self = api_.find(resource, space_, name_of(parent_));
    status_ = copy_of(member(self, "status"));
    generation_ = copy_of(member(member(self, "metadata"), "generation"));
  }

  Object live(const std::string& key) {
    const std::string kind = key.substr(0, key.find('/'));
    return api_.find(*resource_of(kind), space_, key.substr(key.rfind('/') + 1));
  }

  // What others write. A server counts generations itself, and takes a status by itself only.
  void patch(const Value& step) {
    const std::string kind(text(member(step, "kind")));
    const std::string name(text(member(step, "name")));
    const kube::Resource& resource = *resource_of(kind);
    Object with = copy_of(member(step, "with"));
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
    if (!written) say("the server refuses what others write: " + written.error().text);
    if (key == key_of(parent_)) parent_ = live(key);
  }

  void compare_objects(const Value& objects) {
    if (!objects.IsArray()) return;
    for (const Value& each : objects.GetArray()) compare_object(each);
  }

  std::string key_of(const Value& object) const {
    return std::string(text(member(object, "kind"))) + "/" + space_ + "/" + name_of(object);
  }

  // "", or why the case cannot be played.
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

  // As it stands in the case, with its status and the uid of its owner.
  std::string make(const Value& given, const Value& owner, Object& made) {
    const std::string kind(text(member(given, "kind")));
    const kube::Resource* const resource = resource_of(kind);
    if (resource == nullptr) return "needs the kind " + kind;
    Object body = copy_of(given);
    complete(body);
    const std::string status = text_of(member(body, "status"));
    body.RemoveMember("status");
    set_owner(body, owner);
    auto written = api_.create(*resource, space_, body);
    if (written && status != "null") {
      written =
          api_.merge(*resource, space_, name_of(body), R"({"status":)" + status + "}", "status");
    }
    if (!written) return "the server refuses it: " + written.error().text;
    made = copy_of(written->root());
    inputs_.insert_or_assign(key_of(made), copy_of(made));
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

  void run_program(const Value& result) {
    std::vector<std::string> words = {
        options_.reconciler,
        "--once",
        "--kubeconfig=" + options_.kubeconfig,
        "--mode=replacement",
        std::string("--controllers=") + (of_graph_ ? "graph" : "component"),
        "--leader-election-namespace=" + space_,
        "--restrictedNamespace=" + space_};
    const Value& flags = member(member(golden_, "input"), "operator");
    if (of_graph_ && member(flags, "mpi-run-ssh-secret-name").IsNull()) {
      words.emplace_back("--mpi-run-ssh-secret-name=mpi-run-ssh-secret");
    }
    if (flags.IsObject()) {
      for (const auto& [flag, value] : flags.GetObject()) {
        if (text(flag) != "restrictedNamespace") words.push_back(flag_of(text(flag), value));
      }
    }
    const int expected = text(member(result, "result")) == "error" ? 1 : 0;
    const aio::ChildResult ended = api_.run_program(std::move(words));
    if (ended.end == aio::ChildResult::End::kExited && ended.code == expected) return;
    say("the program must end with " + std::to_string(expected) + "; it ended with " +
        std::to_string(ended.code) + ": " + ended.errors);
  }

  // What the server has put beside what was measured is its own affair, and so is how it counts
  // generations.
  void judge(Found found, const Difference& difference, const std::string& where) {
    const bool of_server =
        difference.measured->IsNull() || difference.path.ends_with("last-applied-hash") ||
        difference.path.ends_with("last-applied-generation") ||
        difference.path == "metadata.generation" ||
        (difference.path.ends_with("observedGeneration") && *difference.made == generation_);
    if (of_server) return;
    found.keys = difference.keys;
    found.path = difference.path;
    found.measured = difference.measured;
    found.made = difference.made;
    found.status = &status_;
    found.self = key_of(parent_);
    found.subject = &parent_;
    found.measured_status = &member(*result_, "status");
    found.flags = &member(member(golden_, "input"), "operator");
    const Deliberate* const row = explanation_of(found);
    if (row == nullptr) return say(where + difference.line);
    verdict_.deliberate.emplace(row->id);
  }

  void compare_status() {
    const Value& measured = member(*result_, "status");
    if (!measured.IsObject()) return;
    for (const Difference& each : differences_of(measured, status_)) {
      judge({.place = Place::kStatus, .whole_measured = &measured, .whole_made = &status_}, each,
            "status.");
    }
  }

  void compare_object(const Value& measured) {
    const std::string gone(text(member(measured, "gone")));
    const std::string kind =
        gone.empty() ? std::string(text(member(measured, "kind"))) : gone.substr(0, gone.find('/'));
    const std::string name = gone.empty() ? name_of(measured) : gone.substr(gone.rfind('/') + 1);
    const kube::Resource* const resource = resource_of(kind);
    if (resource == nullptr) {
      verdict_.not_yet_ours.push_back("the kind " + kind);
      return;
    }
    const Object live = api_.find(*resource, space_, name);
    const std::string where = kind + "/" + name + " ";
    if (gone.empty() && live.IsNull()) return say(where + "must be made; found none");
    if (!gone.empty()) {
      if (!live.IsNull()) say(where + "must be gone; found one");
      return;
    }
    const std::string key = kind + "/" + space_ + "/" + name;
    const auto input = inputs_.find(key);
    const auto stood = stood_.find(key);
    const auto others = others_.find(key);
    for (const Difference& each : differences_of(measured, live)) {
      judge({.place = Place::kObject,
             .key = key,
             .whole_measured = &measured,
             .whole_made = &live,
             .origin = input == inputs_.end() ? nullptr : &input->second,
             .before = stood == stood_.end() ? nullptr : &stood->second,
             .others = others == others_.end() ? nullptr : &others->second,
             .asked_anew = others != others_.end() || others_.contains(key_of(parent_))},
            each, where);
    }
  }

  ApiServer& api_;
  const ServerOptions& options_;
  const std::string space_;
  const Object golden_;
  const bool of_graph_;
  Object parent_;
  Object status_;
  Object generation_;
  const Value* result_ = nullptr;         // of the last pass, as it was measured
  std::map<std::string, Object> inputs_;  // as the server took them
  std::map<std::string, Object> stood_;   // the same before the last pass
  std::map<std::string, Object> others_;  // what others have written, merged
  std::string where_;                     // "step 2: "
  Verdict verdict_;
};

}  // namespace

Server::Server(ServerOptions options) : options_(std::move(options)) {
  const runtime::SystemClock clock;
  auto config = kube::load_kubeconfig(options_.kubeconfig, "", clock);
  if (!config) throw std::runtime_error(config.error().text);
  api_ = std::make_unique<ApiServer>(*std::move(config));
}

Server::~Server() = default;

OnServer Server::play(const Value& golden) {
  std::string why = why_not(golden);
  if (!why.empty()) return {.not_played = std::move(why)};
  return Played(*api_, options_, golden).run();
}

}  // namespace dynamo::cases
