#include "tests/controller_cases/case.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include "reconciler/children/kinds.hpp"
#include "tests/controller_cases/compare.hpp"
#include "tests/controller_cases/deliberate.hpp"
#include "tests/controller_cases/runner.hpp"
#include "tests/controller_cases/store.hpp"

namespace dynamo::cases {
namespace {

std::string_view kind_of(const std::string& key) {
  return std::string_view(key).substr(0, key.find('/'));
}

// A child of a controller, or what a controller of ours writes elsewhere.
bool is_made_by_us(std::string_view kind) {
  return reconciler::find_child_kind(kind) != nullptr;
}

std::vector<std::string> texts_of(const Value& list) {
  std::vector<std::string> texts;
  if (!list.IsArray()) return texts;
  for (const Value& element : list.GetArray()) texts.emplace_back(text(element));
  return texts;
}

// A call as a line, its body as JSON is written here.
std::string call_of(const std::string& line) {
  const std::size_t body = line.find(" {");
  if (body == std::string::npos) return line;
  return line.substr(0, body + 1) + text_of(parsed(line.substr(body + 1)));
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
        world_{store_, member(input_, "operator"),
               std::string(text(member(member(object_, "metadata"), "namespace")))},
        self_(Store::key_of(object_)) {
    if (!object_.IsObject()) throw std::runtime_error("must have an input.object");
  }

  Verdict run() {
    if (is_of_others()) {
      verdict_.outcome = Outcome::kNotYetOurs;
      return std::move(verdict_);
    }
    store_.put(copy_of(object_));
    const Value& cluster = member(input_, "cluster");
    if (cluster.IsArray()) {
      for (const Value& object : cluster.GetArray()) store_.put(copy_of(object));
    }
    store_.mark();
    play_steps();
    compare_objects(member(member(golden_, "output"), "objects"), "");
    settle(verdict_);
    return std::move(verdict_);
  }

 private:
  void not_yet(std::string what) {
    const auto found = std::ranges::find(verdict_.not_yet_ours, what);
    if (found == verdict_.not_yet_ours.end()) verdict_.not_yet_ours.push_back(std::move(what));
  }
  void say(std::string line) { verdict_.differences.push_back(std::move(line)); }

  // What differs, unless it is meant.
  void judge(Found found, const std::string& line) {
    const Object* const self = store_.find(self_);
    if (self != nullptr) found.status = &member(*self, "status");
    const Deliberate* const row = explanation_of(found);
    if (row == nullptr) return say(line);
    verdict_.deliberate.emplace(row->id);
  }

  bool is_of_others() {
    const std::string_view controller = text(member(golden_, "controller"));
    if (find_runner(controller) == nullptr) not_yet("the controller " + std::string(controller));
    const Value& annotations = member(member(object_, "metadata"), "annotations");
    const bool grove = member(world_.flags, "grove").IsTrue() &&
                       text(member(annotations, "nvidia.com/enable-grove")) != "false";
    if (controller == "dgd" && grove) not_yet("the objects of Grove");
    return !verdict_.not_yet_ours.empty();
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
      if (!member(step, "create").IsNull()) store_.put(copy_of(member(step, "create")));
      if (!member(step, "delete").IsNull()) store_.erase(key_in(member(step, "delete")));
      if (!member(step, "show").IsNull()) compare_objects(member(result, "objects"), where);
    }
  }

  std::string key_in(const Value& reference) const {
    const Value& metadata = member(reference, "metadata");
    const Value& name = metadata.IsNull() ? member(reference, "name") : member(metadata, "name");
    return Store::key(text(member(reference, "kind")), world_.space, text(name));
  }

  void patch(const Value& step) {
    const std::string key = key_in(step);
    if (!store_.patch(key, member(step, "with"))) {
      if (!is_made_by_us(kind_of(key))) return not_yet("the kind " + std::string(kind_of(key)));
      say("must have " + key + " to be patched; found none");
    }
    if (!is_made_by_us(kind_of(key))) of_others_.insert(key);
  }

  void reconcile(const Value& step, const Value& result, const std::string& where) {
    std::string_view controller = text(member(step, "controller"));
    if (controller.empty()) controller = text(member(golden_, "controller"));
    std::string_view name = text(member(step, "name"));
    if (name.empty()) name = text(member(member(object_, "metadata"), "name"));
    const RunnerRow* const runner = find_runner(controller);
    if (runner == nullptr) return not_yet("the controller " + std::string(controller));
    const std::string key = Store::key(runner->kind, world_.space, name);
    const Passed passed = runner->run(world_, name);
    if (!passed.not_ours.empty()) not_yet(passed.not_ours);
    if (runner->objects_only) return;
    compare_result(passed, result, where);
    compare_events(passed, result, *runner, where);
    compare_status(key, result, where);
    compare_calls("http-calls", passed.http_calls, result, where);
    compare_calls("etcd-deleted-prefixes", passed.etcd_prefixes, result, where);
    check_quiet(*runner, name, where);
  }

