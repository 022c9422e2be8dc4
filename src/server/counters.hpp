// Counters of the endpoint: plain atomics that any thread may read. The metrics registry exports
// them; the names below are the label values, in the order of the enumerations.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dynamo::server {

enum class HandshakeFailure : std::uint8_t {
  kNotTls,
  kVersion,
  kTimeout,
  kEof,
  kCertificate,
  kOther
};
inline constexpr std::array<std::string_view, 6> kHandshakeFailureNames{
    "not_tls", "version", "timeout", "eof", "certificate", "other"};

enum class TimeoutPhase : std::uint8_t { kHandshake, kHeader, kBody, kIdle, kWrite };
inline constexpr std::array<std::string_view, 5> kTimeoutPhaseNames{"handshake", "header", "body",
                                                                    "idle", "write"};

enum class Limit : std::uint8_t {
  kBody,
  kHeader,
  kConnections,
  kInFlight,
  kDraining,
  kDeadline,
  kMemory,  // an allocation failed
};
inline constexpr std::array<std::string_view, 7> kLimitNames{
    "body", "header", "connections", "in_flight", "draining", "deadline", "memory"};

// Activity of a connection when it was evicted.
enum class Eviction : std::uint8_t {
  kHandshake,
  kHeader,  // before or in its first header
  kIdle,
  kBody,
  kWrite,
  kClosing,
  kBodyMemory,  // only its body was dropped
};
inline constexpr std::array<std::string_view, 7> kEvictionNames{
    "handshake", "header", "idle", "body", "write", "closing", "body_memory"};

// Every 4xx status of the endpoint or the handler; another code from a handler is "other".
inline constexpr std::array<unsigned, 8> kBadRequestCodes{400, 404, 405, 408, 413, 415, 417, 431};
inline constexpr std::array<std::string_view, 9> kBadRequestNames{
    "400", "404", "405", "408", "413", "415", "417", "431", "other"};

// One counter per value of a closed list.
template <std::size_t Size>
class CounterList {
 public:
  template <class Enum>
  void count(Enum value) {
    cells_[static_cast<std::size_t>(value)].fetch_add(1, std::memory_order_relaxed);
  }
  template <class Enum>
  std::uint64_t value(Enum cell) const {
    return cells_[static_cast<std::size_t>(cell)].load(std::memory_order_relaxed);
  }
  static constexpr std::size_t size() { return Size; }

 private:
  std::array<std::atomic<std::uint64_t>, Size> cells_{};
};

// The result for a connection that was handed to an event loop which did not start it.
enum class StalledConnection : std::uint8_t { kMoved, kClosed };
inline constexpr std::array<std::string_view, 2> kStalledConnectionNames{"moved", "closed"};

// Counters of a Watchdog.
struct LoopCounters {
  std::atomic<std::uint64_t> stalls{0};
  std::atomic<std::int64_t> stuck{0};
  CounterList<kStalledConnectionNames.size()> connections;
};

// Why an accepted client would be refused now.
enum class DistrustReason : std::uint8_t { kUntrusted, kExpired };
inline constexpr std::array<std::string_view, 2> kDistrustReasonNames{"untrusted", "expired"};

struct ServerCounters {
  std::atomic<std::uint64_t> connections_accepted{0};
  std::atomic<std::int64_t> connections_open{0};
  CounterList<kHandshakeFailureNames.size()> handshake_failures;
  CounterList<kTimeoutPhaseNames.size()> timeouts;
  CounterList<kLimitNames.size()> rejected;
  CounterList<kEvictionNames.size()> evictions;
  CounterList<kBadRequestNames.size()> bad_requests;
  std::atomic<std::uint64_t> handler_defects{0};
  LoopCounters loops;
  CounterList<kDistrustReasonNames.size()> distrusted_clients;
  // Every loop writes these at every request: kept apart from the other counters' cache lines.
  alignas(64) std::atomic<std::int64_t> requests_in_flight{0};  // from the header on
  // those with a complete body: limited by `max_in_flight`
  std::atomic<std::int64_t> requests_complete{0};

  // Counts a 4xx answer by its code.
  void count_bad_request(unsigned status) {
    std::size_t cell = 0;
    while (cell < kBadRequestCodes.size() && kBadRequestCodes[cell] != status) ++cell;
    bad_requests.count(cell);
  }
};

}  // namespace dynamo::server
