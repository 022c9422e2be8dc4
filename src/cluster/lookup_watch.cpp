#include "cluster/lookup_watch.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "cluster/resources.hpp"

namespace dynamo::cluster {
namespace {

using api::LookupKind;

struct Source {
  LookupKind kind;
  const kube::Resource* resource;
  // Excludes objects that are never referenced but numerous: every Helm upgrade leaves a Secret.
  std::string_view field_selector;
};
constexpr std::array kSources = std::to_array<Source>({
    {LookupKind::kGraphDeployment, &kGraphDeployments, ""},
    {LookupKind::kPersistentVolumeClaim, &kube::kPersistentVolumeClaims, ""},
    {LookupKind::kConfigMap, &kube::kConfigMaps, ""},
    {LookupKind::kSecret, &kube::kSecrets, "type!=helm.sh/release.v1"},
    {LookupKind::kTopologyBinding, &kTopologyBindings, ""},
});
static_assert(kSources.size() == api::kLookupKindNames.size());

const Source& source_of(LookupKind kind) {
  return kSources[static_cast<std::size_t>(kind)];
}

kube::InformerOptions informer_options(LookupKind kind, const LookupOptions& options) {
  kube::InformerOptions informer;
  informer.namespace_name = options.namespace_name;
  informer.field_selector = source_of(kind).field_selector;
  informer.names_only = kind != LookupKind::kTopologyBinding;
  informer.first_pause = options.first_pause;
  return informer;
}

std::vector<std::string> domains_of(const kube::Object& binding) {
  std::vector<std::string> domains;
  for (const json::Value level : binding.root()["spec"]["levels"].elements()) {
    domains.emplace_back(level["domain"].string_or_empty());
  }
  return domains;
}

std::string key_of(const kube::Object& object) {
  std::string key(object.namespace_name());
  key += '/';
  key += object.name();
  return key;
}

}  // namespace

const kube::Resource& resource_of(LookupKind kind) {
  return *source_of(kind).resource;
}

std::vector<LookupKind> looked_up_kinds(std::span<const std::string> resources) {
  std::vector<LookupKind> kinds;
  for (const Source& source : kSources) {
    const auto names_it = [&](std::string_view name) {
      return (name == "all" && !api::is_cluster_scoped(source.kind)) ||
             name == source.resource->plural;
    };
    if (std::ranges::any_of(resources, names_it)) kinds.push_back(source.kind);
  }
  return kinds;
}

// The objects of one kind.
class LookupWatch::KindWatch final : public kube::InformerHandler {
 public:
  KindWatch(LookupKind kind, kube::Client& client, const LookupOptions& options,
            PacedPublisher<api::ClusterObjects>& publisher, const runtime::Clock& clock,
            runtime::Logger& logger)
      : kind_(kind),
        publisher_(publisher),
        clock_(clock),
        logger_(logger),
        max_staleness_(options.max_staleness),
        most_names_(options.most_names),
        informer_(client, resource_of(kind), informer_options(kind, options), *this, logger) {}

  void replace(std::span<const kube::Object> objects) override {
    names_.clear();
    domains_.clear();
    is_too_much_ = false;
    for (const kube::Object& object : objects) add(object);
    mark_fresh();
    knows_ = true;
    changed();
  }
  void upsert(const kube::Object& object) override {
    if (add(object)) changed();
  }
  void remove(const kube::Object& object) override {
    domains_.erase(std::string(object.name()));
    if (names_.erase(key_of(object)) > 0) changed();
  }

