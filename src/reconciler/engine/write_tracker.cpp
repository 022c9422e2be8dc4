#include "reconciler/engine/write_tracker.hpp"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>
#include <variant>

#include "json/parser.hpp"
#include "json/writer.hpp"

namespace dynamo::reconciler {
namespace {

using kube::ObjectKey;

constexpr std::size_t kMaxEntries = 10'000;
// By then a watch shows a created object. If not, stop waiting for it.
constexpr std::chrono::seconds kLongestCreation{60};

ObjectKey key_of(const Target& target) {
  return {.namespace_name = target.namespace_name, .name = target.name};
}

std::string object_path(const Target& target) {
  return target.resource.path(target.namespace_name, target.name);
}

std::string subresource_path(const Apply& apply) {
  return object_path(apply.target) + "/" + apply.subresource;
}

// The body of a patch, with another resourceVersion.
std::string with_version(std::string_view body, std::string_view version) {
  const auto patch = json::parse_copy(body);
  std::string text;
  json::Writer out(text);
  out.start_object();
  for (const json::Member member : patch->root().members()) {
    out.key(member.name);
    if (member.name != "metadata") {
      out.value(member.value);
      continue;
    }
    out.start_object();
    for (const json::Member each : member.value.members()) {
      out.key(each.name);
      if (each.name == "resourceVersion") {
        out.string(version);
      } else {
        out.value(each.value);
      }
    }
    out.end_object();
  }
  out.end_object();
  return text;
}

}  // namespace

void OwnWrites::follow(MergePatch& patch) const {
  Target& target = patch.target;
  if (target.resource_version.empty()) return;
  const auto change = changes_.find(object_path(target));
  if (change == changes_.end() || change->second.from != target.resource_version) return;
  patch.body = with_version(patch.body, change->second.to);
  target.resource_version = change->second.to;
}

void OwnWrites::note(const Target& target, const kube::Object& answer) {
  if (target.resource_version.empty() || answer.resource_version().empty()) return;
  const auto [change, is_new] =
      changes_.try_emplace(object_path(target), VersionChange{target.resource_version, {}});
  if (!is_new && change->second.to != target.resource_version) return;
  change->second.to = answer.resource_version();
}

WriteTracker::WriteTracker(const ReconcilerSpec& spec, InformerCache& cache,
                           const runtime::Clock& clock)
    : spec_(spec), cache_(cache), clock_(clock) {}

// ---- Before a reconcile

kube::Readiness WriteTracker::readiness(const ObjectKey& key) {
  kube::Readiness worst = kube::Readiness::kReady;
  for (const WatchSpec& each : spec_.watches) {
    worst = std::max(worst, cache_.at(each.resource).readiness(key, clock_.monotonic()));
  }
  return worst;
}

std::chrono::milliseconds WriteTracker::patience(const ObjectKey& key) {
  const auto now = clock_.monotonic();
  std::chrono::nanoseconds shortest = kube::WriteLedger::kPatience;
  for (const WatchSpec& each : spec_.watches) {
    kube::Store& store = cache_.at(each.resource);
    if (store.readiness(key, now) != kube::Readiness::kBehind) continue;
    shortest = std::min(shortest, store.patience(key, now));
  }
  return std::chrono::ceil<std::chrono::milliseconds>(shortest);
}

// A watch has not delivered our own write for a minute: the list shows the current state.
InformerCache::Relist WriteTracker::relist_overdue(const ObjectKey& key) {
  using Relist = InformerCache::Relist;
  const auto now = clock_.monotonic();
  bool is_awaited = false;
  bool has_timed_out = false;
  for (const WatchSpec& each : spec_.watches) {
    kube::Store& store = cache_.at(each.resource);
    if (store.readiness(key, now) != kube::Readiness::kOverdue) continue;
    const Relist relist = cache_.relist(each.resource, now);
    is_awaited = is_awaited || relist == Relist::kAwaited;
    has_timed_out = has_timed_out || relist == Relist::kTimedOut;
    if (relist == Relist::kListed) store.settle(key);
  }
  if (is_awaited) return Relist::kAwaited;
  return has_timed_out ? Relist::kTimedOut : Relist::kListed;
}

void WriteTracker::settle(const ObjectKey& key) {
  for (const WatchSpec& each : spec_.watches) cache_.at(each.resource).settle(key);
}

// ---- During a reconcile

bool WriteTracker::is_no_op(const Apply& apply) const {
  if (apply.seen_version.empty()) return false;
  const auto found = no_op_applies_.find(subresource_path(apply));
  return found != no_op_applies_.end() && found->second.version == apply.seen_version &&
         found->second.body_hash == std::hash<std::string>{}(apply.body);
}

bool WriteTracker::reserve_creation(const ObjectKey& key, const Target& target) {
  const bool is_shown =
      spec_.is_watching(target.resource) && cache_.at(target.resource).contains(key_of(target));
  if (is_shown) return false;
  const auto now = clock_.monotonic();
  if (pending_creates_.size() >= kMaxEntries) {
    std::erase_if(pending_creates_, [now](const auto& each) { return each.second.until <= now; });
  }
  const auto [creation, is_new] =
      pending_creates_.try_emplace(object_path(target), PendingCreate{key, now + kLongestCreation});
  if (is_new || creation->second.key == key) return true;
  if (now < creation->second.until) return false;
  creation->second = {key, now + kLongestCreation};
  return true;
}

void WriteTracker::end_creation(const kube::Resource& of, const kube::StoreChange& change) {
  if (pending_creates_.empty() || change.before != nullptr) return;
  pending_creates_.erase(of.path(change.key.namespace_name, change.key.name));
}

void WriteTracker::follow_own_writes(const ObjectKey& key, MergePatch& patch) const {
  const auto found = own_writes_.find(key);
  if (found != own_writes_.end()) found->second.follow(patch);
}

bool WriteTracker::record_write(const ObjectKey& key, const Action& action,
                                const kube::Object& answer) {
  const Target& target = *target_of(action);
  own_writes_[key].note(target, answer);
  record_own_version(key, target, answer);
  await_write(key, action, target, answer);
  const auto* const apply = std::get_if<Apply>(&action);
  return apply == nullptr || record_apply(*apply, answer);
}

void WriteTracker::record_own_version(const ObjectKey& key, const Target& target,
                                      const kube::Object& answer) {
  const bool is_about_key = is_same_resource(target.resource, spec_.resource) &&
                            target.name == key.name && target.namespace_name == key.namespace_name;
  if (!is_about_key || !spec_.skips_own_changes) return;
  if (target.resource_version.empty()) {
    own_versions_.erase(key);
  } else {
    own_versions_[key] = answer.resource_version();
  }
}

void WriteTracker::await_write(const ObjectKey& key, const Action& action, const Target& target,
                               const kube::Object& answer) {
  if (!shows(target.resource)) return;
  kube::Store& store = cache_.at(target.resource);
  const auto now = clock_.monotonic();
  if (action_kind_of(action) == ActionKind::kDelete) {
    store.record_delete(key, key_of(target), target.uid, now);
  } else if (subresource_of(action) != "scale") {
    store.record_write(key, answer.resource_version(), now);
  }
}

// The apply did not change the object if the server's answer has the observed version.
bool WriteTracker::record_apply(const Apply& apply, const kube::Object& answer) {
  if (apply.seen_version.empty()) return true;
  const std::string path = subresource_path(apply);
  if (answer.resource_version() != apply.seen_version) {
    no_op_applies_.erase(path);
    return true;
  }
  if (no_op_applies_.size() >= kMaxEntries) no_op_applies_.clear();
  no_op_applies_[path] = {apply.seen_version, std::hash<std::string>{}(apply.body)};
  return false;
}

// The server has a newer version than the cache shows. Until it arrives, a reconcile would send the
// same write again.
void WriteTracker::record_conflict(const ObjectKey& key, const Target& target) {
  if (target.resource_version.empty() || !shows(target.resource)) return;
  kube::Store& store = cache_.at(target.resource);
  if (store.version_of(key_of(target)) != target.resource_version) return;
  store.mark_outdated(key, clock_.monotonic());
}

bool WriteTracker::shows(const kube::Resource& resource) const {
  return spec_.is_watching(resource) && !cache_.can_hide(resource);
}

// ---- Own changes

// A version that was written on top of the observed one contains only our own change.
bool WriteTracker::match_own_write(const kube::StoreChange& change) {
  const auto own = own_versions_.extract(change.key);
  return change.now != nullptr && !own.empty() && own.mapped() == change.now->resource_version();
}

void WriteTracker::hold(const kube::StoreChange& change) {
  held_versions_[change.key] = change.now->resource_version();
}

bool WriteTracker::end_reconcile(const ObjectKey& key) {
  own_writes_.erase(key);
  const auto held = held_versions_.extract(key);
  if (held.empty()) return false;
  const auto own = own_versions_.extract(key);
  return own.empty() || own.mapped() != held.mapped();
}

}  // namespace dynamo::reconciler
