#include "reconciler/store_set.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include "aio/backoff.hpp"
#include "aio/pause.hpp"
#include "kube/resource_version.hpp"

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
constexpr milliseconds kUntold{10'000};
// Definitions are rarely installed.
constexpr milliseconds kLookForMissing{30'000};

kube::InformerOptions informer_options(const std::string& namespace_name, const Watched& watched,
                                       const runtime::Clock& clock) {
  kube::InformerOptions options;
  options.namespace_name = watched.resource.namespaced ? namespace_name : std::string();
  options.label_selector = watched.label_selector;
  options.field_selector = watched.field_selector;
  options.metadata_only = watched.options.metadata_only;
  options.longest_pause = std::chrono::seconds(10);
  options.clock = &clock;
  return options;
}

kube::ListOptions names_of(const Watched& watched) {
  kube::ListOptions options;
  options.names_only = true;
  options.label_selector = watched.label_selector;
  options.field_selector = watched.field_selector;
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
milliseconds rest_after(const kube::Error& error, aio::Backoff& backoff) {
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

Watched united(const Watched& left, const Watched& right) {
  Watched all = left;
  all.options.label_indexes = both(left.options.label_indexes, right.options.label_indexes);
  all.options.field_indexes = both(left.options.field_indexes, right.options.field_indexes);
  all.options.namespace_index = left.options.namespace_index || right.options.namespace_index;
  all.options.owner_index = left.options.owner_index || right.options.owner_index;
  all.options.left_out = common(left.options.left_out, right.options.left_out);
  all.options.metadata_only = left.options.metadata_only && right.options.metadata_only;
  all.options.most_bytes = std::max(left.options.most_bytes, right.options.most_bytes);
  if (left.label_selector != right.label_selector) all.label_selector.clear();
  if (left.field_selector != right.field_selector) all.field_selector.clear();
  all.may_be_missing = left.may_be_missing && right.may_be_missing;
  return all;
}

StoreSet::Kept::Kept(kube::Client& client, const Watched& the_watched,
                     const std::string& namespace_name, const runtime::Clock& clock,
                     runtime::Logger& logger)
    : watched(the_watched),
      store(the_watched.resource, the_watched.options, logger),
      informer(client, the_watched.resource, informer_options(namespace_name, the_watched, clock),
               store, logger) {}

bool StoreSet::Kept::is_gone() const {
  const auto listed_from = informer.listed_from();
  return gone_at && !(listed_from && *listed_from > *gone_at);
}

bool StoreSet::Kept::is_current() const {
  if (!term_from || is_checked) return true;
  const auto listed_from = informer.listed_from();
  return listed_from && *listed_from >= *term_from;
}

const std::string& StoreSet::Kept::last_error() const {
  if (!is_followed()) return look_error;
  const bool tells_check = store.synced() && !is_current() && !check_error.empty();
  return tells_check ? check_error : informer.last_error();
}

StoreSet::StoreSet(kube::Client& client, std::string namespace_name,
                   const std::vector<Watched>& watched, const runtime::Clock& clock,
                   runtime::Logger& logger)
    : client_(client), clock_(clock), logger_(logger), namespace_name_(std::move(namespace_name)) {
  std::map<std::string, Watched> all;
  for (const Watched& each : watched) {
    const auto [at, is_new] = all.try_emplace(name_of(each.resource), each);
    if (!is_new) at->second = united(at->second, each);
  }
  for (auto& [name, each] : all) {
    each.options.namespace_index = true;
    kept_[name] = std::make_unique<Kept>(client_, each, namespace_name_, clock, logger);
  }
}

// There are about a dozen, and every reconcile looks one up: comparing is cheaper than building a
// name.
StoreSet::Kept& StoreSet::kept(const kube::Resource& resource) const {
  const auto found = std::ranges::find_if(kept_, [&resource](const auto& each) {
    const kube::Resource& watched = each.second->watched.resource;
    return watched.plural == resource.plural && watched.group == resource.group;
  });
  if (found == kept_.end()) {
    throw std::logic_error("nobody watches " + std::string(resource.plural));
  }
  return *found->second;
}

const kube::Store& StoreSet::at(const kube::Resource& resource) const {
  return kept(resource).store;
}

kube::Store& StoreSet::at(const kube::Resource& resource) {
  return kept(resource).store;
}

bool StoreSet::serves(const kube::Resource& resource) const {
  return kept(resource).is_there();
}

std::string StoreSet::unlisted(const kube::Resource& resource) const {
  const Kept& found = kept(resource);
  return found.is_complete() ? std::string() : found.last_error();
}

bool StoreSet::is_complete(const kube::Resource& resource) const {
  return kept(resource).is_complete();
}

std::string StoreSet::incomplete() const {
  std::string text;
  for (const auto& [name, kept] : kept_) {
    if (kept->is_complete()) continue;
    if (!text.empty()) text += "; ";
    const std::string& error = kept->last_error();
    const char* const why = kept->store.synced() ? "behind the API server" : "no answer yet";
    text.append(name).append(": ").append(error.empty() ? why : error);
  }
  return text;
}

bool StoreSet::may_hide(const kube::Resource& resource) const {
  return !kept(resource).watched.field_selector.empty();
}

StoreSet::Relist StoreSet::list_anew(const kube::Resource& resource,
                                     std::chrono::steady_clock::time_point now) {
  Kept& found = kept(resource);
  const auto listed_from = found.informer.listed_from();
  if (listed_from && now - *listed_from < kBetweenRelists) return Relist::kListed;
  if (!found.relisted_at || now - *found.relisted_at >= kBetweenRelists) {
    found.relisted_at = now;
    found.informer.list_anew();
  }
  return now - *found.relisted_at < kForRelist ? Relist::kAwaited : Relist::kInVain;
}

void StoreSet::start(aio::TaskGroup& tasks) {
  for (auto& [name, kept] : kept_) {
    tasks.spawn("informer of " + name, [this, each = kept.get()] { return follow(*each); });
  }
}

aio::Task<> StoreSet::follow(Kept& kept) {
  const std::string namespace_name =
      kept.watched.resource.namespaced ? namespace_name_ : std::string();
  aio::Backoff backoff(kAskAgain, kForList);
  while (!kept.is_followed()) {
    const auto list = co_await client_.list(kept.watched.resource, namespace_name, any_name());
    looked(kept, list);
    if (kept.is_served) break;
    milliseconds rest = kLookForMissing;
    if (kept.is_missing) {
      backoff.reset();
    } else {
      rest = rest_after(list.error(), backoff);
    }
    const bool waited = co_await aio::pause(rest);
    if (!waited) co_return;
  }
  co_await kept.informer.run();
}

void StoreSet::looked(Kept& kept, const kube::Result<kube::List>& list) {
  if (!list && list.error().failure == kube::Failure::kCancelled) return;
  const bool was_missing = kept.is_missing;
  const std::string error_before = kept.look_error;
  kept.is_served = !list.has_error();
  kept.is_missing = !list && list.error().is("NotFound");
  kept.look_error = list ? std::string() : list.error().text;
  if (kept.is_missing && !was_missing) {
    logger_.log(runtime::Level::kInfo,
                "a definition is missing; its objects are skipped until it exists",
                {{"resource", name_of(kept.watched.resource)}});
  } else if (kept.is_served && was_missing) {
    logger_.log(runtime::Level::kInfo, "a definition that was missing exists and is watched",
                {{"resource", name_of(kept.watched.resource)}});
  } else if (kept.is_served && !error_before.empty()) {
    logger_.log(runtime::Level::kInfo, "a resource that could not be listed is listed and watched",
                {{"resource", name_of(kept.watched.resource)}});
  } else if (!kept.is_served && !kept.is_missing && kept.look_error != error_before) {
    logger_.log(runtime::Level::kWarning,
                "a watched resource cannot be listed; dependent controllers paused; trying again",
                {{"resource", name_of(kept.watched.resource)}, {"error", kept.look_error}});
  }
}

void StoreSet::distrust(std::chrono::steady_clock::time_point term_from) {
  for (auto& [name, kept] : kept_) {
    kept->term_from = term_from;
    kept->is_checked = false;
    kept->check_error.clear();
  }
}

void StoreSet::trust() {
  for (auto& [name, kept] : kept_) kept->term_from.reset();
}

void StoreSet::catch_up(aio::TaskGroup& tasks, const CatchingUp& hooks) {
  for (auto& [name, kept] : kept_) {
    if (kept->is_complete() && !kept->is_gone()) continue;
    tasks.spawn("catching up with " + name,
                [this, each = kept.get(), hooks] { return await_complete(*each, hooks); });
    tasks.spawn("a check of " + name,
                [this, each = kept.get(), hooks] { return check(*each, hooks); });
  }
}

// A watch event or a list may also complete the cache while the API server has not answered yet.
aio::Task<> StoreSet::await_complete(Kept& kept, CatchingUp hooks) {
  const auto began = std::chrono::steady_clock::now();
  auto relisted = began + kForWatch - kForList;
  bool is_told = false;
  while (!kept.is_complete()) {
    const auto now = std::chrono::steady_clock::now();
    if (!is_told && now - began >= kUntold) {
      is_told = true;
      tell_behind(kept);
    }
    if (kept.store.synced() && now - relisted >= kForList) {
      relisted = now;
      kept.informer.list_anew();
    }
    const bool waited = co_await aio::pause(kLook);
    if (!waited || !hooks.is_wanted()) co_return;
  }
  hooks.caught_up(kept.watched.resource);
}

aio::Task<> StoreSet::check(Kept& kept, CatchingUp hooks) {
  aio::Backoff backoff(kAskAgain, kForList);
  std::optional<kube::List> list;
  std::optional<std::string> held_against;  // the cache's watermark at the last comparison
  while (!kept.is_complete() || kept.is_gone()) {
    milliseconds rest = kLook;
    if (!list && kept.store.synced()) {
      auto asked = co_await names_on_server(kept);
      if (!hooks.is_wanted()) co_return;
      if (asked) {
        kept.check_error.clear();
        kept.gone_at.reset();
        list = std::move(*asked);
      } else {
        refused(kept, asked.error());
        rest = kept.is_gone() ? kLookForMissing : rest_after(asked.error(), backoff);
      }
    }
    if (list && held_against != kept.store.watermark()) {
      held_against = kept.store.watermark();
      kept.is_checked = !is_behind(kept.store, *list);
    }
    const bool waited = co_await aio::pause(rest);
    if (!waited || !hooks.is_wanted()) co_return;
  }
}

void StoreSet::refused(Kept& kept, const kube::Error& error) {
  kept.check_error = error.text;
  if (!kept.watched.may_be_missing || !error.is("NotFound") || kept.is_gone()) return;
  kept.gone_at = clock_.monotonic();
  kept.informer.list_anew();
  logger_.log(runtime::Level::kInfo,
              "a definition does not exist; its objects are skipped until it exists again",
              {{"resource", name_of(kept.watched.resource)}});
}

aio::Task<kube::Result<kube::List>> StoreSet::names_on_server(const Kept& kept) {
  const std::string namespace_name = kept.watched.resource.namespaced ? namespace_name_ : "";
  co_return co_await client_.list(kept.watched.resource, namespace_name, names_of(kept.watched));
}

void StoreSet::tell_behind(const Kept& kept) {
  if (!kept.store.synced()) return;  // the informer or the lookup logs that case
  logger_.log(runtime::Level::kWarning, "informer cache is stale; dependent controllers paused",
              {{"resource", name_of(kept.watched.resource)}, {"error", kept.last_error()}});
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
