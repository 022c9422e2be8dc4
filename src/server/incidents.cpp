#include "server/incidents.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <cstring>
#include <exception>
#include <string>

namespace dynamo::server {

namespace {

using runtime::Level;

constexpr std::chrono::minutes kOncePerMinute{1};
// A defect is worth more log lines than a client's error, but a broken rule on a busy path is
// limited to this.
constexpr std::chrono::seconds kOncePerSecond{1};

template <class Enum>
std::size_t index(Enum value) {
  return static_cast<std::size_t>(value);
}

std::string peer_address(int socket) {
  sockaddr_storage storage{};
  socklen_t size = sizeof(storage);
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&storage), &size) != 0) return "unknown";
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* address = nullptr;
  if (storage.ss_family == AF_INET) {
    address = &reinterpret_cast<const sockaddr_in&>(storage).sin_addr;
  } else if (storage.ss_family == AF_INET6) {
    address = &reinterpret_cast<const sockaddr_in6&>(storage).sin6_addr;
  }
  if (address == nullptr) return "unknown";
  if (::inet_ntop(storage.ss_family, address, text.data(), text.size()) == nullptr)
    return "unknown";
  return text.data();
}

}  // namespace

Incidents::Incidents(ServerCounters& counters, runtime::Logger& logger, const runtime::Clock& clock)
    : counters_(counters),
      logger_(logger),
      handshakes_(logger, clock, kOncePerMinute, kHandshakeFailureNames.size()),
      timeouts_(logger, clock, kOncePerMinute, kTimeoutPhaseNames.size()),
      limits_(logger, clock, kOncePerMinute, kLimitNames.size()),
      evictions_(logger, clock, kOncePerMinute, kEvictionNames.size()),
      distrusted_(logger, clock, kOncePerMinute, kDistrustReasonNames.size()),
      defects_(logger, clock, kOncePerSecond, 1) {}

void Incidents::handshake_failed(HandshakeFailure failure, std::string_view reason,
                                 bool nothing_sent, int socket) {
  counters_.handshake_failures.count(failure);
  const std::string_view name = kHandshakeFailureNames[index(failure)];
  if (logger_.is_enabled(Level::kDebug)) {
    logger_.log(Level::kDebug, "TLS handshake failed",
                {{"class", name}, {"reason", reason}, {"peer", peer_address(socket)}});
  } else if (!nothing_sent && logger_.is_enabled(Level::kInfo)) {
    handshakes_.log(index(failure), Level::kInfo, "TLS handshake failed",
                    {{"class", name}, {"reason", reason}, {"peer", peer_address(socket)}});
  }
}

void Incidents::timed_out(TimeoutPhase phase, int socket) {
  counters_.timeouts.count(phase);
  const std::string_view name = kTimeoutPhaseNames[index(phase)];
  if (logger_.is_enabled(Level::kDebug)) {
    logger_.log(Level::kDebug, "connection timed out",
                {{"phase", name}, {"peer", peer_address(socket)}});
  } else if (phase != TimeoutPhase::kIdle && logger_.is_enabled(Level::kInfo)) {
    timeouts_.log(index(phase), Level::kInfo, "connection timed out",
                  {{"phase", name}, {"peer", peer_address(socket)}});
  }
}

void Incidents::rejected(Limit limit, int socket) {
  counters_.rejected.count(limit);
  const std::string_view name = kLimitNames[index(limit)];
  if (logger_.is_enabled(Level::kDebug)) {
    logger_.log(Level::kDebug, "request rejected by a limit",
                {{"limit", name}, {"peer", peer_address(socket)}});
  } else if (logger_.is_enabled(Level::kInfo)) {
    limits_.log(index(limit), Level::kInfo, "request rejected by a limit",
                {{"limit", name}, {"peer", peer_address(socket)}});
  }
}

// A caller has no memory to handle another failure: the counter is enough.
void Incidents::out_of_memory(int socket) noexcept {
  try {
    rejected(Limit::kMemory, socket);
  } catch (const std::exception&) {
    return;
  }
}

void Incidents::evicted(Eviction reason, int socket) {
  counters_.evictions.count(reason);
  const std::string_view name = kEvictionNames[index(reason)];
  if (logger_.is_enabled(Level::kDebug)) {
    logger_.log(Level::kDebug, "connection evicted",
                {{"reason", name}, {"peer", peer_address(socket)}});
  } else if (logger_.is_enabled(Level::kInfo)) {
    evictions_.log(index(reason), Level::kInfo, "connection evicted",
                   {{"reason", name}, {"peer", peer_address(socket)}});
  }
}

void Incidents::distrusted(DistrustReason reason, int socket) {
  counters_.distrusted_clients.count(reason);
  if (!logger_.is_enabled(Level::kInfo)) return;
  distrusted_.log(
      index(reason), Level::kInfo, "a client lost its trust and is disconnected",
      {{"reason", kDistrustReasonNames[index(reason)]}, {"peer", peer_address(socket)}});
}

void Incidents::bad_request(unsigned status, std::string_view text, int socket) {
  counters_.count_bad_request(status);
  if (!logger_.is_enabled(Level::kDebug)) return;
  logger_.log(Level::kDebug, "bad request",
              {{"status", status}, {"reason", text}, {"peer", peer_address(socket)}});
}

void Incidents::defect(std::string_view path, std::string_view what) noexcept {
  counters_.handler_defects.fetch_add(1, std::memory_order_relaxed);
  try {
    defects_.log(0, Level::kError, "a defect was caught, the request got 500",
                 {{"path", path}, {"what", what}});
  } catch (const std::exception&) {
    return;
  }
}

}  // namespace dynamo::server
