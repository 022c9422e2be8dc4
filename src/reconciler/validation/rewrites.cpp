#include "reconciler/validation/rewrites.hpp"

#include <algorithm>
#include <functional>
#include <string>

namespace dynamo::reconciler::validation {

using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

// No other object has the uid.
std::size_t hash_of(std::string_view uid, std::int64_t generation) {
  constexpr std::size_t kOdd = 0x9E37'79B9'7F4A'7C15;
  return std::hash<std::string_view>{}(uid) ^ (static_cast<std::size_t>(generation) * kOdd);
}

}  // namespace

seconds Rewrites::pause_after(const Written& written) {
  if (written.times < kAtOnce) return seconds(0);
  seconds pause = kFirstPause;
  for (unsigned i = kAtOnce; i < written.times && pause < kLongestPause; ++i) pause *= 2;
  return std::min(pause, kLongestPause);
}

milliseconds Rewrites::pause(std::string_view uid, std::int64_t generation, Time now) const {
  const auto found = of_.find(hash_of(uid, generation));
  if (found == of_.end()) return milliseconds(0);
  const Time next = found->second.last + pause_after(found->second);
  return next <= now ? milliseconds(0) : std::chrono::ceil<milliseconds>(next - now);
}

void Rewrites::note(std::string_view uid, std::int64_t generation, Time now) {
  if (of_.size() >= kMost) make_room(now);
  Written& written = of_[hash_of(uid, generation)];
  // Who left it alone for long enough is no longer at it.
  const bool is_over = now - written.last > 2 * kLongestPause;
  if (is_over) written.times = 0;
  written.last = now;
  ++written.times;
}

void Rewrites::make_room(Time now) {
  std::erase_if(of_, [now](const auto& each) {
    return now - each.second.last > std::max(2 * pause_after(each.second), kFirstPause);
  });
  if (of_.size() >= kMost) of_.clear();
}

}  // namespace dynamo::reconciler::validation
