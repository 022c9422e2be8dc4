#include "tests/controller_cases/case.hpp"

#include <algorithm>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "desired/kinds.hpp"
#include "tests/controller_cases/allowed_differences.hpp"
#include "tests/controller_cases/compare.hpp"
#include "tests/controller_cases/controllers.hpp"
#include "tests/controller_cases/operator.hpp"
#include "tests/controller_cases/store.hpp"

namespace dynamo::cases {
namespace {

std::string_view kind_of(const std::string& key) {
  return std::string_view(key).substr(0, key.find('/'));
}

// An owned object of a controller, or another kind that our controllers write.
bool is_managed_kind(std::string_view kind) {
  return reconciler::find_managed_kind(kind) != nullptr;
}

std::vector<std::string> texts_of(const Value& list) {
  std::vector<std::string> texts;
  if (!list.IsArray()) return texts;
  for (const Value& element : list.GetArray()) texts.emplace_back(text(element));
  return texts;
}

// Formats a call as one line with its JSON body in normalized form.
std::string call_of(const std::string& line) {
  const std::size_t body = line.find(" {");
  if (body == std::string::npos) return line;
  return line.substr(0, body + 1) + text_of(parsed(line.substr(body + 1)));
}

// The method, the object, and the replica count, which ends a write in any notation.
std::string scale_call_of(const std::string& line) {
  const std::size_t path = line.find(' ');
  const std::size_t rest = line.find(' ', path + 1);
  if (path == std::string::npos || rest == std::string::npos) return line;
  const std::size_t last = line.find_last_of("0123456789");
  const bool is_count = last != std::string::npos && last > rest &&
                        line.find_first_not_of("}] ", last + 1) == std::string::npos;
  if (!is_count) return line;
  const std::size_t first = line.find_last_not_of("0123456789", last) + 1;
  return line.substr(0, rest) + " " + line.substr(first, last - first + 1);
}

Object list_of(const std::vector<std::string>& lines) {
  Object list(rapidjson::kArrayType);
  for (const std::string& line : lines) {
    list.PushBack(
        Value(line.data(), static_cast<rapidjson::SizeType>(line.size()), list.GetAllocator()),
        list.GetAllocator());
  }
  return list;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += (out.empty() ? "" : ", ") + line;
  return out.empty() ? "none" : out;
}

class CasePlayer {
 public:
  explicit CasePlayer(const Value& golden)
      : golden_(golden),
        input_(member(golden, "input")),
        object_(copy_of(member(input_, "object"))),
        inputs_{store_, member(input_, "operator"),
                std::string(text(member(member(object_, "metadata"), "namespace")))},
        self_(Store::key_of(object_)) {
    if (!object_.IsObject()) throw std::runtime_error("must have an input.object");
  }

  CaseResult run() {
    if (needs_unsupported()) {
      case_result_.outcome = Outcome::kUnsupported;
      return std::move(case_result_);
    }
    store_.put(copy_of(object_));
    reported_ = events_reported_by(object_);
    const Value& cluster = member(input_, "cluster");
    if (cluster.IsArray()) {
      for (const Value& object : cluster.GetArray()) put(object);
    }
    store_.mark();
    record_objects();
    play_steps();
    compare_objects(member(member(golden_, "output"), "objects"), "");
    set_outcome(case_result_);
    return std::move(case_result_);
  }

 private:
  void add_unsupported(std::string what) {
    const auto found = std::ranges::find(case_result_.unsupported, what);
    if (found == case_result_.unsupported.end())
      case_result_.unsupported.push_back(std::move(what));
  }
  void add_difference(std::string line) { case_result_.differences.push_back(std::move(line)); }

