// Reads the input of a fuzz target as numbers and pieces. After its end every number is 0 and every
// piece is empty.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace dynamo::fuzz {

class Input {
 public:
  explicit Input(std::string_view bytes) : bytes_(bytes) {}

  bool is_empty() const { return bytes_.empty(); }
  std::string_view rest() const { return bytes_; }

  unsigned take_byte() {
    const std::string_view byte = take(1);
    return byte.empty() ? 0 : static_cast<unsigned char>(byte.front());
  }
  // At most `size` bytes.
  std::string_view take(std::size_t size) {
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(taken.size());
    return taken;
  }
  // The bytes up to the separator, which is skipped, or up to the end.
  std::string_view take_until(std::string_view separator) {
    const std::string_view taken = take(std::min(bytes_.find(separator), bytes_.size()));
    take(separator.size());
    return taken;
  }

 private:
  std::string_view bytes_;
};

}  // namespace dynamo::fuzz
