#include "certs/managed/injector.hpp"

#include <algorithm>
#include <utility>

namespace dynamo::certs::managed {

Injector::Injector(const Surroundings& surroundings, View& view)
    : with_(surroundings),
      view_(view),
      bell_(surroundings.loop),
      trouble_("writing a caBundle", surroundings.logger) {}

kube::Task<> Injector::run() {
  bell_.ring();
  std::chrono::milliseconds at_most = with_.settings.tick;
  for (;;) {
    const bool goes_on = co_await bell_.wait(at_most);
    if (!goes_on) break;
    at_most = co_await step();
  }
}

kube::Task<std::chrono::milliseconds> Injector::step() {
  std::chrono::milliseconds at_most = with_.settings.tick;
  const std::optional<Content> content = view_.secret.decoded().content;
  // Without the reports nobody knows which old CA is still needed.
  if (!is_leader_ || !content || !view_.reports.synced() || !view_.targets_synced()) {
    co_return at_most;
  }
  const std::string wanted = join_bundle(view_.wanted_bundle(*content));
  std::vector<Target> due = differing(wanted);
  tidy(due);
  co_await write(std::move(due), wanted);
  for (const Record& record : records_) at_most = record.retry.wait(at_most);
  co_return at_most;
}

std::vector<Target> Injector::differing(const std::string& bundle_pem) const {
  std::vector<Target> found;
  for (const TargetStore& store : view_.targets) {
    for (const Target& target : store.targets()) {
      const bool differs = std::any_of(
          target.entries.begin(), target.entries.end(),
          [&bundle_pem](const TargetEntry& entry) { return entry.bundle_pem != bundle_pem; });
      if (differs) found.push_back(target);
    }
  }
  return found;
}

void Injector::tidy(const std::vector<Target>& due) {
  for (Record& record : records_) {
    const bool is_due = std::any_of(due.begin(), due.end(), [&record](const Target& target) {
      return target_name(target) == record.object;
    });
    if (!is_due) record.retry.succeeded();
  }
  const auto now = with_.clock.monotonic();
  std::erase_if(records_, [now](const Record& record) {
    return record.pace.is_over(now) && !record.retry.has_failed();
  });
}

kube::Task<> Injector::write(std::vector<Target> due, std::string bundle_pem) {
  bool none_skipped = true;
  for (Target& target : due) {
    if (!is_leader_) co_return;
    const std::string object = target_name(target);
    if (!may_write(record_of(object))) {
      none_skipped = false;
      continue;
    }
    const bool done = co_await apply(std::move(target), bundle_pem);
    Record& record = record_of(object);
    if (done) {
      record.retry.succeeded();
      record.pace.note_written(with_.clock.monotonic());
    } else {
      record.retry.failed();
      none_skipped = false;
    }
  }
  if (none_skipped) trouble_.succeeded();
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
  with_.logger.log(runtime::Level::kInfo, "caBundle written", {{"object", target_name(target)}});
  co_return true;
}

Injector::Record& Injector::record_of(const std::string& object) {
  const auto record =
      std::find_if(records_.begin(), records_.end(),
                   [&object](const Record& known) { return known.object == object; });
  if (record != records_.end()) return *record;
  const Settings& settings = with_.settings;
  return records_.emplace_back(
      Record{object, Retry(settings.first_pause, settings.longest_pause), Pace()});
}

bool Injector::may_write(Record& record) {
  if (record.retry.is_pausing()) return false;
  if (record.pace.may_write(with_.clock.monotonic())) return true;
  if (record.pace.is_news()) {
    with_.logger.log(runtime::Level::kWarning,
                     "somebody else keeps changing a caBundle; it is written again in a minute",
                     {{"object", record.object}});
  }
  return false;
}

}  // namespace dynamo::certs::managed
