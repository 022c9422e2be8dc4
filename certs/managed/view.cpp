#include "certs/managed/view.hpp"

#include <algorithm>
#include <utility>

namespace dynamo::certs::managed {
namespace {

// Limit of remembered CAs: a rotation leaves one per decade.
constexpr std::size_t kMaxKnownCas = 16;

template <class Visit>
void for_each_entry(const std::deque<TargetStore>& stores, Visit visit) {
  for (const TargetStore& store : stores) {
    for (const InjectionTarget& target : store.targets()) {
      for (const TargetEntry& entry : target.entries) visit(target, entry);
    }
  }
}

void add(std::vector<CaCertificate>& bundle, const CaCertificate& certificate) {
  if (!holds(bundle, certificate.facts.fingerprint)) bundle.push_back(certificate);
}

}  // namespace

SecretStore::SecretStore(const Settings& settings, runtime::Logger& logger,
                         std::function<void()> changed)
    : StoreFollower(kube::kSecrets, kube::StoreOptions(), logger),
      key_{.namespace_name = settings.namespace_name, .name = settings.secret},
      changed_(std::move(changed)) {}

void SecretStore::changed(const kube::StoreChange& change) {
  take(change.now == nullptr ? kube::Object() : *change.now);
}

void SecretStore::applied(Batch) {
  if (revision_ == 0) take(kube::Object());  // there is none
  changed_();
}

void SecretStore::ready(const kube::ObjectKey&) {
  changed_();
}

void SecretStore::take(kube::Object object) {
  object_ = std::move(object);
  decoded_ = decode_secret(object_.root());
  ++revision_;
}

void SecretStore::wrote(std::string_view version, std::chrono::steady_clock::time_point now) {
  store().record_write(key_, version, now);
}

bool SecretStore::has_observed_write(std::chrono::steady_clock::time_point now) {
  const kube::Readiness readiness = store().readiness(key_, now);
  // If our write never appears, steps based on the old state are refused as conflicts.
  if (readiness == kube::Readiness::kOverdue) store().settle(key_);
  return readiness != kube::Readiness::kBehind;
}

View::View(const Settings& settings, const runtime::Clock& clock, runtime::Logger& logger,
           std::function<void()> changed)
    : secret(settings, logger, changed),
      reports(settings, clock, logger, changed),
      settings_(settings),
      clock_(clock) {
  if (!is_keeper(settings)) return;
  targets.emplace_back(kube::kValidatingWebhookConfigurations, settings, logger, changed);
  targets.emplace_back(kube::kMutatingWebhookConfigurations, settings, logger, changed);
  if (settings.inject_crds) {
    targets.emplace_back(kube::kCustomResourceDefinitions, settings, logger, changed);
  }
}

bool View::are_targets_synced() const {
  return std::all_of(targets.begin(), targets.end(),
                     [](const TargetStore& store) { return store.is_synced(); });
}

bool View::is_verified_by_all(const CheckedPair& leaf, std::string_view ca_fingerprint) const {
  if (is_keeper(settings_)) return are_targets_synced() && unverified(leaf.pair).empty();
  const DecodedSecret& decoded = secret.decoded();
  if (decoded.verified_leaf.empty()) return false;
  if (decoded.verified_leaf == leaf.leaf.fingerprint) return true;
  // A bundle that verifies one leaf of a CA verifies the others, which have the same names.
  return decoded.content && decoded.content->leaf->leaf.fingerprint == decoded.verified_leaf &&
         decoded.content->ca.facts.fingerprint == ca_fingerprint;
}

bool VerificationCache::verifies(std::string_view bundle_pem, const KeyPair& leaf,
                                 const std::string& name) {
  // Enough for the leaf in use and that of the Secret, with a few different bundles each.
  constexpr std::size_t kMaxResults = 16;
  for (const Result& result : recent_) {
    if (result.bundle_pem == bundle_pem && result.leaf_pem == leaf.certificate_pem) {
      return result.is_verified;
    }
  }
  if (recent_.size() == kMaxResults) recent_.pop_back();
  recent_.push_front({.bundle_pem = std::string(bundle_pem),
                      .leaf_pem = leaf.certificate_pem,
                      .is_verified = managed::verifies(bundle_pem, leaf, {name})});
  return recent_.front().is_verified;
}

bool View::has_targets() const {
  return std::any_of(targets.begin(), targets.end(),
                     [](const TargetStore& store) { return !store.targets().empty(); });
}

std::vector<std::string> View::unverified(const KeyPair& leaf) const {
  const std::string asked = api_server_name(settings_);
  std::vector<std::string> names;
  for_each_entry(targets, [&](const InjectionTarget& target, const TargetEntry& entry) {
    if (verification_.verifies(entry.bundle_pem, leaf, asked)) return;
    names.push_back(target_name(target) +
                    (entry.webhook.empty() ? " (conversion)" : " (webhook " + entry.webhook + ")"));
  });
  return names;
}

bool View::is_published(const std::vector<CaCertificate>& certificates) const {
  bool everywhere = are_targets_synced();
  for_each_entry(targets, [&](const InjectionTarget&, const TargetEntry& entry) {
    for (const CaCertificate& certificate : certificates) {
      everywhere = everywhere && holds(entry.bundle, certificate.facts.fingerprint);
    }
  });
  return everywhere;
}

bool View::knows_reports() const {
  if (!reports.is_synced()) return false;
  if (is_server(settings_)) return true;
  return std::ranges::any_of(reports.reports(), [this](const ReplicaReport& report) {
    return report.name == reports.own_name();
  });
}

bool View::is_served_by_all(std::string_view ca_fingerprint) const {
  if (!knows_reports() || !reports.is_complete()) return false;
  if (is_server(settings_) && !served) return false;
  const std::vector<std::string> cas = served_cas();
  return std::all_of(cas.begin(), cas.end(),
                     [ca_fingerprint](const std::string& ca) { return ca == ca_fingerprint; });
}

std::size_t View::note_verified() {
  if (!is_server(settings_)) {
    const auto& content = secret.decoded().content;
    return content ? unverified(content->leaf->pair).size() : 0;
  }
  if (!served) return 0;
  verified_.update(is_verified_by_all(*served, served_ca.facts.fingerprint),
                   served->leaf.fingerprint, clock_.monotonic());
  return unverified(served->pair).size();
}

std::optional<std::chrono::nanoseconds> View::verified_for() const {
  return verified_.lasted(clock_.monotonic());
}

void View::remember(const std::vector<CaCertificate>& certificates) {
  for (const CaCertificate& certificate : certificates) add(known_cas_, certificate);
  if (known_cas_.size() > kMaxKnownCas) {
    known_cas_.erase(known_cas_.begin(),
                     known_cas_.end() - static_cast<std::ptrdiff_t>(kMaxKnownCas));
  }
}

std::vector<CaCertificate> View::wanted_bundle(const Content& content) const {
  std::vector<CaCertificate> known = known_cas_;
  for_each_entry(targets, [&known](const InjectionTarget&, const TargetEntry& entry) {
    for (const CaCertificate& certificate : entry.bundle) {
      if (certificate.facts.subject == "CN=" + std::string(kCaName)) add(known, certificate);
    }
  });
  std::vector<CaCertificate> still_needed;
  for (const std::string& ca : served_cas()) {
    for (const CaCertificate& certificate : known) {
      if (certificate.facts.fingerprint == ca) add(still_needed, certificate);
    }
  }
  // Dropped reports may refer to any of our CAs.
  if (!reports.is_complete()) {
    for (const CaCertificate& certificate : known_cas_) add(still_needed, certificate);
  }
  // Sorted, so that every leader writes the same bundle.
  std::sort(still_needed.begin(), still_needed.end(),
            [](const auto& a, const auto& b) { return a.facts.fingerprint < b.facts.fingerprint; });
  std::vector<CaCertificate> wanted = content.trusted();
  for (const CaCertificate& certificate : still_needed) add(wanted, certificate);
  return wanted;
}

std::vector<std::string> View::served_cas() const {
  std::vector<std::string> cas;
  if (served) cas.push_back(served_ca.facts.fingerprint);
  const std::string& own = reports.own_name();
  for (const ReplicaReport& report : reports.reports()) {
    // Our own report is older than our state. A keeper's report only shows that it is live; it
    // serves nothing.
    const bool counts = report.name != own && !report.is_of_keeper && reports.is_live(report);
    if (counts) cas.push_back(report.served.ca);
  }
  return cas;
}

}  // namespace dynamo::certs::managed
