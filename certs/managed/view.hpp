// All that one replica knows of the cluster, as far as certificates go, and what follows from it.
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
#include "kube/object.hpp"
#include "kube/store_follower.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace dynamo::certs::managed {

// The Secret as the informer last saw it, decoded. On the loop's thread.
class SecretStore final : public kube::StoreFollower {
 public:
  // `settings` and `logger` must outlive it. `changed` is called after each list and each event,
  // and when what was written has come back.
  SecretStore(const Settings& settings, runtime::Logger& logger, std::function<void()> changed);

  const kube::Object& object() const { return object_; }  // empty: there is none
  const Decoded& decoded() const { return decoded_; }
  // Another one whenever it was changed, and 0 before the first list only.
  std::uint64_t sights() const { return sights_; }

  // It was written, and has that version now.
  void wrote(std::string_view version, std::chrono::steady_clock::time_point now);
  // False while this does not show what was written: a step that rests on it would be taken twice.
  bool shows_what_was_written(std::chrono::steady_clock::time_point now);

 private:
  void changed(const kube::StoreChange& change) override;
  void ready(const kube::ObjectKey& key) override;
  void told(Told what) override;
  void take(kube::Object object);

  const kube::ObjectKey key_;
  const std::function<void()> changed_;
  kube::Object object_;
  Decoded decoded_;
  std::uint64_t sights_ = 0;
};

// For how long something has been so, for one subject at a time.
class Since {
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

// On the loop's thread. Everything given must outlive it.
class View {
 public:
  View(const Settings& settings, const runtime::Clock& clock, runtime::Logger& logger,
       std::function<void()> changed);

  SecretStore secret;
  std::deque<TargetStore> targets;  // one for each resource that is looked after
  ReportStore reports;

  // What this replica serves; empty: nothing yet.
  std::optional<CheckedPair> served;
  CaCertificate served_ca;

  bool targets_synced() const;
  // Whether every caBundle verifies this leaf of that CA. A server asks the keeper's annotation.
  bool all_verify(const CheckedPair& leaf, std::string_view ca_fingerprint) const;
  bool any_target() const;
  // Entries whose caBundle does not verify the leaf, as "RESOURCE/NAME (webhook WEBHOOK)".
  std::vector<std::string> unverified(const KeyPair& leaf) const;
  // True if every entry holds all of these.
  bool published(const std::vector<CaCertificate>& certificates) const;
  // Whether the reports are listed. A keeper must see its own among them: a shared Lease that was
  // deleted, or lost its label, shows no reports, and then no CA may go.
  bool knows_reports() const;
  // True if every live replica that serves, this one among them, serves a leaf of this CA.
  bool all_serve(std::string_view ca_fingerprint) const;
  // Looks at the configurations once more: to be called after each change. Answers how many entries
  // do not verify what this replica serves, of a keeper what the Secret holds.
  std::size_t note_verified();
  // For how long every caBundle has verified what this replica serves; nothing: not so now.
  std::optional<std::chrono::nanoseconds> verified_for() const;

  // Keeps the CAs of a good content in mind, so that one can be put back that somebody took out.
  void remember(const std::vector<CaCertificate>& certificates);
  // What every caBundle is to be: the Secret's CAs, and any CA known to us whose leaf a live
  // replica serves. Only CAs that this server made and published are ever added.
  std::vector<CaCertificate> wanted_bundle(const Content& content) const;

 private:
  std::vector<std::string> served_cas() const;

  const Settings& settings_;
  const runtime::Clock& clock_;
  std::vector<CaCertificate> seen_;
  Since verified_;
};

}  // namespace dynamo::certs::managed