  // Records a difference unless it is allowed.
  bool is_allowed(DifferenceContext found) {
    found.self = self_;
    found.subject = &subject_;
    found.status = &member(subject_, "status");
    found.recorded_status = recorded_status_;
    found.flags = &inputs_.flags;
    found.lag = lag_;
    found.refuses = refuses_;
    if (without_deletion_) found.without_deletion = &*without_deletion_;
    for (const auto& [key, object] : store_.objects()) found.live_objects.push_back(&object);
    if (found.place == Place::kObject || found.place == Place::kStatus) describe(found);
    const AllowedDifference* const row = find_allowed_difference(found);
    if (row == nullptr) return false;
    case_result_.allowed.emplace(row->id);
    return true;
  }
  void record_difference(DifferenceContext found, const std::string& line) {
    std::string place = line.substr(0, line.find(" must "));
    if (!found.path.empty()) place = line.substr(0, line.find(found.path) + found.path.size());
    if (!is_allowed(std::move(found))) return add_difference(line);
    case_result_.allowed_paths.insert(std::move(place));
  }

  // Adds the history of the object.
  void describe(DifferenceContext& found) const {
    found.intent = &store_.intent(found.key);
    const auto origin = origins_.find(found.key);
    if (origin != origins_.end()) found.origin = &origin->second;
    if (before_) found.before = before_->find(found.key);
    const auto departed = departed_.find(found.key);
    if (found.before == nullptr && departed != departed_.end()) found.before = &departed->second;
    const auto left = left_.find(found.key);
    if (left != left_.end()) found.left = &left->second;
    const auto others = others_.find(found.key);
    if (others != others_.end()) found.others = &others->second;
    found.desired = desired_object(found.key);
    const auto touched = touched_.find(found.key);
    found.written_since_creation = touched != touched_.end() && touched->second;
  }

  const Value* desired_object(const std::string& key) const {
    for (const auto& [owner, objects] : desired_) {
      const auto found = objects.find(key);
      if (found != objects.end()) return &found->second;
    }
    return nullptr;
  }

  // Records writes by other clients; `with` is a merge patch.
  void note_others(const std::string& key, const Value& with) {
    Object& theirs = others_.try_emplace(key).first->second;
    merge_patch(theirs, with, theirs.GetAllocator());
    if (const Object* const now = store_.find(key)) left_.insert_or_assign(key, copy_of(*now));
    if (key == self_) {
      for (auto& [object, touched] : touched_) touched = true;
    } else {
      touched_[key] = true;
    }
  }

  // Called after each step: records new objects and the state of the reconciled object.
  void record_objects() {
    for (const auto& [key, object] : store_.objects()) {
      if (origins_.try_emplace(key).second) {
        origins_[key] = copy_of(object);
        touched_.try_emplace(key, false);
      }
    }
    std::erase_if(origins_, [this](const auto& each) {
      if (store_.find(each.first) != nullptr) return false;
      const Object* const stood = before_ ? before_->find(each.first) : nullptr;
      if (stood != nullptr) departed_.insert_or_assign(each.first, copy_of(*stood));
      return true;
    });
    const Object* const self = store_.find(self_);
    if (self != nullptr) subject_ = copy_of(*self);
  }

  bool needs_unsupported() {
    const std::string_view controller = text(member(golden_, "controller"));
    if (find_controller(controller) == nullptr)
      add_unsupported("the controller " + std::string(controller));
    return !case_result_.unsupported.empty();
  }

  void put(const Value& object) {
    if (text(member(object, "kind")) == "Scale") return store_.put_scale(object);
    store_.put(copy_of(object));
    note_others(Store::key_of(object), object);
  }

  void play_steps() {
    const Value& steps = member(input_, "steps");
    const Value& results = member(member(golden_, "output"), "steps");
    static const Value nothing;
    const auto result_at = [&](rapidjson::SizeType at) -> const Value& {
      return results.IsArray() && at < results.Size() ? results[at] : nothing;
    };
    if (!steps.IsArray()) return reconcile(nothing, result_at(0), "");
    rapidjson::SizeType at = 0;
    for (const Value& step : steps.GetArray()) {
      const Value& result = result_at(at++);
      const std::string where = "step " + std::to_string(at) + ": ";
      if (!member(step, "reconcile").IsNull()) reconcile(member(step, "reconcile"), result, where);
      if (!member(step, "patch").IsNull()) patch(member(step, "patch"));
      if (!member(step, "create").IsNull()) put(member(step, "create"));
      if (!member(step, "delete").IsNull()) store_.remove(key_in(member(step, "delete")));
      record_objects();
      if (!member(step, "show").IsNull()) compare_objects(member(result, "objects"), where);
    }
  }

