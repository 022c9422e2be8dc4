// Metrics of managed certificates.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "certs/certificate.hpp"
#include "certs/managed/plan.hpp"

namespace dynamo::certs::managed {

inline constexpr std::array<std::string_view, 3> kCaRoleNames{"in_use", "next", "previous"};

enum class InjectionResult : std::uint8_t { kApplied, kFailed };
inline constexpr std::array<std::string_view, 2> kInjectionNames{"applied", "failed"};

// Written on the loop's thread, read from any.
struct Stats {
  std::array<std::atomic<std::uint64_t>, kCauseNames.size()> writes{};  // of the Secret, by cause
  std::array<std::atomic<std::uint64_t>, kInjectionNames.size()> injections{};
  std::array<std::atomic<std::int64_t>, kCaRoleNames.size()> ca_not_after{};  // seconds; 0: none
  std::atomic<std::uint64_t> phase{0};                                        // RotationPhase
  std::atomic<std::uint64_t> unverified{0};  // entries whose caBundle does not verify our leaf
  std::atomic<std::uint64_t> refused{0};     // contents of the Secret that were not used
};

}  // namespace dynamo::certs::managed
