#include "server/arrival.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>

namespace dynamo::server {

namespace {

// Ask for each request this long after a wait was found, and otherwise this often.
constexpr std::chrono::seconds kStaysAlert{1};
constexpr std::chrono::milliseconds kSampleInterval{100};

}  // namespace

std::optional<std::chrono::milliseconds> time_since_received(int socket) {
  tcp_info info{};
  socklen_t size = sizeof(info);
  if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return std::nullopt;
  return std::chrono::milliseconds(info.tcpi_last_data_recv);
}

// A gap between two requests is either idle time, when a system call does not matter, or a long
// request, during which the following ones may have waited.
bool ArrivalClock::is_worth_asking(TimePoint now) {
  const auto gap = now - last_;
  last_ = now;
  if (gap >= kLeast) {
    ask_until_ = std::max(ask_until_, now + std::min<decltype(gap)>(gap, kStaysAlert));
    fresh_ = 0;
  }
  return now < ask_until_ || now >= next_sample_;
}

ArrivalClock::TimePoint ArrivalClock::arrived(int socket, TimePoint now) {
  if (!is_worth_asking(now)) return now;
  next_sample_ = now + kSampleInterval;
  const auto waited = ask_(socket);
  if (!waited || *waited < kLeast) {
    if (++fresh_ >= kFreshRow) ask_until_ = now;
    return now;
  }
  fresh_ = 0;
  ask_until_ = std::max(ask_until_, now + kStaysAlert);
  return now - *waited;
}

}  // namespace dynamo::server