  std::string key_in(const Value& reference) const {
    const Value& metadata = member(reference, "metadata");
    const Value& name = metadata.IsNull() ? member(reference, "name") : member(metadata, "name");
    return Store::key(text(member(reference, "kind")), inputs_.space, text(name));
  }

  void patch(const Value& step) {
    const std::string key = key_in(step);
    if (!store_.patch(key, member(step, "with"))) {
      if (!is_managed_kind(kind_of(key)))
        return add_unsupported("the kind " + std::string(kind_of(key)));
      // The upstream result has it.
      const Value* const there = desired_object(key);
      record_difference({.place = Place::kObject,
                         .key = key,
                         .recorded = there == nullptr ? &member(step, "with") : there},
                        "must have " + key + " to be patched; found none");
    }
    if (!is_managed_kind(kind_of(key))) foreign_keys_.insert(key);
    note_others(key, member(step, "with"));
  }

  void reconcile(const Value& step, const Value& result, const std::string& where) {
    std::string_view controller = text(member(step, "controller"));
    if (controller.empty()) controller = text(member(golden_, "controller"));
    std::string_view name = text(member(step, "name"));
    if (name.empty()) name = text(member(member(object_, "metadata"), "name"));
    const ControllerRow* const row = find_controller(controller);
    if (row == nullptr) return add_unsupported("the controller " + std::string(controller));
    const std::string key = Store::key(row->kind, inputs_.space, name);
    before_ = store_.copy();
    if (key == self_) run_without_deletion(*row, name);
    ReconcileOutput output = row->reconcile(inputs_, name);
    if (key == self_) note_lag();
    if (key == self_) recorded_status_ = &member(result, "status");
    desired_[key] = std::move(output.desired);
    if (key == self_) refuses_ = output.refuses;
    record_objects();
    compare_result(output, result, where);
    compare_events(output, result, *row, where);
    compare_status(key, result, where);
    if (key == self_) forget_lag();
    compare_calls("http-calls", output.http_calls, result, where);
    compare_calls("scale-calls", output.scale_calls, result, where);
    compare_calls("etcd-deleted-prefixes", output.etcd_prefixes, result, where);
    check_quiet(*row, name, where);
  }

  void run_without_deletion(const ControllerRow& row, std::string_view name) {
    without_deletion_.reset();
    const Object* const self = store_.find(self_);
    if (self == nullptr || at_keys(*self, {"metadata", "deletionTimestamp"}).IsNull()) return;
    Store store = store_.copy();
    store.patch(self_, parsed(R"({"metadata":{"deletionTimestamp":null}})"));
    ReconcileInputs inputs{store, inputs_.flags, inputs_.space};
    ReconcileOutput output = row.reconcile(inputs, name);
    std::ranges::transform(output.http_calls, output.http_calls.begin(), call_of);
    without_deletion_ = {.result = std::move(output.result),
                         .events = std::move(output.events),
                         .calls = std::move(output.http_calls),
                         .status = copy_of(member(*store.find(self_), "status"))};
  }

  // The restart status before the reconcile.
  const Value& restart_before() const {
    static const Value nothing;
    const Object* const self = before_->find(self_);
    return self == nullptr ? nothing : at_keys(*self, {"status", "restart"});
  }

  void note_lag() {
    const Value& restart = restart_before();
    const bool was_wiped = recorded_status_ != nullptr &&
                           text(member(*recorded_status_, "state")) == "failed" &&
                           member(*recorded_status_, "restart").IsNull();
    if (was_wiped && !restart.IsNull()) lag_.is_forgotten = true;
    for (const std::string& service : texts_of(member(restart, "inProgress"))) {
      if (at_keys(subject_, {"spec", "services", service}).IsNull()) lag_.gone.push_back(service);
    }
  }

