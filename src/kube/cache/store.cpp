#include "kube/cache/store.hpp"

#include <algorithm>
#include <exception>
#include <set>
#include <stdexcept>
#include <utility>

#include "kube/object/resource_version.hpp"

namespace dynamo::kube {
namespace {

// Limit of changes redelivered at once, so that a handler that always throws costs little.
constexpr std::size_t kRedeliveries = 16;
// Limit of the list of objects that are too deep.
constexpr std::size_t kMaxTooDeep = 100;
constexpr std::string_view kByNamespace = "metadata.namespace";
constexpr std::string_view kByOwner = "metadata.ownerReferences.uid";
constexpr std::string_view kByLabel = "metadata.labels.";

json::Value at(json::Value object, std::string_view path) {
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('.'), path.size());
    object = object[path.substr(0, end)];
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return object;
}

}  // namespace

class Store::Index {
 public:
  explicit Index(std::string the_field) : field(std::move(the_field)) {}

  using Values = std::vector<std::string_view>;

  Values values_of(json::Value object) const {
    const json::Value metadata = object["metadata"];
    Values values;
    if (field == kByNamespace) {
      values.push_back(metadata["namespace"].string_or_empty());
    } else if (field == kByOwner) {
      for (const json::Value owner : metadata["ownerReferences"].elements()) {
        values.push_back(owner["uid"].string_or_empty());
      }
    } else if (!field.starts_with(kByLabel)) {
      if (const auto value = at(object, field).string()) values.push_back(*value);
    } else {
      const auto label = metadata["labels"][std::string_view(field).substr(kByLabel.size())];
      if (const auto value = label.string()) values.push_back(*value);
    }
    return values;
  }

  void add(const ObjectKey& key, const Values& values) {
    for (const std::string_view value : values) {
      const auto place = keys.find(value);
      if (place != keys.end()) {
        place->second.insert(&key);
      } else {
        keys[std::string(value)].insert(&key);
      }
    }
  }
  void remove(const ObjectKey& key, const Values& values) {
    for (const std::string_view value : values) {
      const auto place = keys.find(value);
      if (place == keys.end()) continue;  // owned twice by the same uid
      place->second.erase(&key);
      if (place->second.empty()) keys.erase(place);
    }
  }

  const std::string field;
  // Points to the keys of the store's map, which are stable.
  struct ByKey {
    bool operator()(const ObjectKey* left, const ObjectKey* right) const { return *left < *right; }
  };
  std::map<std::string, std::set<const ObjectKey*, ByKey>, std::less<>> keys;
};

struct Store::Subscriber {
  explicit Subscriber(StoreHandler& the_handler) : handler(the_handler) {}
  StoreHandler& handler;
  bool has_pending() const {
    return !pending_changes.empty() || !pending_ready.empty() || pending_synced;
  }

  // A change that was not delivered because of an exception.
  struct PendingChange {
    Object from;  // the last state that the handler received; empty: none
    Object last;  // of a deleted object; otherwise empty
  };
  std::map<ObjectKey, PendingChange> pending_changes;
  std::set<ObjectKey> pending_ready;
  bool pending_synced = false;
  bool was_logged = false;     // the first of consecutive exceptions was logged
  ObjectKey last_redelivered;  // the last key that was redelivered
};

Store::Store(const Resource& resource, StoreOptions options, runtime::Logger& logger)
    : resource_(resource),
      options_(std::move(options)),
      pack_options_{.left_out = options_.left_out, .metadata_only = options_.metadata_only},
      head_(packed_head(resource)),
      logger_(logger) {
  const auto declare = [this](std::string field) {
    indexes_.push_back(std::make_unique<Index>(std::move(field)));
  };
  if (options_.namespace_index) declare(std::string(kByNamespace));
  if (options_.owner_index) declare(std::string(kByOwner));
  for (const std::string& label : options_.label_indexes) declare(std::string(kByLabel) + label);
  for (const std::string& path : options_.field_indexes) declare(path);
}

Store::~Store() = default;

// ---- InformerHandler

void Store::replace(std::span<const Object> objects) {
  is_complete_ = true;
  std::set<ObjectKey> listed;
  for (const Object& object : objects) listed.insert(key_of(object));
  // Deletions first, so that handlers never see more objects at once than ever existed.
  for (const ObjectKey& key : keys()) {
    if (!listed.contains(key)) erase(key, nullptr);
  }
  std::erase_if(too_deep_, [&listed](const auto& each) { return !listed.contains(each.first); });
  for (const Object& object : objects) put(object);
  complete();
}

