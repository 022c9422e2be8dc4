// A second reader of JSON, RapidJSON's, to hold ours against: both must take and refuse the same
// texts, and read the same values.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace dynamo::test {

struct PeerReading {
  // Written without spaces as json::Writer does; nothing when it is refused.
  std::optional<std::string> value;
  // RapidJSON calls zero with a large exponent too big: then it is no judge.
  bool is_sure = true;
};

// The value of the text, or a refusal when RapidJSON refuses it or it is nested deeper than
// `max_depth`. Second halves of surrogate pairs that stand alone are read as U+FFFD.
PeerReading read_by_peer(std::string_view text, std::size_t max_depth);

}  // namespace dynamo::test
