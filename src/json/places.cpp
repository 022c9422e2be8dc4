#include "json/places.hpp"

#include <algorithm>
#include <cstdint>

namespace dynamo::json {

CharacterPlaces::CharacterPlaces(std::string_view text) : text_(text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
  for (std::size_t start = 0; start < text_.size();) {
    starts_.push_back(start);
    const std::size_t feed = text_.find('\n', start);
    start = feed == std::string_view::npos ? text_.size() : feed + 1;
  }
}

Location CharacterPlaces::of(Location bytes) const {
  if (bytes.line == 0 || bytes.line > starts_.size() || bytes.column == 0) return bytes;
  const std::string_view before = text_.substr(starts_[bytes.line - 1], bytes.column - 1);
  const auto continues = std::ranges::count_if(
      before, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; });
  return {bytes.line, bytes.column - static_cast<std::uint32_t>(continues)};
}

}  // namespace dynamo::json