void Store::page(std::span<const Object> objects, bool is_first) {
  if (is_first) {
    is_complete_ = true;
    ++lists_;
  }
  for (const Object& object : objects) {
    put(object);
    const auto found = objects_.find(key_of(object));
    if (found != objects_.end()) found->second.list = lists_;
  }
}

// Removes objects that only an aborted earlier list delivered.
void Store::listed() {
  std::vector<ObjectKey> removed;
  for (const auto& [key, entry] : objects_) {
    if (entry.list != lists_) removed.push_back(key);
  }
  std::ranges::sort(removed);
  for (const ObjectKey& key : removed) erase(key, nullptr);
  std::erase_if(too_deep_, [this](const auto& each) { return each.second != lists_; });
  complete();
}

void Store::complete() {
  if (std::exchange(is_synced_, true)) return;
  for (const auto& subscriber : subscribers_) notify_synced(*subscriber);
}

void Store::upsert(const Object& object) {
  put(object);
}

void Store::remove(const Object& object) {
  const auto last = Object::parse(packed(object));  // nullopt: it is too deep
  erase(key_of(object), last ? &*last : nullptr);
  too_deep_.erase(key_of(object));
}

void Store::reached(std::string_view resource_version) {
  watermark_ = resource_version;
  if (const auto number = version_number(resource_version)) notify_ready(ledger_.reached(*number));
  redeliver();
}

// JSON escapes no character of a version or a uid. If it did, the value would not be found, and
// each event of that object would be reported as a change.
Store::Entry Store::entry_of(std::string text, const Object& object) {
  const auto range_of = [&text](std::string_view value) {
    const std::size_t at = text.find(value);
    if (at == std::string::npos) return Entry::TextRange();
    return Entry::TextRange{static_cast<std::uint32_t>(at),
                            static_cast<std::uint32_t>(value.size())};
  };
  const Entry::TextRange version = range_of(object.resource_version());
  const Entry::TextRange uid = range_of(object.uid());
  return {.text = std::move(text), .version_at = version, .uid_at = uid};
}

// Valid until the next call.
std::string_view Store::packed(const Object& object) {
  constexpr std::size_t kMaxKept = std::size_t{256} << 10U;
  if (packing_.capacity() > kMaxKept) packing_ = std::string();
  packing_.clear();
  append_packed(packing_, resource_, object.root(), pack_options_);
  return packing_;
}

// Cannot fail: the store parsed and packed the text itself.
Object Store::unpacked(std::string_view text) const {
  std::string whole;
  whole.reserve(head_.size() + text.size() + json::kParsePadding);
  whole.append(head_).append(text);
  return Object::take(std::move(whole)).value();
}

// The object as find() would return it, possibly without apiVersion and kind.
std::optional<Object> Store::as_kept(const Object& object, std::string_view text) const {
  const bool is_whole = options_.left_out.empty() && !options_.metadata_only;
  if (is_whole && json::is_nested_at_most(object.root(), kDeepestObject)) return object;
  auto parsed = Object::parse(text);
  if (!parsed) return std::nullopt;  // it is too deep
  return *std::move(parsed);
}

void Store::put(const Object& object) {
  const ObjectKey key = key_of(object);
  auto found = objects_.find(key);
  if (found != objects_.end() && found->second.uid() != object.uid()) {
    erase(key, nullptr);
    found = objects_.end();
  }
  const bool is_new = found == objects_.end();
  if (!is_new && found->second.version() == object.resource_version()) return;
  const std::string_view whole = packed(object);
  const auto now = as_kept(object, whole);
  if (!now) {
    leave_out(key);
    return;
  }
  too_deep_.erase(key);
  std::string text(whole.substr(head_.size()));
  const std::size_t room = is_new ? 0 : found->second.text.size();
  if (bytes_ - room + text.size() > options_.most_bytes) {
    if (std::exchange(is_complete_, false)) {
      logger_.log(runtime::Level::kError,
                  "the cache's memory limit is reached; further objects are not read",
                  {{"resource", resource_.plural}, {"limit_bytes", options_.most_bytes}});
    }
    // A known object keeps its old state: it must not look deleted.
    return;
  }
  Object before;
  if (is_new) {
    found = objects_.try_emplace(key).first;
  } else {
    before = unpacked(found->second.text);
  }
  bytes_ += text.size() - room;
  found->second = entry_of(std::move(text), object);
  reindex(found->first, is_new ? nullptr : &before, &*now);
  deliver({.key = key, .before = is_new ? nullptr : &before, .now = &*now});
}

