// Decides what is to become of the Secret: a function of what was seen, without clock or cluster.
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

// What this replica sees of the cluster.
struct Observed {
  Decoded secret;
  bool is_leader = false;
  bool any_configuration = false;  // at least one labelled one calls our Service
  // For how long every configuration has held all of the Secret's CAs; nothing: not so now.
  std::optional<std::chrono::nanoseconds> published_for;
  // For how long every live replica has served a leaf of the CA in use; nothing: not so now.
  std::optional<std::chrono::nanoseconds> switched_for;
};

enum class Step : std::uint8_t {
  kNothing,
  kMakeAll,       // a new CA with a new leaf
  kRestore,       // write what we remember once more
  kRepair,        // write what is good of it once more
  kRenewLeaf,     // a new leaf of the same CA
  kPublishNext,   // rotation of the CA: the next one goes into every caBundle
  kSwitchLeaf,    // the leaf becomes the next CA's
  kDropPrevious,  // the old CA goes
};

// Why the Secret is written; a label of metrics.
enum class Cause : std::uint8_t {
  kMissing,  // the first four are Fault
  kCorrupt,
  kMismatched,
  kForeign,
  kExpired,  // or begins in the future
  kRenewal,
  kNames,
  kRequested,
  kRotation,
};
inline constexpr std::array<std::string_view, 9> kCauseNames{"missing", "corrupt",   "mismatched",
                                                             "foreign", "expired",   "renewal",
                                                             "names",   "requested", "rotation"};

struct Planned {
  Step step = Step::kNothing;
  Cause cause = Cause::kMissing;
  std::string text;  // one line for people: what was found

  // True if something that was not there, or not good, is replaced; else the course of things.
  bool is_replacement() const { return cause <= Cause::kExpired; }
};

// `remembered` is the newest content that this replica saw and found good; null: none yet. Faults
// are anybody's to mend and leaves anybody's to renew; the leader alone moves a rotation on.
Planned plan(const Observed& observed, const Content* remembered, const Settings& settings,
             TimePoint now);

}  // namespace dynamo::certs::managed
