#include "kube/controller/work_queue.hpp"

#include <algorithm>

#include "aio/backoff.hpp"

namespace dynamo::kube {

WorkQueue::WorkQueue(const WorkQueueOptions& options, std::uint64_t seed)
    : options_(options), random_(static_cast<std::minstd_rand::result_type>(seed)) {}

WorkQueue::AddResult WorkQueue::add(const ObjectKey& key, Priority priority, Time not_before) {
  if (is_stopped_) return AddResult::kStopped;
  const auto found = items_.find(key);
  if (found != items_.end() && found->second.state != State::kIdle) {
    ++adds_;
    if (found->second.state != State::kRunning) found->second.is_timer_wakeup = false;
    merge(found->second, priority, not_before);
    return AddResult::kMerged;
  }
  if (size() >= options_.max_keys) {
    ++refused_;
    was_full_ = true;
    return AddResult::kFull;
  }
  ++adds_;
  const auto place = items_.try_emplace(key).first;
  Item& item = place->second;
  item.key = &place->first;
  item.is_timer_wakeup = false;
  queue(item, priority, not_before);
  return AddResult::kNew;
}

void WorkQueue::merge(Item& item, Priority priority, Time at) {
  if (item.state == State::kRunning) {
    item.requeue_priority = item.is_dirty ? std::min(item.requeue_priority, priority) : priority;
    item.requeue_at = item.is_dirty ? std::min(item.requeue_at, at) : at;
    item.is_dirty = true;
    return;
  }
  const Priority higher = std::min(item.priority, priority);
  if (item.state == State::kReady) {
    item.priority = higher;
    const auto lane = static_cast<std::size_t>(higher);
    if (lane >= item.lane) return;
    const Time since = item.in_lane_since;
    leave(item);
    enter(item, lane, since);
    return;
  }
  waiting_.erase(item.in_waiting);
  queue(item, higher, std::min(item.due, at));
}

void WorkQueue::queue(Item& item, Priority priority, Time at) {
  item.state = State::kWaiting;
  item.priority = priority;
  item.due = std::max(at, item.earliest_start);
  item.in_waiting = waiting_.emplace(item.due, &item);
}

void WorkQueue::enter(Item& item, std::size_t lane, Time since) {
  Lane& into = lanes_[lane];
  const auto [place, is_new] = into.by_namespace.try_emplace(item.key->namespace_name);
  NamespaceQueue& space = place->second;
  if (is_new) space.turn = into.round_robin.insert(into.round_robin.end(), &space);
  item.lane = lane;
  // Keeps by_age sorted: ageing starts at its front.
  const Time youngest = into.by_age.empty() ? since : into.by_age.back()->in_lane_since;
  item.in_lane_since = std::max(since, youngest);
  item.in_namespace = space.items.insert(space.items.end(), &item);
  item.in_age = into.by_age.insert(into.by_age.end(), &item);
}

void WorkQueue::leave(Item& item) {
  Lane& lane = lanes_[item.lane];
  const auto place = lane.by_namespace.find(item.key->namespace_name);
  NamespaceQueue& space = place->second;
  space.items.erase(item.in_namespace);
  lane.by_age.erase(item.in_age);
  if (!space.items.empty()) return;
  lane.round_robin.erase(space.turn);
  lane.by_namespace.erase(place);
}

void WorkQueue::make_ready(Time now) {
  while (!waiting_.empty() && waiting_.begin()->first <= now) {
    Item& item = *waiting_.begin()->second;
    waiting_.erase(waiting_.begin());
    item.state = State::kReady;
    ++ready_;
    enter(item, static_cast<std::size_t>(item.priority), now);
  }
}

void WorkQueue::promote_aged(Time now) {
  for (std::size_t lane = kPriorities - 1; lane > 0; --lane) {
    Items& by_age = lanes_[lane].by_age;
    while (!by_age.empty() && now - by_age.front()->in_lane_since >= options_.ageing) {
      Item& item = *by_age.front();
      const Time since = item.in_lane_since + options_.ageing;
      leave(item);
      enter(item, lane - 1, since);
    }
  }
}

bool WorkQueue::can_run(const ObjectKey& key) const {
  if (options_.max_running_per_namespace == 0) return true;
  const auto found = running_in_.find(key.namespace_name);
  return found == running_in_.end() || found->second < options_.max_running_per_namespace;
}

std::list<WorkQueue::NamespaceQueue*>::const_iterator WorkQueue::next_runnable(
    const Lane& lane) const {
  return std::ranges::find_if(lane.round_robin, [this](const NamespaceQueue* space) {
    return can_run(*space->items.front()->key);
  });
}

std::optional<WorkQueue::WorkItem> WorkQueue::take(Time now) {
  if (is_stopped_) return std::nullopt;
  forget_cooled_down(now);
  make_ready(now);
  promote_aged(now);
  for (Lane& lane : lanes_) {
    const auto turn = next_runnable(lane);
    if (turn == lane.round_robin.end()) continue;
    NamespaceQueue& space = **turn;
    Item& item = *space.items.front();
    lane.round_robin.splice(lane.round_robin.end(), lane.round_robin, turn);
    leave(item);
    --ready_;
    ++running_;
    if (options_.max_running_per_namespace > 0) ++running_in_[item.key->namespace_name];
    item.state = State::kRunning;
    item.taken_at = now;
    item.is_dirty = false;
    ++taken_times_[now];
    return WorkItem{.key = *item.key,
                    .priority = item.priority,
                    .failures = item.failures,
                    .waited = now - item.due};
  }
  return std::nullopt;
}

WorkQueue::Item* WorkQueue::running(const ObjectKey& key) {
  const auto found = items_.find(key);
  if (found == items_.end() || found->second.state != State::kRunning) return nullptr;
  return &found->second;
}

bool WorkQueue::is_running(const ObjectKey& key) const {
  const auto found = items_.find(key);
  return found != items_.end() && found->second.state == State::kRunning;
}

bool WorkQueue::is_timer_wakeup(const ObjectKey& key) const {
  return is_running(key) && items_.find(key)->second.is_timer_wakeup;
}

void WorkQueue::end_reconcile(Item& item, Time now) {
  --running_;
  const auto running_in = running_in_.find(item.key->namespace_name);
  if (running_in != running_in_.end() && --running_in->second == 0) running_in_.erase(running_in);
  const auto taken = taken_times_.find(item.taken_at);
  if (--taken->second == 0) taken_times_.erase(taken);
  item.earliest_start = now + options_.min_interval;
  item.state = State::kIdle;
  if (item.is_dirty) {
    item.is_dirty = false;
    queue(item, item.requeue_priority, item.requeue_at);
  } else {
    cooling_down_.emplace_back(item.earliest_start, *item.key);
  }
}

bool WorkQueue::done(const ObjectKey& key, Time now) {
  Item* const item = running(key);
  if (item == nullptr) return false;
  item->failures = 0;
  item->is_timer_wakeup = false;
  end_reconcile(*item, now);
  return true;
}

bool WorkQueue::wait(const ObjectKey& key, Time now, Time until, bool is_timer_only) {
  Item* const item = running(key);
  if (item == nullptr) return false;
  item->is_timer_wakeup = is_timer_only && !item->is_dirty;
  merge(*item, Priority::kTimer, until);
  end_reconcile(*item, now);
  return true;
}

bool WorkQueue::retry(const ObjectKey& key, Time now, std::chrono::milliseconds at_least) {
  Item* const item = running(key);
  if (item == nullptr) return false;
  ++retries_;
  ++item->failures;
  item->is_timer_wakeup = false;
  const Time at = std::max(now + std::max(backoff(*item), at_least), next_retry(now));
  merge(*item, Priority::kRetry, at);
  end_reconcile(*item, now);
  return true;
}

bool WorkQueue::abandon(const ObjectKey& key, Time now) {
  Item* const item = running(key);
  if (item == nullptr) return false;
  item->is_timer_wakeup = item->is_timer_wakeup && !item->is_dirty;
  merge(*item, item->priority, now);
  end_reconcile(*item, now);
  return true;
}

std::chrono::milliseconds WorkQueue::backoff(Item& item) {
  std::chrono::milliseconds length = options_.first_backoff;
  for (unsigned i = 1; i < item.failures && length < options_.longest_backoff; ++i) length *= 2;
  return aio::jittered(std::min(length, options_.longest_backoff), random_);
}

WorkQueue::Time WorkQueue::next_retry(Time now) {
  const Time full_since = now - options_.retry_interval * options_.retry_burst;
  const Time latest = now + options_.longest_backoff;
  // A storm of failures may slow retries down, but stops none of them, and does not slow later
  // ones.
  retries_from_ = std::max(retries_from_, full_since) + options_.retry_interval;
  if (retries_from_ < latest) return std::max(retries_from_, now);
  retries_from_ = latest;
  return now + aio::jittered(options_.longest_backoff, random_);
}

void WorkQueue::forget_cooled_down(Time now) {
  while (!cooling_down_.empty() && cooling_down_.front().first <= now) {
    const auto found = items_.find(cooling_down_.front().second);
    const bool is_idle = found != items_.end() && found->second.state == State::kIdle;
    if (is_idle && found->second.earliest_start <= now) items_.erase(found);
    cooling_down_.pop_front();
  }
}

std::optional<WorkQueue::Time> WorkQueue::next_at() const {
  if (is_stopped_) return std::nullopt;
  const bool is_any = std::ranges::any_of(
      lanes_, [this](const Lane& lane) { return next_runnable(lane) != lane.round_robin.end(); });
  if (is_any) return Time::min();
  if (waiting_.empty()) return std::nullopt;
  return waiting_.begin()->first;
}

bool WorkQueue::is_resync_due() {
  const bool has_room = size() <= options_.max_keys / 2;
  if (!was_full_ || !has_room) return false;
  was_full_ = false;
  return true;
}

WorkQueue::Stats WorkQueue::stats(Time now) const {
  Stats stats;
  stats.running = running_;
  stats.adds = adds_;
  stats.retries = retries_;
  stats.refused = refused_;
  Time oldest = now;
  const auto due = waiting_.upper_bound(now);
  stats.waiting = static_cast<std::size_t>(std::distance(due, waiting_.end()));
  stats.ready = ready_ + waiting_.size() - stats.waiting;
  if (!waiting_.empty()) oldest = std::min(oldest, waiting_.begin()->first);
  for (const Lane& lane : lanes_) {
    for (const Item* const item : lane.by_age) oldest = std::min(oldest, item->due);
  }
  stats.oldest_ready = now - oldest;
  if (!taken_times_.empty()) stats.longest_running = now - taken_times_.begin()->first;
  return stats;
}

}  // namespace dynamo::kube