// A known object keeps its old state: it must not look deleted.
void Store::leave_out(const ObjectKey& key) {
  const auto found = too_deep_.find(key);
  if (found != too_deep_.end()) {
    found->second = lists_;
    return;
  }
  if (too_deep_.size() == kMaxTooDeep) {
    is_complete_ = false;
    return;
  }
  too_deep_.emplace(key, lists_);
  logger_.log(runtime::Level::kError,
              "an object is nested too deep to be read; its last known state stays in use",
              {{"resource", resource_.plural},
               {"object", to_string(key)},
               {"limit_levels", kDeepestObject}});
}

void Store::erase(const ObjectKey& key, const Object* last) {
  const auto found = objects_.find(key);
  if (found == objects_.end()) return;
  const Object kept = unpacked(found->second.text);
  const std::string uid(found->second.uid());
  reindex(found->first, &kept, nullptr);
  bytes_ -= found->second.text.size();
  objects_.erase(found);
  deliver({.key = key, .before = last != nullptr ? last : &kept, .now = nullptr});
  notify_ready(ledger_.observed_deletion(uid));
}

// ---- Indexes

// Most changes do not affect an index.
void Store::reindex(const ObjectKey& key, const Object* before, const Object* now) {
  for (const auto& index : indexes_) {
    const auto former = before != nullptr ? index->values_of(before->root()) : Index::Values();
    const auto values = now != nullptr ? index->values_of(now->root()) : Index::Values();
    if (former == values) continue;
    index->remove(key, former);
    index->add(key, values);
  }
}

const Store::Index& Store::declared(std::string_view field) const {
  for (const auto& index : indexes_) {
    if (index->field == field) return *index;
  }
  throw std::logic_error("the store of " + std::string(resource_.plural) +
                         " must declare an index by " + std::string(field) +
                         " in its options before it is asked for one");
}

const Store::Index& Store::index_by_namespace() const {
  return declared(kByNamespace);
}

const Store::Index& Store::index_by_owner() const {
  return declared(kByOwner);
}

const Store::Index& Store::index_by_label(std::string_view label) const {
  return declared(std::string(kByLabel) + std::string(label));
}

const Store::Index& Store::index_by_field(std::string_view path) const {
  return declared(path);
}

std::vector<ObjectKey> Store::keys(const Index& index, std::string_view value) const {
  std::vector<ObjectKey> found;
  const auto place = index.keys.find(value);
  if (place == index.keys.end()) return found;
  found.reserve(place->second.size());
  for (const ObjectKey* const key : place->second) found.push_back(*key);
  return found;
}

// ---- Content

bool Store::lacks(const ObjectKey& key) const {
  return is_complete_ && !contains(key) && !too_deep_.contains(key);
}

std::optional<Object> Store::find(const ObjectKey& key) const {
  const auto found = objects_.find(key);
  if (found == objects_.end()) return std::nullopt;
  return unpacked(found->second.text);
}

std::string_view Store::version_of(const ObjectKey& key) const {
  const auto found = objects_.find(key);
  return found == objects_.end() ? std::string_view() : found->second.version();
}

std::string_view Store::uid_of(const ObjectKey& key) const {
  const auto found = objects_.find(key);
  return found == objects_.end() ? std::string_view() : found->second.uid();
}

std::vector<ObjectKey> Store::keys() const {
  std::vector<ObjectKey> all;
  all.reserve(objects_.size());
  for (const auto& [key, entry] : objects_) all.push_back(key);
  std::ranges::sort(all);
  return all;
}

// ---- Writes

void Store::record_write(const ObjectKey& key, std::string_view version, WriteLedger::Time now) {
  const auto number = version_number(version);
  if (!number || *number <= version_number(watermark_).value_or(0)) return;
  ledger_.record_write(key, *number, now);
}

void Store::record_delete(const ObjectKey& key, const ObjectKey& object, std::string_view uid,
                          WriteLedger::Time now) {
  if (uid_of(object) == uid) ledger_.record_delete(key, uid, now);
}

void Store::mark_outdated(const ObjectKey& key, WriteLedger::Time now) {
  if (const auto shown = version_number(watermark_)) ledger_.record_write(key, *shown + 1, now);
}

void Store::notify_ready(const std::vector<ObjectKey>& keys) {
  for (const ObjectKey& key : keys) {
    for (const auto& subscriber : subscribers_) notify_ready(*subscriber, key);
  }
}

