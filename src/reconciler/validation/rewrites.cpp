#include "reconciler/validation/rewrites.hpp"

#include <algorithm>
#include <functional>
#include <string>

namespace dynamo::reconciler::validation {

using std::chrono::milliseconds;
using std::chrono::seconds;

// No other object has the uid.
Rewrites::Id Rewrites::id_of(std::string_view uid, std::int64_t generation,
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

seconds Rewrites::pause_after(const Written& written) {
  if (written.times < kAtOnce) return seconds(0);
  seconds pause = kFirstPause;
  for (unsigned i = kAtOnce; i < written.times && pause < kLongestPause; ++i) pause *= 2;
  return std::min(pause, kLongestPause);
}

milliseconds Rewrites::pause(Id id, Time now) const {
  const auto found = of_.find(id);
  if (found == of_.end()) return milliseconds(0);
  const Time next = found->second.last + pause_after(found->second);
  return next <= now ? milliseconds(0) : std::chrono::ceil<milliseconds>(next - now);
}

void Rewrites::note(Id id, Time now) {
  if (of_.size() >= kMost) make_room(now);
  Written& written = of_[id];
  // Who left it alone for long enough is no longer at it.
  const bool is_over = now - written.last > 2 * kLongestPause;
  if (is_over) written.times = 0;
  written.last = now;
  ++written.times;
}

void Rewrites::make_room(Time now) {
  // Of thousands that somebody is at, each has its turn only once in a while.
  std::erase_if(of_, [now](const auto& each) {
    return now - each.second.last > (each.second.times > 1 ? 2 * kLongestPause : kFirstPause);
  });
  if (of_.size() >= kMost) of_.clear();
}

}  // namespace dynamo::reconciler::validation