  // Called where both statuses agree again.
  void forget_lag() {
    const Value& actual = at_keys(subject_, {"status", "restart"});
    if (recorded_status_ == nullptr) return;
    if (differences_of(member(*recorded_status_, "restart"), actual).empty()) lag_ = {};
  }

  void compare_result(const ReconcileOutput& output, const Value& result,
                      const std::string& where) {
    const std::string_view wanted = text(member(result, "result"));
    if (wanted == output.result) return;
    const Value actual(output.result.data(),
                       static_cast<rapidjson::SizeType>(output.result.size()));
    record_difference(
        {.place = Place::kResult, .recorded = &member(result, "result"), .actual = &actual},
        where + "the reconcile must end as " + std::string(wanted) + "; it ended as " +
            output.result);
  }

  void compare_events(const ReconcileOutput& output, const Value& result, const ControllerRow& row,
                      const std::string& where) {
    Events events = expected_events(texts_of(member(result, "events")), output.events, reported_);
    if (events.differs) case_result_.allowed.emplace(kEventsRow);
    std::vector<std::string> actual = output.events;
    reported_.insert(reported_.end(), actual.begin(), actual.end());
    if (!row.ordered_events) {
      std::ranges::sort(events.expected);
      std::ranges::sort(actual);
    }
    if (events.expected == actual) return;
    const std::vector<std::string> wanted = events.expected;
    const std::vector<std::string> found = actual;
    remove_allowed_events(events.expected, found, true);
    remove_allowed_events(actual, wanted, false);
    // Allowed, because --mutate cannot detect a change of an event that is left out.
    if (events.expected.size() < wanted.size()) case_result_.allowed_paths.insert(where + "events");
    if (events.expected == actual) return;
    add_difference(where + "the events must be " + joined(wanted) + "; found " + joined(found));
  }

  // Removes the events that only one side has on purpose.
  void remove_allowed_events(std::vector<std::string>& events, std::vector<std::string> others,
                             bool recorded) {
    std::erase_if(events, [&](const std::string& event) {
      const auto there = std::ranges::find(others, event);
      if (there != others.end()) {
        others.erase(there);
        return false;
      }
      const Value line(event.data(), static_cast<rapidjson::SizeType>(event.size()));
      DifferenceContext found{.place = Place::kEvent, .key = event};
      (recorded ? found.recorded : found.actual) = &line;
      const Object* const object = store_.find(key_in_event(event));
      found.whole_actual = object;
      if (before_) found.before = before_->find(key_in_event(event));
      found.desired = desired_object(key_in_event(event));
      return is_allowed(std::move(found));
    });
  }

  // "Normal DeleteService on Service/w-d"
  std::string key_in_event(const std::string& event) const {
    const std::size_t kind = event.find(" on ");
    const std::size_t name = event.find('/', kind);
    if (kind == std::string::npos || name == std::string::npos) return {};
    constexpr std::size_t kOn = 4;
    return Store::key(event.substr(kind + kOn, name - kind - kOn), inputs_.space,
                      event.substr(name + 1));
  }

  void compare_calls(std::string_view what, std::vector<std::string> actual, const Value& result,
                     const std::string& where) {
    std::vector<std::string> wanted = texts_of(member(result, what));
    const auto form = what == "scale-calls" ? scale_call_of : call_of;
    std::ranges::transform(wanted, wanted.begin(), form);
    std::ranges::transform(actual, actual.begin(), form);
    std::ranges::sort(wanted);
    std::ranges::sort(actual);
    if (wanted == actual) return;
    const Object of_wanted = list_of(wanted);
    const Object of_actual = list_of(actual);
    record_difference(
        {.place = Place::kCalls,
         .key = std::string(what),
         .recorded = &of_wanted,
         .actual = &of_actual},
        where + std::string(what) + " must be " + joined(wanted) + "; found " + joined(actual));
  }