void Store::notify_ready(Subscriber& subscriber, const ObjectKey& key) {
  const bool was_delivered = call_handler(subscriber, [&] { subscriber.handler.ready(key); });
  if (!was_delivered) subscriber.pending_ready.insert(key);
}

void Store::notify_synced(Subscriber& subscriber) {
  subscriber.pending_synced = !call_handler(subscriber, [&] { subscriber.handler.on_synced(); });
}

// ---- Handlers

void Store::subscribe(StoreHandler& handler) {
  Subscriber& subscriber = *subscribers_.emplace_back(std::make_unique<Subscriber>(handler));
  for (const ObjectKey& key : keys()) {
    const Object now = unpacked(objects_.find(key)->second.text);
    deliver(subscriber, {.key = key, .before = nullptr, .now = &now});
  }
  if (is_synced_) notify_synced(subscriber);
}

void Store::deliver(const StoreChange& change) {
  for (const auto& subscriber : subscribers_) deliver(*subscriber, change);
}

// Merges the change with one that was not delivered before; if the object was recreated, delivers a
// deletion and a creation. A removal is delivered even if the creation was not: the handler may
// have thrown half way.
void Store::deliver(Subscriber& subscriber, const StoreChange& change) {
  const auto found = subscriber.pending_changes.find(change.key);
  Subscriber::PendingChange pending;
  if (found != subscriber.pending_changes.end()) {
    pending = found->second;
  } else if (change.before != nullptr) {
    pending.from = *change.before;
  }
  if (change.now == nullptr) pending.last = *change.before;
  const auto try_deliver = [&](const Object& before, const Object* now) {
    const StoreChange whole{
        .key = change.key, .before = before.root().exists() ? &before : nullptr, .now = now};
    return call_handler(subscriber, [&] { subscriber.handler.changed(whole); });
  };
  const bool is_another = change.now != nullptr && pending.from.root().exists() &&
                          pending.from.uid() != change.now->uid();
  bool was_delivered = true;
  if (is_another) {
    was_delivered =
        try_deliver(pending.last.root().exists() ? pending.last : pending.from, nullptr);
    if (was_delivered) pending = {};
  }
  if (was_delivered)
    was_delivered = try_deliver(change.now == nullptr ? pending.last : pending.from, change.now);
  if (!was_delivered) {
    subscriber.pending_changes.insert_or_assign(change.key, pending);
  } else if (found != subscriber.pending_changes.end()) {
    subscriber.pending_changes.erase(found);
  }
}

template <class Do>
bool Store::call_handler(Subscriber& subscriber, Do action) {
  std::string what = "not a std::exception";
  try {
    action();
    return true;
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {
  }
  if (!std::exchange(subscriber.was_logged, true)) {
    logger_.log(runtime::Level::kError, "a defect was caught while applying watch events",
                {{"resource", resource_.plural}, {"what", what}});
  }
  return false;
}

std::size_t Store::pending_deliveries() const {
  std::size_t all = 0;
  for (const auto& subscriber : subscribers_) {
    all += subscriber->pending_changes.size() + subscriber->pending_ready.size();
    if (subscriber->pending_synced) ++all;
  }
  return all;
}

void Store::redeliver() {
  for (const auto& subscriber : subscribers_) {
    if (!subscriber->has_pending()) continue;
    redeliver_changes(*subscriber);
    if (subscriber->pending_synced) notify_synced(*subscriber);
    const std::set<ObjectKey> ready = std::exchange(subscriber->pending_ready, {});
    for (const ObjectKey& key : ready) notify_ready(*subscriber, key);
    if (!subscriber->has_pending()) subscriber->was_logged = false;
  }
}

void Store::redeliver_changes(Subscriber& subscriber) {
  auto& pending = subscriber.pending_changes;
  const std::size_t most = std::min(kRedeliveries, pending.size());
  for (std::size_t i = 0; i < most && !pending.empty(); ++i) {
    auto next = pending.upper_bound(subscriber.last_redelivered);
    if (next == pending.end()) next = pending.begin();
    const ObjectKey key = next->first;
    const Subscriber::PendingChange what = next->second;
    const std::optional<Object> now = find(key);
    subscriber.last_redelivered = key;
    const Object& before = now ? what.from : what.last;
    deliver(subscriber, {.key = key,
                         .before = before.root().exists() ? &before : nullptr,
                         .now = now ? &*now : nullptr});
  }
}

}  // namespace dynamo::kube