  // Updates whether the known names are still valid.
  void check_freshness() {
    if (!last_seen_) return;  // no list yet
    // A watch that was just reopened has not delivered missed changes yet.
    if (informer_.is_watching() && was_watching_) mark_fresh();
    was_watching_ = informer_.is_watching();
    const bool knows = clock_.monotonic() - *last_seen_ < max_staleness_;
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

  // The domains of the bindings; null if nothing is known, or for another kind.
  std::shared_ptr<const BindingDomains> domains() {
    if (kind_ != LookupKind::kTopologyBinding || table() == nullptr) return nullptr;
    if (domain_table_ == nullptr) domain_table_ = std::make_shared<const BindingDomains>(domains_);
    return domain_table_;
  }

  LookupKind kind() const { return kind_; }
  kube::Informer& informer() { return informer_; }
  const kube::Informer& informer() const { return informer_; }
  std::optional<std::size_t> size() const {
    return knows_ && !is_too_much_ ? std::optional(names_.size()) : std::nullopt;
  }

 private:
  // Returns true if the name or its domains are new.
  bool add(const kube::Object& object) {
    if (is_too_much_) return false;
    if (names_.size() < most_names_) {
      const bool is_new = names_.insert(key_of(object)).second;
      return add_domains(object) || is_new;
    }
    if (names_.contains(key_of(object))) return add_domains(object);
    is_too_much_ = true;
    names_.clear();
    domains_.clear();
    logger_.log(runtime::Level::kError, "too many names to keep; no warnings for their kind",
                {{"kind", api::name(kind_)}, {"limit", most_names_}});
    return true;
  }
  // Returns true if they differ from the known ones.
  bool add_domains(const kube::Object& object) {
    if (kind_ != LookupKind::kTopologyBinding) return false;
    std::vector<std::string> now = domains_of(object);
    std::vector<std::string>& known = domains_[std::string(object.name())];
    if (known == now) return false;
    known = std::move(now);
    return true;
  }
  void mark_fresh() { last_seen_ = clock_.monotonic(); }
  void changed() {
    table_.reset();
    domain_table_.reset();
    publisher_.changed();
  }

  const LookupKind kind_;
  PacedPublisher<api::ClusterObjects>& publisher_;
  const runtime::Clock& clock_;
  runtime::Logger& logger_;
  const std::chrono::milliseconds max_staleness_;
  const std::size_t most_names_;
  kube::Informer informer_;
  NameSet names_;
  std::shared_ptr<const NameTable> table_;              // of names_; null: rebuild it
  BindingDomains domains_;                              // only of kTopologyBinding
  std::shared_ptr<const BindingDomains> domain_table_;  // a copy of domains_; null: rebuild it
  std::optional<std::chrono::steady_clock::time_point> last_seen_;
  bool knows_ = false;
  bool is_too_much_ = false;   // since the last list
  bool was_watching_ = false;  // at the last check
};

LookupWatch::LookupWatch(boost::asio::io_context& loop, kube::Client& client, LookupOptions options,
                         RcuCell& published, const runtime::Clock& clock, runtime::Logger& logger)
    : options_(std::move(options)),
      publisher_(loop, published, options_.pace, [this] { return make(); }),
      next_check_(loop) {
  for (const LookupKind kind : options_.kinds) {
    watches_.push_back(
        std::make_unique<KindWatch>(kind, client, options_, publisher_, clock, logger));
  }
}

LookupWatch::~LookupWatch() = default;

void LookupWatch::spawn(aio::TaskGroup& tasks) {
  for (const auto& watch : watches_) {
    tasks.spawn(std::string(api::name(watch->kind())) + " names",
                [&informer = watch->informer()] { return informer.run(); });
  }
  tasks.spawn("publication of names", [this] { return publisher_.run(); });
  tasks.spawn("staleness of names", [this] { return check_staleness(); });
}

std::unique_ptr<const api::ClusterObjects> LookupWatch::make() {
  ObjectNames::Tables tables;
  std::shared_ptr<const BindingDomains> domains;
  for (const auto& watch : watches_) {
    tables[static_cast<std::size_t>(watch->kind())] = watch->table();
    if (auto known = watch->domains()) domains = std::move(known);
  }
  return std::make_unique<const ObjectNames>(std::move(tables), options_.namespace_name,
                                             std::move(domains));
}

aio::Task<> LookupWatch::check_staleness() {
  for (;;) {
    for (const auto& watch : watches_) watch->check_freshness();
    next_check_.expires_after(options_.check_interval);
    co_await next_check_.async_wait(boost::asio::use_awaitable);
  }
}

const LookupWatch::KindWatch* LookupWatch::find(LookupKind kind) const {
  const auto at = std::ranges::find(watches_, kind, [](const auto& one) { return one->kind(); });
  return at == watches_.end() ? nullptr : at->get();
}

std::optional<std::size_t> LookupWatch::size(LookupKind kind) const {
  const KindWatch* const watch = find(kind);
  return watch == nullptr ? std::nullopt : watch->size();
}

std::optional<std::uint64_t> LookupWatch::restarts(LookupKind kind) const {
  const KindWatch* const watch = find(kind);
  if (watch == nullptr) return std::nullopt;
  return watch->informer().restarts();
}

}  // namespace dynamo::cluster