  void compare_status(const std::string& key, const Value& result, const std::string& where) {
    const Value& wanted = member(result, "status");
    const Object* const live = store_.find(key);
    if (live == nullptr) {
      if (text(wanted) == "object gone") return;
      return record_difference({.place = Place::kStatus, .key = key, .recorded = &wanted},
                               where + "status must stay, as " + key + " must; it is gone");
    }
    if (wanted.IsString()) return add_difference(where + key + " must be gone; found one");
    static const Value empty(rapidjson::kObjectType);
    const Value& actual = member(*live, "status");
    const Value& recorded = wanted.IsNull() ? empty : wanted;
    for (const Difference& each : differences_of(recorded, actual.IsNull() ? empty : actual)) {
      record_difference({.place = Place::kStatus,
                         .key = key,
                         .keys = each.keys,
                         .path = each.path,
                         .recorded = each.recorded,
                         .actual = each.actual,
                         .whole_recorded = &recorded,
                         .whole_actual = &actual},
                        where + "status." + each.line);
    }
  }

  // Repeated reconciles settle if the cluster state does not change.
  void check_quiet(const ControllerRow& row, std::string_view name, const std::string& where) {
    if (!row.settles) return;
    constexpr int kMaxPasses = 8;
    Store store = store_.copy();
    ReconcileInputs inputs{store, inputs_.flags, inputs_.space};
    ReconcileOutput last;
    for (int i = 0; i < kMaxPasses; ++i) {
      const std::size_t before = store.writes();
      last = row.reconcile(inputs, name);
      if (store.writes() == before && last.events.empty()) return;
    }
    add_difference(where + "the reconciles after it must end; the eighth still emitted " +
                   joined(last.events));
  }

  bool is_shown(const std::string& key) const {
    const Value& shown = member(golden_, "shown-kinds");
    if (!shown.IsArray()) return true;
    return std::ranges::any_of(shown.GetArray(), [&](const Value& wanted) {
      return text(wanted) == key || text(wanted) == kind_of(key);
    });
  }

  void compare_objects(const Value& recorded, const std::string& where) {
    std::set<std::string> expected;
    if (recorded.IsArray()) {
      for (const Value& object : recorded.GetArray()) {
        const std::string gone(text(member(object, "gone")));
        const std::string key = gone.empty() ? Store::key_of(object) : gone;
        expected.insert(key);
        compare_object(key, gone.empty() ? &object : nullptr, where);
      }
    }
    for (const std::string& key : store_.changed()) {
      if (expected.contains(key) || !is_shown(key) || foreign_keys_.contains(key)) continue;
      const Object* const actual = store_.find(key);
      static const Value nothing;
      if (key == self_ && actual != nullptr) {
        compare_self(nothing, *actual, where);
        continue;
      }
      const Object& stood = unlisted_.emplace_back(store_.marked(key));
      if (actual != nullptr && !stood.IsNull()) {
        compare_object(key, &stood, where);
        continue;
      }
      record_difference(
          {.place = Place::kObject,
           .key = key,
           .recorded = &nothing,
           .actual = actual == nullptr ? &nothing : actual,
           .whole_actual = actual},
          where + key +
              (actual == nullptr ? " must stay; it is gone"
                                 : " must not be made or changed; found " + text_of(*actual)));
    }
  }

  void compare_object(const std::string& key, const Value* recorded, const std::string& where) {
    const Object* const actual = store_.find(key);
    static const Value nothing;
    if (recorded == nullptr) {
      if (actual == nullptr) return;
      return record_difference({.place = Place::kObject,
                                .key = key,
                                .recorded = &nothing,
                                .actual = actual,
                                .whole_actual = actual},
                               where + key + " must be gone; found one");
    }
    if (!is_managed_kind(kind_of(key)) && key != self_ && actual == nullptr) {
      return add_unsupported("the kind " + std::string(kind_of(key)));
    }
    if (actual == nullptr) {
      return record_difference(
          {.place = Place::kObject, .key = key, .recorded = recorded, .actual = &nothing},
          where + key + " must be made; found none");
    }
    if (key == self_) return compare_self(*recorded, *actual, where);
    if (kind_of(key) == reconciler::kPodCliqueSets.kind) {
      recorded = &unlisted_.emplace_back(with_cliques_in_order(*recorded, *actual));
    }
    for (const Difference& each : differences_of(*recorded, *actual)) {
      record_difference({.place = Place::kObject,
                         .key = key,
                         .keys = each.keys,
                         .path = each.path,
                         .recorded = each.recorded,
                         .actual = each.actual,
                         .whole_recorded = recorded,
                         .whole_actual = actual},
                        where + key + " " + each.line);
    }
  }

