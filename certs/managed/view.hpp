// The cluster state that one replica observes for its certificates, and conclusions from it.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "certs/managed/content.hpp"
#include "certs/managed/reports.hpp"
#include "certs/managed/settings.hpp"
#include "certs/managed/targets.hpp"
#include "kube/cache/store_follower.hpp"
#include "kube/object/object.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace dynamo::certs::managed {

// The Secret as last received by the informer, decoded. On the loop's thread.
class SecretStore final : public kube::StoreFollower {
 public:
  // `settings` and `logger` must outlive it. `changed` is called after each list and each event,
  // and when the cache shows our write.
  SecretStore(const Settings& settings, runtime::Logger& logger, std::function<void()> changed);

  const kube::Object& object() const { return object_; }  // empty: there is none
  const DecodedSecret& decoded() const { return decoded_; }
  // Increases with each change; 0 only before the first list.
  std::uint64_t revision() const { return revision_; }

  // Records that the Secret was written and has that version now.
  void wrote(std::string_view version, std::chrono::steady_clock::time_point now);
  // False while the cache does not show our write: a step based on it would be executed twice.
  bool has_observed_write(std::chrono::steady_clock::time_point now);

 private:
  void changed(const kube::StoreChange& change) override;
  void ready(const kube::ObjectKey& key) override;
  void applied(Batch what) override;
  void take(kube::Object object);

  const kube::ObjectKey key_;
  const std::function<void()> changed_;
  kube::Object object_;
  DecodedSecret decoded_;
  std::uint64_t revision_ = 0;
};

// How long a condition has held, for one subject at a time.
class ConditionTimer {
 public:
  void update(bool is_so, std::string_view subject, std::chrono::steady_clock::time_point now) {
    if (!is_so || subject != subject_) from_.reset();
    subject_ = subject;
    if (is_so && !from_) from_ = now;
  }
  std::optional<std::chrono::nanoseconds> lasted(std::chrono::steady_clock::time_point now) const {
    if (!from_) return std::nullopt;
    return now - *from_;
  }

 private:
  std::string subject_;
  std::optional<std::chrono::steady_clock::time_point> from_;
};

// Remembers the last results of verifies(), which readiness probes and each change ask for again.
class VerificationCache {
 public:
  bool verifies(std::string_view bundle_pem, const KeyPair& leaf, const std::string& name);

 private:
  struct Result {
    std::string bundle_pem;
    std::string leaf_pem;
    bool is_verified = false;
  };

  std::deque<Result> recent_;  // the newest first
};

// On the loop's thread. Everything given must outlive it.
class View {
 public:
  View(const Settings& settings, const runtime::Clock& clock, runtime::Logger& logger,
       std::function<void()> changed);

  SecretStore secret;
  std::deque<TargetStore> targets;  // one per managed resource
  ReportStore reports;

  // The pair that this replica serves; empty: nothing yet.
  std::optional<CheckedPair> served;
  CaCertificate served_ca;

  bool are_targets_synced() const;
  // Whether every caBundle verifies this leaf of that CA. A server reads the keeper's annotation.
  bool is_verified_by_all(const CheckedPair& leaf, std::string_view ca_fingerprint) const;
  bool has_targets() const;
  // Entries whose caBundle does not verify the leaf, as "RESOURCE/NAME (webhook WEBHOOK)".
  std::vector<std::string> unverified(const KeyPair& leaf) const;
  // True if every entry contains all of these.
  bool is_published(const std::vector<CaCertificate>& certificates) const;
  // Whether the reports are known. A keeper must find its own among them: a shared Lease that was
  // deleted, or lost its label, has no reports, and then no CA may be removed.
  bool knows_reports() const;
  // True if every live serving replica, including this one, serves a leaf of this CA.
  bool is_served_by_all(std::string_view ca_fingerprint) const;
  // Re-evaluates the configurations; call it after each change. Returns the number of entries that
  // do not verify what this replica serves, or for a keeper the Secret's leaf.
  std::size_t note_verified();
  // How long every caBundle has verified what this replica serves; nullopt: currently not.
  std::optional<std::chrono::nanoseconds> verified_for() const;

  // Remembers the CAs of a valid content, so that a CA can be restored after another client removed
  // it.
  void remember(const std::vector<CaCertificate>& certificates);
  // The desired caBundle: the Secret's CAs, and any known CA whose leaf a live replica serves. Only
  // CAs that this server created and published are ever added.
  std::vector<CaCertificate> wanted_bundle(const Content& content) const;

 private:
  std::vector<std::string> served_cas() const;

  const Settings& settings_;
  const runtime::Clock& clock_;
  std::vector<CaCertificate> known_cas_;
  ConditionTimer verified_;
  mutable VerificationCache verification_;
};

}  // namespace dynamo::certs::managed