  void compare_result(const Passed& passed, const Value& result, const std::string& where) {
    const std::string_view wanted = text(member(result, "result"));
    if (wanted == passed.result) return;
    judge({.place = Place::kResult},
          where + "the pass must end as " + std::string(wanted) + "; it ended as " + passed.result);
  }

  void compare_events(const Passed& passed, const Value& result, const RunnerRow& runner,
                      const std::string& where) {
    Events events = expected_events(texts_of(member(result, "events")), passed.events, told_);
    if (events.differs) verdict_.deliberate.emplace(kEventsRow);
    std::vector<std::string> made = passed.events;
    told_.insert(told_.end(), made.begin(), made.end());
    if (!runner.ordered_events) {
      std::ranges::sort(events.expected);
      std::ranges::sort(made);
    }
    if (events.expected == made) return;
    judge({.place = Place::kEvents},
          where + "the events must be " + joined(events.expected) + "; found " + joined(made));
  }

  void compare_calls(std::string_view what, std::vector<std::string> made, const Value& result,
                     const std::string& where) {
    std::vector<std::string> wanted = texts_of(member(result, what));
    std::ranges::transform(wanted, wanted.begin(), call_of);
    std::ranges::transform(made, made.begin(), call_of);
    std::ranges::sort(wanted);
    std::ranges::sort(made);
    if (wanted == made) return;
    say(where + std::string(what) + " must be " + joined(wanted) + "; found " + joined(made));
  }

  void compare_status(const std::string& key, const Value& result, const std::string& where) {
    const Value& wanted = member(result, "status");
    const Object* const live = store_.find(key);
    if (live == nullptr) {
      if (text(wanted) != "object gone") say(where + key + " must stay; it is gone");
      return;
    }
    if (wanted.IsString()) return say(where + key + " must be gone; found one");
    static const Value empty(rapidjson::kObjectType);
    const Value& made = member(*live, "status");
    const Value& measured = wanted.IsNull() ? empty : wanted;
    for (const Difference& each : differences_of(measured, made.IsNull() ? empty : made)) {
      judge({.place = Place::kStatus,
             .key = key,
             .path = each.path,
             .measured = each.measured,
             .made = each.made,
             .whole_measured = &measured},
            where + "status." + each.line);
    }
  }

  // Whoever looks again and again comes to find nothing to do, in a world that stands still.
  void check_quiet(const RunnerRow& runner, std::string_view name, const std::string& where) {
    if (!runner.settles) return;
    constexpr int kMostPasses = 8;
    Store store = store_.copy();
    World world{store, world_.flags, world_.space};
    Passed last;
    for (int i = 0; i < kMostPasses; ++i) {
      const std::size_t before = store.writes();
      last = runner.run(world, name);
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
      if (key == self_ && made != nullptr) {
        compare_self(member(object_, "none"), *made, where);
        continue;
      }
      judge(
          {.place = Place::kObject, .key = key, .measured = &member(object_, "none"), .made = made},
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
      return judge({.place = Place::kObject, .key = key, .measured = &nothing, .made = made},
                   where + key + " must be gone; found one");
    }
    if (!is_made_by_us(kind_of(key)) && key != self_ && made == nullptr) {
      return not_yet("the kind " + std::string(kind_of(key)));
    }
    if (made == nullptr) {
      return judge({.place = Place::kObject, .key = key, .measured = measured, .made = &nothing},
                   where + key + " must be made; found none");
    }
    if (key == self_) return compare_self(*measured, *made, where);
    for (const Difference& each : differences_of(*measured, *made)) {
      judge({.place = Place::kObject,
             .key = key,
             .path = each.path,
             .measured = each.measured,
             .made = each.made,
             .whole_measured = measured,
             .intent = &store_.intent(key)},
            where + key + " " + each.line);
    }
  }

  // What is measured of the object itself is what has become of its metadata, and of its spec where
  // somebody changes it; the status is compared after each pass.
  void compare_self(const Value& measured, const Object& made, const std::string& where) {
    const RunnerRow* const runner = find_runner(text(member(golden_, "controller")));
    if (runner->objects_only) return;
    const Value& wanted = member(member(measured, "metadata"), "finalizers");
    const Value& found = member(member(made, "metadata"), "finalizers");
    if (wanted != found) {
      say(where + self_ + " finalizers must be " + text_of(wanted) + "; found " + text_of(found));
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
  World world_;
  const std::string self_;
  std::vector<std::string> told_;
  std::set<std::string> of_others_;  // what a step changed that no controller writes
  Verdict verdict_;
};

}  // namespace

void settle(Verdict& verdict) {
  if (!verdict.differences.empty()) {
    verdict.outcome = Outcome::kFailing;
  } else if (!verdict.not_yet_ours.empty()) {
    verdict.outcome = Outcome::kNotYetOurs;
  } else if (std::ranges::any_of(deliberate_differences(), [&verdict](const Deliberate& row) {
               return !row.everywhere && verdict.deliberate.contains(std::string(row.id));
             })) {
    verdict.outcome = Outcome::kDifferent;
  }
}

Verdict play(const Value& golden) {
  return Play(golden).run();
}

}  // namespace dynamo::cases
