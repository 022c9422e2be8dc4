// Decides how to change the Secret: a pure function of the observed state, without clock or
// cluster.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "certs/managed/content.hpp"
#include "certs/managed/settings.hpp"

namespace dynamo::certs::managed {

// The cluster state that this replica observes.
struct ObservedState {
  DecodedSecret secret;
  bool is_leader = false;
  bool any_configuration = false;  // at least one labelled configuration calls our Service
  // How long every configuration has held all of the Secret's CAs; nullopt: currently not.
  std::optional<std::chrono::nanoseconds> published_for;
  // How long every live replica has served a leaf of the CA in use; nullopt: currently not.
  std::optional<std::chrono::nanoseconds> switched_for;
};

enum class SecretStep : std::uint8_t {
  kNothing,
  kCreateAll,     // a new CA with a new leaf
  kRestore,       // write the remembered content again
  kRepair,        // write its valid parts again
  kRenewLeaf,     // a new leaf of the same CA
  kPublishNext,   // CA rotation: add the next CA to every caBundle
  kSwitchLeaf,    // the leaf becomes the next CA's
  kDropPrevious,  // remove the old CA
};

// Why the Secret is written; a label of metrics.
enum class WriteCause : std::uint8_t {
  kMissing,  // the first four equal the values of Fault
  kCorrupt,
  kMismatched,
  kForeign,
  kExpired,  // or starts in the future
  kRenewal,
  kNames,
  kRequested,
  kRotation,
};
inline constexpr std::array<std::string_view, 9> kCauseNames{"missing", "corrupt",   "mismatched",
                                                             "foreign", "expired",   "renewal",
                                                             "names",   "requested", "rotation"};

struct PlannedChange {
  SecretStep step = SecretStep::kNothing;
  WriteCause cause = WriteCause::kMissing;
  std::string text;  // one line for users: what was found

  // True if it replaces something missing or bad; false for scheduled changes.
  bool is_replacement() const { return cause <= WriteCause::kExpired; }
};

// `remembered` is the newest valid content that this replica observed; null: none yet. Any replica
// repairs faults and renews leaves; only the leader advances a rotation.
PlannedChange plan(const ObservedState& observed, const Content* remembered,
                   const Settings& settings, TimePoint now);

}  // namespace dynamo::certs::managed
