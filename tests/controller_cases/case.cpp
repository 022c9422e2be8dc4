#include "tests/controller_cases/case.hpp"

#include <algorithm>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "reconciler/desired/kinds.hpp"
#include "tests/controller_cases/compare.hpp"
#include "tests/controller_cases/deliberate.hpp"
#include "tests/controller_cases/operator.hpp"
#include "tests/controller_cases/runner.hpp"
#include "tests/controller_cases/store.hpp"

namespace dynamo::cases {
namespace {

std::string_view kind_of(const std::string& key) {
  return std::string_view(key).substr(0, key.find('/'));
}

// An owned object of a controller, or another kind that our controllers write.
bool is_made_by_us(std::string_view kind) {
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

class Play {
 public:
  explicit Play(const Value& golden)
      : golden_(golden),
        input_(member(golden, "input")),
        object_(copy_of(member(input_, "object"))),
        inputs_{store_, member(input_, "operator"),
                std::string(text(member(member(object_, "metadata"), "namespace")))},
        self_(Store::key_of(object_)) {
    if (!object_.IsObject()) throw std::runtime_error("must have an input.object");
  }

  CaseResult run() {
    if (is_of_others()) {
      case_result_.outcome = Outcome::kNotYetOurs;
      return std::move(case_result_);
    }
    store_.put(copy_of(object_));
    reported_ = events_reported_by(object_);
    const Value& cluster = member(input_, "cluster");
    if (cluster.IsArray()) {
      for (const Value& object : cluster.GetArray()) put(object);
    }
    store_.mark();
    note_what_stands();
    play_steps();
    compare_objects(member(member(golden_, "output"), "objects"), "");
    settle(case_result_);
    return std::move(case_result_);
  }

 private:
  void not_yet(std::string what) {
    const auto found = std::ranges::find(case_result_.not_yet_ours, what);
    if (found == case_result_.not_yet_ours.end())
      case_result_.not_yet_ours.push_back(std::move(what));
  }
  void say(std::string line) { case_result_.differences.push_back(std::move(line)); }

  // Records a difference unless it is deliberate.
  bool is_meant(Found found) {
    found.self = self_;
    found.subject = &subject_;
    found.status = &member(subject_, "status");
    found.measured_status = measured_status_;
    found.flags = &inputs_.flags;
    found.lag = lag_;
    found.refuses = refuses_;
    if (unhindered_) found.unhindered = &*unhindered_;
    for (const auto& [key, object] : store_.objects()) found.standing.push_back(&object);
    if (found.place == Place::kObject || found.place == Place::kStatus) describe(found);
    const Deliberate* const row = explanation_of(found);
    if (row == nullptr) return false;
    case_result_.deliberate.emplace(row->id);
    return true;
  }
  void record_difference(Found found, const std::string& line) {
    std::string place = line.substr(0, line.find(" must "));
    if (!found.path.empty()) place = line.substr(0, line.find(found.path) + found.path.size());
    if (!is_meant(std::move(found))) return say(line);
    case_result_.excused.insert(std::move(place));
  }

  // Adds the history of the object.
  void describe(Found& found) const {
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
    found.wanted = wanted(found.key);
    const auto touched = touched_.find(found.key);
    found.asked_anew = touched != touched_.end() && touched->second;
  }

  const Value* wanted(const std::string& key) const {
    for (const auto& [owner, objects] : wanted_) {
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
  void note_what_stands() {
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

  bool is_of_others() {
    const std::string_view controller = text(member(golden_, "controller"));
    if (find_runner(controller) == nullptr) not_yet("the controller " + std::string(controller));
    if (controller == "dgd" && runs_by_grove(inputs_.flags, object_)) {
      not_yet("the objects of Grove");
    }
    return !case_result_.not_yet_ours.empty();
  }

  void put(const Value& object) {
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
      note_what_stands();
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
      if (!is_made_by_us(kind_of(key))) return not_yet("the kind " + std::string(kind_of(key)));
      // The upstream result has it.
      const Value* const there = wanted(key);
      record_difference({.place = Place::kObject,
                         .key = key,
                         .measured = there == nullptr ? &member(step, "with") : there},
                        "must have " + key + " to be patched; found none");
    }
    if (!is_made_by_us(kind_of(key))) of_others_.insert(key);
    note_others(key, member(step, "with"));
  }

  void reconcile(const Value& step, const Value& result, const std::string& where) {
    std::string_view controller = text(member(step, "controller"));
    if (controller.empty()) controller = text(member(golden_, "controller"));
    std::string_view name = text(member(step, "name"));
    if (name.empty()) name = text(member(member(object_, "metadata"), "name"));
    const RunnerRow* const runner = find_runner(controller);
    if (runner == nullptr) return not_yet("the controller " + std::string(controller));
    const std::string key = Store::key(runner->kind, inputs_.space, name);
    before_ = store_.copy();
    if (key == self_) run_unhindered(*runner, name);
    Passed passed = runner->run(inputs_, name);
    if (key == self_) note_lag();
    if (key == self_) measured_status_ = &member(result, "status");
    wanted_[key] = std::move(passed.wanted);
    if (key == self_) refuses_ = passed.refuses;
    note_what_stands();
    if (!passed.not_ours.empty()) not_yet(passed.not_ours);
    if (runner->objects_only) return;
    compare_result(passed, result, where);
    compare_events(passed, result, *runner, where);
    compare_status(key, result, where);
    if (key == self_) forget_lag();
    compare_calls("http-calls", passed.http_calls, result, where);
    compare_calls("etcd-deleted-prefixes", passed.etcd_prefixes, result, where);
    check_quiet(*runner, name, where);
  }

  void run_unhindered(const RunnerRow& runner, std::string_view name) {
    unhindered_.reset();
    const Object* const self = store_.find(self_);
    if (self == nullptr || at_keys(*self, {"metadata", "deletionTimestamp"}).IsNull()) return;
    Store store = store_.copy();
    store.patch(self_, parsed(R"({"metadata":{"deletionTimestamp":null}})"));
    ReconcileInputs inputs{store, inputs_.flags, inputs_.space};
    Passed passed = runner.run(inputs, name);
    std::ranges::transform(passed.http_calls, passed.http_calls.begin(), call_of);
    unhindered_ = {.result = std::move(passed.result),
                   .events = std::move(passed.events),
                   .calls = std::move(passed.http_calls),
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
    const bool was_wiped = measured_status_ != nullptr &&
                           text(member(*measured_status_, "state")) == "failed" &&
                           member(*measured_status_, "restart").IsNull();
    if (was_wiped && !restart.IsNull()) lag_.is_forgotten = true;
    for (const std::string& service : texts_of(member(restart, "inProgress"))) {
      if (at_keys(subject_, {"spec", "services", service}).IsNull()) lag_.gone.push_back(service);
    }
  }

  // Called where both statuses agree again.
  void forget_lag() {
    const Value& made = at_keys(subject_, {"status", "restart"});
    if (measured_status_ == nullptr) return;
    if (differences_of(member(*measured_status_, "restart"), made).empty()) lag_ = {};
  }

  void compare_result(const Passed& passed, const Value& result, const std::string& where) {
    const std::string_view wanted = text(member(result, "result"));
    if (wanted == passed.result) return;
    const Value made(passed.result.data(), static_cast<rapidjson::SizeType>(passed.result.size()));
    record_difference(
        {.place = Place::kResult, .measured = &member(result, "result"), .made = &made},
        where + "the pass must end as " + std::string(wanted) + "; it ended as " + passed.result);
  }

  void compare_events(const Passed& passed, const Value& result, const RunnerRow& runner,
                      const std::string& where) {
    Events events = expected_events(texts_of(member(result, "events")), passed.events, reported_);
    if (events.differs) case_result_.deliberate.emplace(kEventsRow);
    std::vector<std::string> made = passed.events;
    reported_.insert(reported_.end(), made.begin(), made.end());
    if (!runner.ordered_events) {
      std::ranges::sort(events.expected);
      std::ranges::sort(made);
    }
    if (events.expected == made) return;
    const std::vector<std::string> wanted = events.expected;
    const std::vector<std::string> found = made;
    leave_out_meant(events.expected, found, true);
    leave_out_meant(made, wanted, false);
    // Excused, because --spoil cannot detect a change of an event that is left out.
    if (events.expected.size() < wanted.size()) case_result_.excused.insert(where + "events");
    if (events.expected == made) return;
    say(where + "the events must be " + joined(wanted) + "; found " + joined(found));
  }

  // Removes the events that only one side has on purpose.
  void leave_out_meant(std::vector<std::string>& events, std::vector<std::string> others,
                       bool measured) {
    std::erase_if(events, [&](const std::string& event) {
      const auto there = std::ranges::find(others, event);
      if (there != others.end()) {
        others.erase(there);
        return false;
      }
      const Value line(event.data(), static_cast<rapidjson::SizeType>(event.size()));
      Found found{.place = Place::kEvent, .key = event};
      (measured ? found.measured : found.made) = &line;
      const Object* const object = store_.find(key_in_event(event));
      found.whole_made = object;
      if (before_) found.before = before_->find(key_in_event(event));
      found.wanted = wanted(key_in_event(event));
      return is_meant(std::move(found));
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

  void compare_calls(std::string_view what, std::vector<std::string> made, const Value& result,
                     const std::string& where) {
    std::vector<std::string> wanted = texts_of(member(result, what));
    std::ranges::transform(wanted, wanted.begin(), call_of);
    std::ranges::transform(made, made.begin(), call_of);
    std::ranges::sort(wanted);
    std::ranges::sort(made);
    if (wanted == made) return;
    const Object of_wanted = list_of(wanted);
    const Object of_made = list_of(made);
    record_difference(
        {.place = Place::kCalls,
         .key = std::string(what),
         .measured = &of_wanted,
         .made = &of_made},
        where + std::string(what) + " must be " + joined(wanted) + "; found " + joined(made));
  }

  void compare_status(const std::string& key, const Value& result, const std::string& where) {
    const Value& wanted = member(result, "status");
    const Object* const live = store_.find(key);
    if (live == nullptr) {
      if (text(wanted) == "object gone") return;
      return record_difference({.place = Place::kStatus, .key = key, .measured = &wanted},
                               where + "status must stay, as " + key + " must; it is gone");
    }
    if (wanted.IsString()) return say(where + key + " must be gone; found one");
    static const Value empty(rapidjson::kObjectType);
    const Value& made = member(*live, "status");
    const Value& measured = wanted.IsNull() ? empty : wanted;
    for (const Difference& each : differences_of(measured, made.IsNull() ? empty : made)) {
      record_difference({.place = Place::kStatus,
                         .key = key,
                         .keys = each.keys,
                         .path = each.path,
                         .measured = each.measured,
                         .made = each.made,
                         .whole_measured = &measured,
                         .whole_made = &made},
                        where + "status." + each.line);
    }
  }

  // Repeated reconciles settle if the cluster state does not change.
  void check_quiet(const RunnerRow& runner, std::string_view name, const std::string& where) {
    if (!runner.settles) return;
    constexpr int kMostPasses = 8;
    Store store = store_.copy();
    ReconcileInputs inputs{store, inputs_.flags, inputs_.space};
    Passed last;
    for (int i = 0; i < kMostPasses; ++i) {
      const std::size_t before = store.writes();
      last = runner.run(inputs, name);
      if (store.writes() == before && last.events.empty()) return;
    }
    say(where + "the passes after it must come to an end; the eighth still told " +
        joined(last.events));
  }

  bool is_shown(const std::string& key) const {
    const Value& shown = member(golden_, "shown-kinds");
    if (!shown.IsArray()) return true;
    return std::ranges::any_of(shown.GetArray(), [&](const Value& wanted) {
      return text(wanted) == key || text(wanted) == kind_of(key);
    });
  }

  void compare_objects(const Value& measured, const std::string& where) {
    std::set<std::string> expected;
    if (measured.IsArray()) {
      for (const Value& object : measured.GetArray()) {
        const std::string gone(text(member(object, "gone")));
        const std::string key = gone.empty() ? Store::key_of(object) : gone;
        expected.insert(key);
        compare_object(key, gone.empty() ? &object : nullptr, where);
      }
    }
    for (const std::string& key : store_.changed()) {
      if (expected.contains(key) || !is_shown(key) || of_others_.contains(key)) continue;
      const Object* const made = store_.find(key);
      static const Value nothing;
      if (key == self_ && made != nullptr) {
        compare_self(nothing, *made, where);
        continue;
      }
      const Object& stood = unlisted_.emplace_back(store_.marked(key));
      if (made != nullptr && !stood.IsNull()) {
        compare_object(key, &stood, where);
        continue;
      }
      record_difference(
          {.place = Place::kObject,
           .key = key,
           .measured = &nothing,
           .made = made == nullptr ? &nothing : made,
           .whole_made = made},
          where + key +
              (made == nullptr ? " must stay; it is gone"
                               : " must not be made or changed; found " + text_of(*made)));
    }
  }

  void compare_object(const std::string& key, const Value* measured, const std::string& where) {
    const Object* const made = store_.find(key);
    static const Value nothing;
    if (measured == nullptr) {
      if (made == nullptr) return;
      return record_difference({.place = Place::kObject,
                                .key = key,
                                .measured = &nothing,
                                .made = made,
                                .whole_made = made},
                               where + key + " must be gone; found one");
    }
    if (!is_made_by_us(kind_of(key)) && key != self_ && made == nullptr) {
      return not_yet("the kind " + std::string(kind_of(key)));
    }
    if (made == nullptr) {
      return record_difference(
          {.place = Place::kObject, .key = key, .measured = measured, .made = &nothing},
          where + key + " must be made; found none");
    }
    if (key == self_) return compare_self(*measured, *made, where);
    for (const Difference& each : differences_of(*measured, *made)) {
      record_difference({.place = Place::kObject,
                         .key = key,
                         .keys = each.keys,
                         .path = each.path,
                         .measured = each.measured,
                         .made = each.made,
                         .whole_measured = measured,
                         .whole_made = made},
                        where + key + " " + each.line);
    }
  }

  // Compares the reconciled object's metadata, and its spec if another client changes it. The
  // status is compared after each reconcile.
  void compare_self(const Value& measured, const Object& made, const std::string& where) {
    const RunnerRow* const runner = find_runner(text(member(golden_, "controller")));
    if (runner->objects_only) return;
    const Value& version = member(measured, "apiVersion");
    if (!version.IsNull() && version != member(made, "apiVersion")) {
      say(where + self_ + " apiVersion must be " + text_of(version));
    }
    const Value& wanted = member(member(measured, "metadata"), "finalizers");
    const Value& found = member(member(made, "metadata"), "finalizers");
    // The case lists the object without unchanged fields.
    const Value& before = member(member(object_, "metadata"), "finalizers");
    if (wanted != found && !(wanted.IsNull() && before == found)) {
      record_difference(
          {.place = Place::kObject,
           .key = self_,
           .keys = {"metadata", "finalizers"},
           .measured = &wanted,
           .made = &found},
          where + self_ + " finalizers must be " + text_of(wanted) + "; found " + text_of(found));
    }
    const Value& going = at_keys(measured, {"metadata", "deletionTimestamp"});
    const Value& goes = at_keys(made, {"metadata", "deletionTimestamp"});
    if (!going.IsNull() && !differences_of(going, goes).empty()) {
      say(where + self_ + " metadata.deletionTimestamp must be " + text_of(going) + "; found " +
          text_of(goes));
    }
    const Value& spec = member(measured, "spec");
    if (spec.IsNull()) return;
    for (const std::string& line : differences(spec, member(made, "spec"))) {
      say(where + self_ + " spec." + line);
    }
  }

  const Value& golden_;
  const Value& input_;
  const Object object_;
  Store store_;
  ReconcileInputs inputs_;
  const std::string self_;
  std::vector<std::string> reported_;
  std::set<std::string> of_others_;  // objects changed by a step that no controller writes
  // --- Inputs of explanations.
  Object subject_;
  const Value* measured_status_ = nullptr;
  RestartLag lag_;
  // By owner, then by key: the desired objects of its last reconcile.
  std::map<std::string, std::map<std::string, Object>> wanted_;
  bool refuses_ = false;
  std::optional<Unhindered> unhindered_;
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

void settle(CaseResult& case_result) {
  if (!case_result.differences.empty()) {
    case_result.outcome = Outcome::kFailing;
  } else if (!case_result.not_yet_ours.empty()) {
    case_result.outcome = Outcome::kNotYetOurs;
  } else if (std::ranges::any_of(deliberate_differences(), [&case_result](const Deliberate& row) {
               return !row.everywhere && case_result.deliberate.contains(std::string(row.id));
             })) {
    case_result.outcome = Outcome::kDifferent;
  }
}

CaseResult play(const Value& golden) {
  return Play(golden).run();
}

}  // namespace dynamo::cases