  // Compares the reconciled object's metadata, and its spec if another client changes it. The
  // status is compared after each reconcile.
  void compare_self(const Value& recorded, const Object& actual, const std::string& where) {
    const Value& version = member(recorded, "apiVersion");
    if (!version.IsNull() && version != member(actual, "apiVersion")) {
      add_difference(where + self_ + " apiVersion must be " + text_of(version));
    }
    const Value& wanted = member(member(recorded, "metadata"), "finalizers");
    const Value& found = member(member(actual, "metadata"), "finalizers");
    // The case lists the object without unchanged fields.
    const Value& before = member(member(object_, "metadata"), "finalizers");
    if (wanted != found && !(wanted.IsNull() && before == found)) {
      record_difference(
          {.place = Place::kObject,
           .key = self_,
           .keys = {"metadata", "finalizers"},
           .recorded = &wanted,
           .actual = &found},
          where + self_ + " finalizers must be " + text_of(wanted) + "; found " + text_of(found));
    }
    const Value& going = at_keys(recorded, {"metadata", "deletionTimestamp"});
    const Value& goes = at_keys(actual, {"metadata", "deletionTimestamp"});
    if (!going.IsNull() && !differences_of(going, goes).empty()) {
      add_difference(where + self_ + " metadata.deletionTimestamp must be " + text_of(going) +
                     "; found " + text_of(goes));
    }
    const Value& spec = member(recorded, "spec");
    if (spec.IsNull()) return;
    for (const std::string& line : differences(spec, member(actual, "spec"))) {
      add_difference(where + self_ + " spec." + line);
    }
  }

  const Value& golden_;
  const Value& input_;
  const Object object_;
  Store store_;
  ReconcileInputs inputs_;
  const std::string self_;
  std::vector<std::string> reported_;
  std::set<std::string> foreign_keys_;  // objects changed by a step that no controller writes
  // --- Inputs of explanations.
  Object subject_;
  const Value* recorded_status_ = nullptr;
  RestartLag lag_;
  // By owner, then by key: the desired objects of its last reconcile.
  std::map<std::string, std::map<std::string, Object>> desired_;
  bool refuses_ = false;
  std::optional<ResultWithoutDeletion> without_deletion_;
  std::optional<Store> before_;            // the last reconcile
  std::map<std::string, Object> origins_;  // the objects as they were first seen
  std::list<Object> unlisted_;             // objects that the case does not list, as they were
  std::map<std::string, Object> departed_;
  std::map<std::string, Object> others_;  // what others wrote to each object
  std::map<std::string, Object> left_;    // the result of those writes
  std::map<std::string, bool> touched_;   // another client wrote the object or its owner since
  CaseResult case_result_;
};

}  // namespace

void set_outcome(CaseResult& case_result) {
  if (!case_result.differences.empty()) {
    case_result.outcome = Outcome::kFailing;
  } else if (!case_result.unsupported.empty()) {
    case_result.outcome = Outcome::kUnsupported;
  } else if (std::ranges::any_of(
                 allowed_differences(), [&case_result](const AllowedDifference& row) {
                   return !row.everywhere && case_result.allowed.contains(std::string(row.id));
                 })) {
    case_result.outcome = Outcome::kAllowedDifferences;
  }
}

CaseResult play(const Value& golden) {
  return CasePlayer(golden).run();
}

}  // namespace dynamo::cases
