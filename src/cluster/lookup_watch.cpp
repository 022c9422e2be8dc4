#include "cluster/lookup_watch.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "cluster/resources.hpp"

namespace dynamo::cluster {
namespace {

using api::LookedUp;

struct Source {
  LookedUp kind;
  const kube::Resource* resource;
  // Excludes objects that are never referenced but numerous: every Helm upgrade leaves a Secret.
  std::string_view field_selector;
};
constexpr std::array kSources = std::to_array<Source>({
    {LookedUp::kGraphDeployment, &kGraphDeployments, ""},
    {LookedUp::kPersistentVolumeClaim, &kube::kPersistentVolumeClaims, ""},
    {LookedUp::kConfigMap, &kube::kConfigMaps, ""},
    {LookedUp::kSecret, &kube::kSecrets, "type!=helm.sh/release.v1"},
});
static_assert(kSources.size() == api::kLookedUpNames.size());

const Source& source_of(LookedUp kind) {
  return kSources[static_cast<std::size_t>(kind)];
}

kube::InformerOptions informer_options(LookedUp kind, const LookupOptions& options) {
  kube::InformerOptions informer;
  informer.namespace_name = options.namespace_name;
  informer.field_selector = source_of(kind).field_selector;
  informer.names_only = true;
  informer.first_pause = options.first_pause;
  return informer;
}

std::string key_of(const kube::Object& object) {
  std::string key(object.namespace_name());
  key += '/';
  key += object.name();
  return key;
}

}  // namespace

const kube::Resource& resource_of(LookedUp kind) {
  return *source_of(kind).resource;
}

std::vector<LookedUp> looked_up_kinds(std::span<const std::string> resources) {
  std::vector<LookedUp> kinds;
  for (const Source& source : kSources) {
    const auto names_it = [&](std::string_view name) {
      return name == "all" || name == source.resource->plural;
    };
    if (std::ranges::any_of(resources, names_it)) kinds.push_back(source.kind);
  }
  return kinds;
}

// The objects of one kind.
class LookupWatch::Followed final : public kube::InformerHandler {
 public:
  Followed(LookedUp kind, kube::Client& client, const LookupOptions& options,
           PacedPublisher<api::ClusterObjects>& publisher, const runtime::Clock& clock,
           runtime::Logger& logger)
      : kind_(kind),
        publisher_(publisher),
        clock_(clock),
        logger_(logger),
        longest_blindness_(options.longest_blindness),
        most_names_(options.most_names),
        informer_(client, resource_of(kind), informer_options(kind, options), *this, logger) {}

  void replace(std::span<const kube::Object> objects) override {
    names_.clear();
    is_too_much_ = false;
    for (const kube::Object& object : objects) add(object);
    seen();
    knows_ = true;
    changed();
  }
  void upsert(const kube::Object& object) override {
    if (add(object)) changed();
  }
  void remove(const kube::Object& object) override {
    if (names_.erase(key_of(object)) > 0) changed();
  }

  // Updates whether the known names are still valid.
  void look() {
    if (!last_seen_) return;  // no list yet
    // A watch that was just reopened has not delivered missed changes yet.
    if (informer_.watching() && was_watching_) seen();
    was_watching_ = informer_.watching();
    const bool knows = clock_.monotonic() - *last_seen_ < longest_blindness_;
    if (knows == knows_) return;
    knows_ = knows;
    publisher_.changed();
  }

  // Null if nothing is known.
  std::shared_ptr<const NameTable> table() {
    if (!knows_ || is_too_much_) return nullptr;
    if (table_ == nullptr) table_ = std::make_shared<const NameTable>(names_);
    return table_;
  }

  LookedUp kind() const { return kind_; }
  kube::Informer& informer() { return informer_; }
  const kube::Informer& informer() const { return informer_; }
  std::optional<std::size_t> size() const {
    return knows_ && !is_too_much_ ? std::optional(names_.size()) : std::nullopt;
  }

 private:
  // Returns true if the name is new.
  bool add(const kube::Object& object) {
    if (is_too_much_) return false;
    if (names_.size() < most_names_) return names_.insert(key_of(object)).second;
    if (names_.contains(key_of(object))) return false;
    is_too_much_ = true;
    names_.clear();
    logger_.log(runtime::Level::kError, "too many names to keep; nothing is warned of their kind",
                {{"kind", api::name(kind_)}, {"limit", most_names_}});
    return true;
  }
  void seen() { last_seen_ = clock_.monotonic(); }
  void changed() {
    table_.reset();
    publisher_.changed();
  }

  const LookedUp kind_;
  PacedPublisher<api::ClusterObjects>& publisher_;
  const runtime::Clock& clock_;
  runtime::Logger& logger_;
  const std::chrono::milliseconds longest_blindness_;
  const std::size_t most_names_;
  kube::Informer informer_;
  NameSet names_;
  std::shared_ptr<const NameTable> table_;  // of names_; null: rebuild it
  std::optional<std::chrono::steady_clock::time_point> last_seen_;
  bool knows_ = false;
  bool is_too_much_ = false;   // since the last list
  bool was_watching_ = false;  // at the last check
};

LookupWatch::LookupWatch(boost::asio::io_context& loop, kube::Client& client, LookupOptions options,
                         Published& published, const runtime::Clock& clock, runtime::Logger& logger)
    : options_(std::move(options)),
      publisher_(loop, published, options_.pace, [this] { return make(); }),
      next_look_(loop) {
  for (const LookedUp kind : options_.kinds) {
    followed_.push_back(
        std::make_unique<Followed>(kind, client, options_, publisher_, clock, logger));
  }
}

LookupWatch::~LookupWatch() = default;

void LookupWatch::spawn(aio::TaskGroup& tasks) {
  for (const auto& followed : followed_) {
    tasks.spawn(std::string(api::name(followed->kind())) + " names",
                [&informer = followed->informer()] { return informer.run(); });
  }
  tasks.spawn("names' publication", [this] { return publisher_.run(); });
  tasks.spawn("names' age", [this] { return look_for_blindness(); });
}

std::unique_ptr<const api::ClusterObjects> LookupWatch::make() {
  ObjectNames::Tables tables;
  for (const auto& followed : followed_) {
    tables[static_cast<std::size_t>(followed->kind())] = followed->table();
  }
  return std::make_unique<const ObjectNames>(std::move(tables), options_.namespace_name);
}

aio::Task<> LookupWatch::look_for_blindness() {
  for (;;) {
    for (const auto& followed : followed_) followed->look();
    next_look_.expires_after(options_.look_every);
    co_await next_look_.async_wait(boost::asio::use_awaitable);
  }
}

const LookupWatch::Followed* LookupWatch::find(LookedUp kind) const {
  const auto at = std::ranges::find(followed_, kind, [](const auto& one) { return one->kind(); });
  return at == followed_.end() ? nullptr : at->get();
}

std::optional<std::size_t> LookupWatch::size(LookedUp kind) const {
  const Followed* const followed = find(kind);
  return followed == nullptr ? std::nullopt : followed->size();
}

std::optional<std::uint64_t> LookupWatch::restarts(LookedUp kind) const {
  const Followed* const followed = find(kind);
  if (followed == nullptr) return std::nullopt;
  return followed->informer().restarts();
}

}  // namespace dynamo::cluster
