#include "reconciler/validation/rewrite_limiter.hpp"

#include <algorithm>
#include <functional>
#include <string>

namespace dynamo::reconciler::validation {

using std::chrono::milliseconds;
using std::chrono::seconds;

// UIDs are unique.
RewriteLimiter::Id RewriteLimiter::id_of(std::string_view uid, std::int64_t generation,
                                         std::string_view verdict, std::string_view change) {
  constexpr std::size_t kOdd = 0x9E37'79B9'7F4A'7C15;
  const std::hash<std::string_view> hash;
  std::size_t id = hash(uid);
  for (const std::size_t more :
       {static_cast<std::size_t>(generation), hash(verdict), hash(change)}) {
    id = id * kOdd + more;
  }
  return id;
}

seconds RewriteLimiter::pause_after(const WriteCount& count) {
  if (count.times < kAtOnce) return seconds(0);
  seconds pause = kFirstPause;
  for (unsigned i = kAtOnce; i < count.times && pause < kLongestPause; ++i) pause *= 2;
  return std::min(pause, kLongestPause);
}

// After this time the other client is considered to have stopped.
bool RewriteLimiter::is_over(const WriteCount& count, Time now) {
  return now - count.last > 2 * kLongestPause;
}

milliseconds RewriteLimiter::pause(Id id, Time now) const {
  const auto found = counts_.find(id);
  if (found == counts_.end()) return milliseconds(0);
  const Time next = found->second.last + pause_after(found->second);
  return next <= now ? milliseconds(0) : std::chrono::ceil<milliseconds>(next - now);
}

void RewriteLimiter::note(Id id, Time now) {
  if (counts_.size() >= next_sweep_) sweep(now);
  WriteCount& count = counts_[id];
  if (is_over(count, now)) count.times = 0;
  count.last = now;
  ++count.times;
}

// If a client reverts thousands of objects, each is rewritten rarely, so entries written once are
// kept as long as others. A sweep that frees little is not repeated soon.
void RewriteLimiter::sweep(Time now) {
  std::erase_if(counts_, [now](const auto& each) { return is_over(each.second, now); });
  const bool is_full = next_sweep_ == kMax;
  if (is_full && counts_.size() > kMax / 2) {
    std::erase_if(counts_, [](const auto& each) { return each.second.times < 2; });
  }
  if (is_full && counts_.size() > kMax / 2) counts_.clear();
  next_sweep_ = std::clamp(2 * counts_.size(), kFirstSweep, kMax);
}

}  // namespace dynamo::reconciler::validation
