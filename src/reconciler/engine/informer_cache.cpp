#include "reconciler/engine/informer_cache.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include "aio/backoff.hpp"
#include "aio/pause.hpp"
#include "kube/object/resource_version.hpp"

namespace dynamo::reconciler {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLook{100};
constexpr milliseconds kAskAgain{1'000};
// Limit of a server's Retry-After.
constexpr milliseconds kLongestServerPause{300'000};
constexpr std::chrono::seconds kBetweenRelists{60};
constexpr std::chrono::seconds kForRelist{5};
// After a change of the leader: how long to wait for the watch, the interval of lists for a cache
// that stays behind, and when to log it.
constexpr milliseconds kForWatch{2'000};
constexpr milliseconds kForList{10'000};
constexpr milliseconds kLogBehindAfter{10'000};
// Definitions are rarely installed.
constexpr milliseconds kLookForMissing{30'000};

kube::InformerOptions informer_options(const std::string& namespace_name, const WatchSpec& spec,
                                       const runtime::Clock& clock) {
  kube::InformerOptions options;
  options.namespace_name = spec.resource.namespaced ? namespace_name : std::string();
  options.label_selector = spec.label_selector;
  options.field_selector = spec.field_selector;
  options.metadata_only = spec.options.metadata_only;
  options.longest_pause = std::chrono::seconds(10);
  options.clock = &clock;
  return options;
}

kube::ListOptions names_of(const WatchSpec& spec) {
  kube::ListOptions options;
  options.names_only = true;
  options.label_selector = spec.label_selector;
  options.field_selector = spec.field_selector;
  return options;
}

// Shows whether the definition exists, independent of the number of objects.
kube::ListOptions any_name() {
  kube::ListOptions options;
  options.names_only = true;
  options.field_selector = "metadata.name=any";
  return options;
}

// Delay until the next request: longer, if the server requests it.
milliseconds delay_after(const kube::Error& error, aio::Backoff& backoff) {
  const milliseconds asked_for = error.retry_after.value_or(std::chrono::seconds(0));
  return std::max(backoff.next(), std::min(asked_for, kLongestServerPause));
}

std::vector<std::string> both(std::vector<std::string> left,
                              const std::vector<std::string>& right) {
  left.insert(left.end(), right.begin(), right.end());
  std::ranges::sort(left);
  const auto rest = std::ranges::unique(left);
  left.erase(rest.begin(), rest.end());
  return left;
}

std::vector<std::string> common(std::vector<std::string> left,
                                const std::vector<std::string>& right) {
  std::erase_if(left, [&right](const std::string& each) {
    return std::ranges::find(right, each) == right.end();
  });
  return left;
}

}  // namespace

std::string name_of(const kube::Resource& resource) {
  return std::string(resource.group) + "/" + std::string(resource.plural);
}

WatchSpec merge_specs(const WatchSpec& left, const WatchSpec& right) {
  WatchSpec all = left;
  all.options.label_indexes = both(left.options.label_indexes, right.options.label_indexes);
  all.options.field_indexes = both(left.options.field_indexes, right.options.field_indexes);
  all.options.namespace_index = left.options.namespace_index || right.options.namespace_index;
  all.options.owner_index = left.options.owner_index || right.options.owner_index;
  all.options.left_out = common(left.options.left_out, right.options.left_out);
  all.options.metadata_only = left.options.metadata_only && right.options.metadata_only;
  all.options.most_bytes = std::max(left.options.most_bytes, right.options.most_bytes);
  if (left.label_selector != right.label_selector) all.label_selector.clear();
  if (left.field_selector != right.field_selector) all.field_selector.clear();
  all.can_be_missing = left.can_be_missing && right.can_be_missing;
  all.is_optional = left.is_optional && right.is_optional;
  return all;
}

InformerCache::Entry::Entry(kube::Client& client, const WatchSpec& the_spec,
                            const std::string& namespace_name, const runtime::Clock& clock,
                            runtime::Logger& logger)
    : spec(the_spec),
      store(the_spec.resource, the_spec.options, logger),
      informer(client, the_spec.resource, informer_options(namespace_name, the_spec, clock), store,
               logger) {}

bool InformerCache::Entry::is_no_longer_served() const {
  const auto listed_from = informer.listed_from();
  return unserved_since && !(listed_from && *listed_from > *unserved_since);
}

bool InformerCache::Entry::is_current() const {
  if (!term_from || is_checked) return true;
  const auto listed_from = informer.listed_from();
  return listed_from && *listed_from >= *term_from;
}

const std::string& InformerCache::Entry::last_error() const {
  if (!is_watched()) return lookup_error;
  const bool reports_check = store.is_synced() && !is_current() && !check_error.empty();
  return reports_check ? check_error : informer.last_error();
}

InformerCache::InformerCache(kube::Client& client, std::string namespace_name,
                             const std::vector<WatchSpec>& specs, const runtime::Clock& clock,
                             runtime::Logger& logger)
    : client_(client), clock_(clock), logger_(logger), namespace_name_(std::move(namespace_name)) {
  std::map<std::string, WatchSpec> all;
  for (const WatchSpec& each : specs) {
    const auto [at, is_new] = all.try_emplace(name_of(each.resource), each);
    if (!is_new) at->second = merge_specs(at->second, each);
  }
  for (auto& [name, each] : all) {
    each.options.namespace_index = true;
    entries_[name] = std::make_unique<Entry>(client_, each, namespace_name_, clock, logger);
  }
}

// There are about a dozen, and every reconcile looks one up: comparing is cheaper than building a
// name.
InformerCache::Entry& InformerCache::entry(const kube::Resource& resource) const {
  const auto found = std::ranges::find_if(entries_, [&resource](const auto& each) {
    return is_same_resource(each.second->spec.resource, resource);
  });
  if (found == entries_.end()) {
    throw std::logic_error("no watch is configured for " + std::string(resource.plural));
  }
  return *found->second;
}

const kube::Store& InformerCache::at(const kube::Resource& resource) const {
  return entry(resource).store;
}

kube::Store& InformerCache::at(const kube::Resource& resource) {
  return entry(resource).store;
}

bool InformerCache::serves(const kube::Resource& resource) const {
  return entry(resource).is_present();
}

std::string InformerCache::list_error(const kube::Resource& resource) const {
  const Entry& found = entry(resource);
  return found.is_complete() ? std::string() : found.last_error();
}

bool InformerCache::is_complete(const kube::Resource& resource) const {
  return entry(resource).is_complete();
}

std::string InformerCache::incomplete() const {
  std::string text;
  for (const auto& [name, entry] : entries_) {
    if (entry->is_complete()) continue;
    if (!text.empty()) text += "; ";
    const std::string& error = entry->last_error();
    const char* const why = entry->store.is_synced() ? "behind the API server" : "no answer yet";
    text.append(name).append(": ").append(error.empty() ? why : error);
  }
  return text;
}

bool InformerCache::can_hide(const kube::Resource& resource) const {
  return !entry(resource).spec.field_selector.empty();
}

InformerCache::Relist InformerCache::relist(const kube::Resource& resource,
                                            std::chrono::steady_clock::time_point now) {
  Entry& found = entry(resource);
  const auto listed_from = found.informer.listed_from();
  if (listed_from && now - *listed_from < kBetweenRelists) return Relist::kListed;
  if (!found.relisted_at || now - *found.relisted_at >= kBetweenRelists) {
    found.relisted_at = now;
    found.informer.relist();
  }
  return now - *found.relisted_at < kForRelist ? Relist::kAwaited : Relist::kTimedOut;
}

void InformerCache::start(aio::TaskGroup& tasks) {
  for (auto& [name, entry] : entries_) {
    tasks.spawn("informer of " + name, [this, each = entry.get()] { return follow(*each); });
  }
}

aio::Task<> InformerCache::follow(Entry& entry) {
  const std::string namespace_name =
      entry.spec.resource.namespaced ? namespace_name_ : std::string();
  aio::Backoff backoff(kAskAgain, kForList);
  while (!entry.is_watched()) {
    const auto list = co_await client_.list(entry.spec.resource, namespace_name, any_name());
    handle_lookup(entry, list);
    if (entry.is_served) break;
    milliseconds delay = kLookForMissing;
    if (entry.is_missing) {
      backoff.reset();
    } else {
      delay = delay_after(list.error(), backoff);
    }
    const bool waited = co_await aio::pause(delay);
    if (!waited) co_return;
  }
  co_await entry.informer.run();
}

void InformerCache::handle_lookup(Entry& entry, const kube::Result<kube::List>& list) {
  if (!list && list.error().failure == kube::FailureKind::kCancelled) return;
  const bool was_missing = entry.is_missing;
  const std::string error_before = entry.lookup_error;
  entry.is_served = !list.has_error();
  entry.is_missing = !list && list.error().is("NotFound");
  entry.lookup_error = list ? std::string() : list.error().text;
  if (entry.is_missing && !was_missing) {
    logger_.log(runtime::Level::kInfo,
                "a definition is missing; its objects are skipped until it exists",
                {{"resource", name_of(entry.spec.resource)}});
  } else if (entry.is_served && was_missing) {
    logger_.log(runtime::Level::kInfo, "a definition that was missing exists and is watched",
                {{"resource", name_of(entry.spec.resource)}});
  } else if (entry.is_served && !error_before.empty()) {
    logger_.log(runtime::Level::kInfo, "a resource that could not be listed is listed and watched",
                {{"resource", name_of(entry.spec.resource)}});
  } else if (!entry.is_served && !entry.is_missing && entry.lookup_error != error_before) {
    logger_.log(runtime::Level::kWarning,
                "a watched resource cannot be listed; dependent controllers paused; trying again",
                {{"resource", name_of(entry.spec.resource)}, {"error", entry.lookup_error}});
  }
}

void InformerCache::begin_term(std::chrono::steady_clock::time_point term_from) {
  for (auto& [name, entry] : entries_) {
    entry->term_from = term_from;
    entry->is_checked = false;
    entry->check_error.clear();
  }
}

void InformerCache::end_term() {
  for (auto& [name, entry] : entries_) entry->term_from.reset();
}

void InformerCache::catch_up(aio::TaskGroup& tasks, const CatchUpHooks& hooks) {
  for (auto& [name, entry] : entries_) {
    if (entry->is_complete() && !entry->is_no_longer_served()) continue;
    tasks.spawn("catching up with " + name,
                [this, each = entry.get(), hooks] { return await_complete(*each, hooks); });
    tasks.spawn("a check of " + name,
                [this, each = entry.get(), hooks] { return check(*each, hooks); });
  }
}

// A watch event or a list may also complete the cache while the API server has not answered yet.
aio::Task<> InformerCache::await_complete(Entry& entry, CatchUpHooks hooks) {
  const auto began = std::chrono::steady_clock::now();
  auto relisted = began + kForWatch - kForList;
  bool is_reported = false;
  while (!entry.is_complete()) {
    const auto now = std::chrono::steady_clock::now();
    if (!is_reported && now - began >= kLogBehindAfter) {
      is_reported = true;
      log_behind(entry);
    }
    if (entry.store.is_synced() && now - relisted >= kForList) {
      relisted = now;
      entry.informer.relist();
    }
    const bool waited = co_await aio::pause(kLook);
    if (!waited || !hooks.is_wanted()) co_return;
  }
  hooks.caught_up(entry.spec.resource);
}

aio::Task<> InformerCache::check(Entry& entry, CatchUpHooks hooks) {
  aio::Backoff backoff(kAskAgain, kForList);
  std::optional<kube::List> list;
  std::optional<std::string> held_against;  // the cache's watermark at the last comparison
  while (!entry.is_complete() || entry.is_no_longer_served()) {
    milliseconds delay = kLook;
    if (!list && entry.store.is_synced()) {
      auto asked = co_await names_on_server(entry);
      if (!hooks.is_wanted()) co_return;
      if (asked) {
        entry.check_error.clear();
        entry.unserved_since.reset();
        list = std::move(*asked);
      } else {
        record_refusal(entry, asked.error());
        delay = entry.is_no_longer_served() ? kLookForMissing : delay_after(asked.error(), backoff);
      }
    }
    if (list && held_against != entry.store.watermark()) {
      held_against = entry.store.watermark();
      entry.is_checked = !is_behind(entry.store, *list);
    }
    const bool waited = co_await aio::pause(delay);
    if (!waited || !hooks.is_wanted()) co_return;
  }
}

void InformerCache::record_refusal(Entry& entry, const kube::Error& error) {
  entry.check_error = error.text;
  if (!entry.spec.can_be_missing || !error.is("NotFound") || entry.is_no_longer_served()) return;
  entry.unserved_since = clock_.monotonic();
  entry.informer.relist();
  logger_.log(runtime::Level::kInfo,
              "a definition does not exist; its objects are skipped until it exists again",
              {{"resource", name_of(entry.spec.resource)}});
}

aio::Task<kube::Result<kube::List>> InformerCache::names_on_server(const Entry& entry) {
  const std::string namespace_name = entry.spec.resource.namespaced ? namespace_name_ : "";
  co_return co_await client_.list(entry.spec.resource, namespace_name, names_of(entry.spec));
}

void InformerCache::log_behind(const Entry& entry) {
  if (!entry.store.is_synced()) return;  // the informer or the lookup logs that case
  logger_.log(runtime::Level::kWarning, "informer cache is stale; dependent controllers paused",
              {{"resource", name_of(entry.spec.resource)}, {"error", entry.last_error()}});
}

bool is_behind(const kube::Store& store, const kube::List& list) {
  const auto listed_at = kube::version_number(list.resource_version);
  const auto shown_at = kube::version_number(store.watermark());
  // All changes up to the list's version have arrived.
  if (listed_at && shown_at && *shown_at >= *listed_at) return false;
  std::set<kube::ObjectKey> names;
  for (const kube::Object& each : list.items) {
    kube::ObjectKey key = kube::key_of(each);
    const auto listed = kube::version_number(each.resource_version());
    const auto shown = kube::version_number(store.version_of(key));
    if (!listed) return false;  // versions that cannot be compared
    if (!shown || *shown < *listed) return true;
    names.insert(std::move(key));
  }
  for (const kube::ObjectKey& key : store.keys()) {
    if (names.contains(key)) continue;
    const auto shown = kube::version_number(store.version_of(key));
    if (shown && listed_at && *shown <= *listed_at) return true;
  }
  return false;
}

}  // namespace dynamo::reconciler
