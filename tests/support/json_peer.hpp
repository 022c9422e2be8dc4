// A reference JSON parser based on RapidJSON. Our parser must accept and reject the same texts and
// read the same values.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace dynamo::test {

struct PeerResult {
  // compact form, as json::Writer writes it; nullopt if the text is rejected
  std::optional<std::string> value;
  // False for zero with a large exponent, which RapidJSON rejects as too big.
  bool is_sure = true;
};

// Parses the text. The value is absent if RapidJSON rejects the text or it is nested deeper than
// `max_depth`. Unpaired low surrogates are read as U+FFFD.
PeerResult read_by_peer(std::string_view text, std::size_t max_depth);

}  // namespace dynamo::test
