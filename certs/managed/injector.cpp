#include "certs/managed/injector.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace dynamo::certs::managed {

Injector::Injector(const Dependencies& dependencies, View& view)
    : dependencies_(dependencies),
      view_(view),
      signals_{aio::Signal(dependencies.loop), aio::Signal(dependencies.loop)},
      failure_log_("writing a caBundle", dependencies.logger) {}

aio::Task<> Injector::run(Lane lane) {
  // run() may be called again after a defect.
  for (auto& [object, record] : records_) {
    if (record.lane == lane) record.is_in_flight = false;
  }
  signal(lane).ring();
  for (;;) {
    const bool goes_on = co_await signal(lane).wait(wait_limit(lane));
    if (!goes_on) break;
    co_await step(lane);
  }
}

std::chrono::milliseconds Injector::wait_limit(Lane lane) const {
  std::chrono::milliseconds at_most = dependencies_.settings.tick;
  if (!can_work()) return at_most;
  for (const auto& [object, record] : records_) {
    if (record.lane != lane) continue;
    at_most = record.retry.wait(at_most);
    // A refused version is tried again at that time.
    const auto left =
        record.tried + dependencies_.settings.longest_pause - std::chrono::steady_clock::now();
    if (!record.refused.empty() && left > left.zero()) {
      at_most = std::min(at_most, std::chrono::ceil<std::chrono::milliseconds>(left));
    }
  }
  return at_most;
}

// Without the reports it is unknown which old CAs are still needed.
bool Injector::can_work() const {
  return is_leader_ && view_.secret.decoded().content && view_.knows_reports() &&
         view_.are_targets_synced();
}

aio::Task<> Injector::step(Lane lane) {
  for (std::optional<PendingWrite> due = next(lane); due; due = next(lane)) {
    const InjectionTarget target = due->target;
    const std::string object = target_name(target);
    // remove_stale_records() keeps a record that is in flight.
    Record& record = records_.try_emplace(object, dependencies_.settings).first->second;
    record.is_in_flight = true;
    record.tried = std::chrono::steady_clock::now();
    const Outcome outcome = co_await write(lane, *std::move(due), record);
    record.is_in_flight = false;
    if (outcome == Outcome::kCancelled) co_return;
    note(record, outcome, target);
  }
  const bool all_well = std::none_of(records_.begin(), records_.end(), [](const auto& each) {
    return each.second.retry.has_failed();
  });
  if (all_well && can_work()) failure_log_.succeeded();
}

void Injector::note(Record& record, Outcome outcome, const InjectionTarget& written) {
  if (outcome == Outcome::kDone) {
    record.retry.succeeded();
    record.rate_limit.note_written(dependencies_.clock.monotonic());
    record.overwritten = written.resource_version;
    record.refused.clear();
  } else {
    record.retry.failed();
  }
  record.lane = outcome == Outcome::kUnanswered ? Lane::kSlow : Lane::kPrompt;
  signal(record.lane).ring();
}

std::optional<Injector::PendingWrite> Injector::next(Lane lane) {
  if (!can_work()) return std::nullopt;
  std::string bundle = join_bundle(view_.wanted_bundle(*view_.secret.decoded().content));
  const std::vector<const InjectionTarget*> due = differing(bundle);
  remove_stale_records(due);
  const InjectionTarget* first = nullptr;
  std::chrono::steady_clock::time_point first_tried;
  for (const InjectionTarget* const target : due) {
    Record& record =
        records_.try_emplace(target_name(*target), dependencies_.settings).first->second;
    if (record.lane != lane || record.is_in_flight || !can_write(record, *target)) continue;
    if (first != nullptr && record.tried >= first_tried) continue;
    first = target;
    first_tried = record.tried;
  }
  if (first == nullptr) return std::nullopt;
  return PendingWrite{*first, std::move(bundle)};
}

