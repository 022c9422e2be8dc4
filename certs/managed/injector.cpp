#include "certs/managed/injector.hpp"

#include <algorithm>
#include <utility>

#include "kube/pause.hpp"

namespace dynamo::certs::managed {
namespace {

// Ten writes of one object in a minute are a quarrel, which nobody wins by writing faster.
constexpr unsigned kMaxWrites = 10;
constexpr std::chrono::minutes kWindow{1};

}  // namespace

Injector::Injector(const Surroundings& surroundings, View& view)
    : with_(surroundings),
      view_(view),
      bell_(surroundings.loop),
      backoff_(surroundings.settings.first_pause, surroundings.settings.longest_pause),
      trouble_("writing a caBundle", surroundings.logger) {}

kube::Task<> Injector::run() {
  bell_.ring();
  for (;;) {
    const bool goes_on = co_await bell_.wait(with_.settings.tick);
    if (!goes_on) break;
    const bool done = co_await step();
    if (done) {
      backoff_.succeeded();
      continue;
    }
    const bool waited = co_await kube::pause(backoff_.failed());
    if (!waited) break;
  }
}

kube::Task<bool> Injector::step() {
  const std::optional<Content> content = view_.secret.decoded().content;
  // Without the reports nobody knows which old CA is still needed.
  if (!is_leader_ || !content || !view_.reports.synced() || !view_.targets_synced()) co_return true;
  const std::string wanted = join_bundle(view_.wanted_bundle(*content));
  std::vector<Target> due;
  for (const TargetStore& store : view_.targets) {
    for (const Target& target : store.targets()) {
      const bool differs =
          std::any_of(target.entries.begin(), target.entries.end(),
                      [&wanted](const TargetEntry& entry) { return entry.bundle_pem != wanted; });
      if (differs) due.push_back(target);
    }
  }
  std::erase_if(
      paces_, [this](const Pace& pace) { return with_.clock.monotonic() - pace.window > kWindow; });
  bool none_failed = true;
  bool none_skipped = true;
  for (Target& target : due) {
    if (!is_leader_) co_return true;
    if (!may_write(target_name(target))) {
      none_skipped = false;
      continue;
    }
    const bool done = co_await apply(std::move(target), wanted);
    none_failed = none_failed && done;
  }
  if (none_failed && none_skipped) trouble_.succeeded();
  co_return none_failed;
}

kube::Task<bool> Injector::apply(Target target, std::string bundle_pem) {
  kube::WriteOptions options;
  options.field_manager = kInjectorManager;
  options.force = true;
  std::string body = apply_body(target, bundle_pem);
  const auto applied = co_await with_.client.patch(
      target.resource, {}, target.name, kube::PatchType::kApply, std::move(body), options);
  const auto outcome = applied ? Injection::kApplied : Injection::kFailed;
  with_.figures.injections[static_cast<std::size_t>(outcome)].fetch_add(1,
                                                                        std::memory_order_relaxed);
  if (!applied) {
    // Gone or made anew in between: the informer brings it.
    const bool has_changed = applied.error().is("NotFound") || applied.error().is("Conflict");
    if (!has_changed) trouble_.failed(applied.error().text);
    co_return false;
  }
  note_written(target_name(target));
  with_.logger.log(runtime::Level::kInfo, "caBundle written", {{"object", target_name(target)}});
  co_return true;
}

Injector::Pace* Injector::find(const std::string& object) {
  const auto pace = std::find_if(paces_.begin(), paces_.end(),
                                 [&object](const Pace& known) { return known.object == object; });
  return pace == paces_.end() ? nullptr : &*pace;
}

bool Injector::may_write(const std::string& object) {
  Pace* const pace = find(object);
  if (pace == nullptr || pace->writes < kMaxWrites) return true;
  if (!std::exchange(pace->is_told, true)) {
    with_.logger.log(runtime::Level::kWarning,
                     "somebody else keeps changing a caBundle; it is written again in a minute",
                     {{"object", object}});
  }
  return false;
}

void Injector::note_written(const std::string& object) {
  if (Pace* const pace = find(object)) {
    ++pace->writes;
  } else {
    paces_.push_back({object, with_.clock.monotonic(), 1, false});
  }
}

}  // namespace dynamo::certs::managed
