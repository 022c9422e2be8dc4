#include "kube/controller/event_series.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "json/writer.hpp"
#include "text/micro_time.hpp"
#include "text/presentable.hpp"

namespace dynamo::kube {
namespace {

// Limits of the API.
constexpr std::size_t kMaxNote = 1'024;
constexpr std::size_t kMaxWord = 128;
constexpr std::size_t kMaxName = 253;
constexpr std::string_view kEllipsis = "…";

// FNV-1a: the same in every process.
std::uint64_t hash_of(std::string_view text) {
  constexpr std::uint64_t kBasis = 0xcbf29ce484222325U;
  constexpr std::uint64_t kPrime = 0x100000001b3U;
  std::uint64_t hash = kBasis;
  for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * kPrime;
  return hash;
}

std::string hex(std::uint64_t number) {
  constexpr int kBase = 16;
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, kBase).ptr;
  return std::string(digits.data(), end);
}

std::string presentable(std::string_view text, std::size_t longest) {
  std::string out;
  text::append_presentable(out, text, longest - kEllipsis.size());
  return out;
}

std::string object_text(const ObjectReference& regarding) {
  return regarding.uid + '\n' + regarding.kind + '\n' + regarding.namespace_name + '\n' +
         regarding.name;
}

std::string key_text(const std::string& object, const Event& event) {
  return object + '\n' + (event.is_warning ? 'W' : 'N') + event.reason + '\n' + event.action +
         '\n' + event.note + '\n' + event.occasion;
}

// Object names of some kinds are longer than an Event name may be.
std::string event_name(const std::string& object_name, const std::string& suffix) {
  std::string name = object_name.substr(0, kMaxName - 1 - suffix.size());
  for (char& letter : name) {
    const bool is_allowed = (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') ||
                            letter == '-' || letter == '.';
    if (!is_allowed) letter = '-';
  }
  while (!name.empty() && (name.back() == '-' || name.back() == '.')) name.pop_back();
  while (!name.empty() && (name.front() == '-' || name.front() == '.')) name.erase(0, 1);
  return name.empty() ? "event." + suffix : name + "." + suffix;
}

}  // namespace

ObjectReference reference_to(const Resource& resource, const Object& object) {
  return {.api_version = resource.api_version(),
          .kind = std::string(resource.kind),
          .namespace_name = std::string(object.namespace_name()),
          .name = std::string(object.name()),
          .uid = std::string(object.uid())};
}

EventAggregator::EventAggregator(const EventSeriesOptions& options, std::string salt)
    : options_(options), salt_(std::move(salt)) {}

bool EventAggregator::note(const Event& event, Time now, WallTime wall) {
  forget(now);
  const std::string object = object_text(event.regarding);
  const std::string key = key_text(object, event);
  auto found = entries_.find(key);
  const bool is_over = found != entries_.end() && !found->second.is_waiting &&
                       !under_way_.contains(key) &&
                       now - found->second.last >= options_.series_timeout;
  if (is_over) {
    drop(found);
    found = entries_.end();
  }
  const bool is_new = found == entries_.end();
  const bool was_waiting = !is_new && found->second.is_waiting;
  if (!was_waiting && waiting_ >= options_.most_waiting) {
    ++dropped_;
    return false;
  }
  // A call that the rate limit delays for minutes would be outdated.
  if (is_new && !can_call(object, now)) {
    ++dropped_;
    return false;
  }
  if (is_new) {
    spend(object, now);
    found = entries_.try_emplace(key).first;
    EventSeries& series = found->second.series;
    series.event = event;
    series.first = wall;
    std::string identity = key + salt_ + '\n' + std::to_string(wall.time_since_epoch().count());
    if (!event.occasion.empty()) identity = object + '\n' + event.reason + '\n' + event.occasion;
    series.name = event_name(event.regarding.name, hex(hash_of(identity)));
    found->second.object = object;
    order_.push_back(key);
  }
  Entry& entry = found->second;
  ++entry.series.count;
  entry.series.last = wall;
  entry.last = now;
  if (!entry.is_waiting) ++waiting_;
  entry.is_waiting = true;
  return true;
}

bool EventAggregator::is_due(const Entry& entry, Time now) const {
  if (!entry.is_waiting) return false;
  if (is_hurried_ || entry.calls == 0) return true;
  if (entry.calls >= 2 && now - entry.last_call < options_.heartbeat) return false;
  return can_call(entry.object, now);
}

std::optional<EventAggregator::Call> EventAggregator::next(Time now) {
  forget(now);
  for (const std::string& key : order_) {
    Entry& entry = entries_.find(key)->second;
    if (!is_due(entry, now) || under_way_.contains(key)) continue;
    if (entry.calls > 0) spend(entry.object, now);
    under_way_.insert(key);
    entry.is_waiting = false;
    --waiting_;
    ++entry.calls;
    entry.last_call = now;
    const bool is_new = entry.sent_count == 0;
    entry.sent_before = std::exchange(entry.sent_count, entry.series.count);
    return Call{.series = entry.series, .is_new = is_new, .key = key};
  }
  return std::nullopt;
}

void EventAggregator::finished(const Call& call, bool was_written) {
  if (under_way_.erase(call.key) == 0 || was_written) return;
  ++dropped_;
  drop(entries_.find(call.key));
}

void EventAggregator::recreate(const Call& call) {
  if (!under_way_.contains(call.key)) return;
  entries_.find(call.key)->second.sent_before = 0;
  abandon(call);
}

void EventAggregator::abandon(const Call& call) {
  if (under_way_.erase(call.key) == 0) return;
  Entry& entry = entries_.find(call.key)->second;
  entry.sent_count = entry.sent_before;
  --entry.calls;
  if (!entry.is_waiting) ++waiting_;
  entry.is_waiting = true;
}

bool EventAggregator::can_call(const std::string& object, Time now) const {
  const auto found = buckets_.find(object);
  if (found == buckets_.end()) return true;
  return found->second.full_at - now <= options_.interval * (options_.burst - 1);
}

void EventAggregator::spend(const std::string& object, Time now) {
  Bucket& bucket = buckets_[object];
  bucket.full_at = std::max(bucket.full_at, now) + options_.interval;
}

void EventAggregator::drop(Entries::iterator entry) {
  if (entry->second.is_waiting) --waiting_;
  std::erase(order_, entry->first);
  entries_.erase(entry);
}

// In order of creation: an old series that continues can keep a younger finished one until the size
// limit applies.
void EventAggregator::forget(Time now) {
  const auto is_over = [&](const Entry& entry) {
    return !entry.is_waiting && now - entry.last >= options_.series_timeout;
  };
  while (!order_.empty() && !under_way_.contains(order_.front())) {
    const auto oldest = entries_.find(order_.front());
    if (entries_.size() < options_.most_known && !is_over(oldest->second)) break;
    if (oldest->second.is_waiting) ++dropped_;
    drop(oldest);
  }
  if (buckets_.size() <= options_.most_known) return;
  std::erase_if(buckets_, [&](const auto& each) { return each.second.full_at <= now; });
  while (buckets_.size() > options_.most_known) buckets_.erase(buckets_.begin());
}

// ---- Request bodies

std::string event_namespace(const ObjectReference& regarding) {
  return regarding.namespace_name.empty() ? "default" : regarding.namespace_name;
}

namespace {

void write_reference(json::Writer& writer, std::string_view key, const ObjectReference& regarding) {
  writer.key(key).start_object();
  writer.member("apiVersion", regarding.api_version).member("kind", regarding.kind);
  if (!regarding.namespace_name.empty()) writer.member("namespace", regarding.namespace_name);
  writer.member("name", regarding.name);
  if (!regarding.uid.empty()) writer.member("uid", regarding.uid);
  writer.end_object();
}

void write_series(json::Writer& writer, const EventSeries& series) {
  writer.key("series").start_object();
  writer.key("count").integer(static_cast<std::int64_t>(series.count));
  writer.member("lastObservedTime", text::format_micro_time(series.last));
  writer.end_object();
}

}  // namespace

std::string event_body(const EventSeries& series, std::string_view controller,
                       std::string_view instance) {
  const Event& event = series.event;
  std::string text;
  json::Writer writer(text);
  writer.start_object();
  writer.member("apiVersion", kEvents.api_version()).member("kind", kEvents.kind);
  writer.key("metadata").start_object();
  writer.member("name", series.name).member("namespace", event_namespace(event.regarding));
  writer.end_object();
  write_reference(writer, "regarding", event.regarding);
  writer.member("reason", presentable(event.reason, kMaxWord));
  writer.member("note", presentable(event.note, kMaxNote));
  writer.member("type", event.is_warning ? "Warning" : "Normal");
  writer.member("action", presentable(event.action, kMaxWord));
  writer.member("eventTime", text::format_micro_time(series.first));
  writer.member("reportingController", controller);
  if (series.count > 1) write_series(writer, series);
  writer.member("reportingInstance", instance.substr(0, kMaxWord));
  writer.end_object();
  return text;
}

std::string event_patch(const EventSeries& series) {
  std::string text;
  json::Writer writer(text);
  writer.start_object();
  write_series(writer, series);
  writer.end_object();
  return text;
}

}  // namespace dynamo::kube