std::vector<const InjectionTarget*> Injector::differing(const std::string& bundle_pem) const {
  std::vector<const InjectionTarget*> found;
  for (const TargetStore& store : view_.targets) {
    for (const InjectionTarget& target : store.targets()) {
      const bool differs = std::any_of(
          target.entries.begin(), target.entries.end(),
          [&bundle_pem](const TargetEntry& entry) { return entry.bundle_pem != bundle_pem; });
      if (differs) found.push_back(&target);
    }
  }
  return found;
}

void Injector::remove_stale_records(const std::vector<const InjectionTarget*>& due) {
  std::vector<std::string> names;
  names.reserve(due.size());
  for (const InjectionTarget* const target : due) names.push_back(target_name(*target));
  std::sort(names.begin(), names.end());
  const auto now = dependencies_.clock.monotonic();
  for (auto each = records_.begin(); each != records_.end();) {
    auto& [object, record] = *each;
    const bool is_due = std::binary_search(names.begin(), names.end(), object);
    if (!is_due && !record.is_in_flight) {
      record.retry.succeeded();
      record.lane = Lane::kPrompt;
    }
    const bool is_over = !is_due && !record.is_in_flight && record.rate_limit.is_over(now);
    each = is_over ? records_.erase(each) : std::next(each);
  }
}

aio::Task<Injector::Outcome> Injector::write(Lane lane, PendingWrite due, Record& record) {
  kube::WriteOptions options;
  options.field_manager = kInjectorManager;
  const std::string object = target_name(due.target);
  std::string body = patch_body(due.target, due.bundle_pem, dependencies_.settings);
  kube::Client client = lane == Lane::kPrompt
                            ? dependencies_.client.with_deadline(dependencies_.settings.patience)
                            : dependencies_.client;
  const auto written = co_await client.patch(due.target.resource, {}, due.target.name,
                                             kube::PatchType::kJson, std::move(body), options);
  if (!written && written.error().failure == kube::FailureKind::kCancelled) {
    co_return Outcome::kCancelled;
  }
  const auto outcome = written ? InjectionResult::kApplied : InjectionResult::kFailed;
  dependencies_.stats.injections[static_cast<std::size_t>(outcome)].fetch_add(
      1, std::memory_order_relaxed);
  if (!written) {
    // The object was changed, deleted or recreated in between, and the informer will deliver that.
    // Invalid may have the same cause; a permanent one is reported when the same version is refused
    // again.
    const bool is_invalid = written.error().is("Invalid");
    const bool can_be_stale =
        is_invalid || written.error().is("NotFound") || written.error().is("Conflict");
    const std::string& version = due.target.resource_version;
    const bool is_new = can_be_stale && std::exchange(record.refused, version) != version;
    const bool has_changed = is_invalid ? is_new : can_be_stale;
    if (!has_changed) failure_log_.failed(written.error().text);
    co_return written.error().failure == kube::FailureKind::kDeadline ? Outcome::kUnanswered
                                                                      : Outcome::kRefused;
  }
  dependencies_.logger.log(runtime::Level::kInfo, "caBundle written", {{"object", object}});
  co_return Outcome::kDone;
}

bool Injector::can_write(Record& record, const InjectionTarget& target) {
  if (record.retry.is_pausing()) return false;
  // Skip while the watch has not delivered our own write, or the change that caused a refusal. If
  // that takes too long, write again.
  const std::string& version = target.resource_version;
  const bool is_behind = record.overwritten == version || record.refused == version;
  const auto since = std::chrono::steady_clock::now() - record.tried;
  if (is_behind && since < dependencies_.settings.longest_pause) return false;
  if (record.rate_limit.can_write(dependencies_.clock.monotonic())) return true;
  if (record.rate_limit.should_log()) {
    dependencies_.logger.log(
        runtime::Level::kWarning,
        "another client keeps changing a caBundle; it is written again in a minute",
        {{"object", target_name(target)}});
  }
  return false;
}

}  // namespace dynamo::certs::managed
