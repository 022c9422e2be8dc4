// The fast scans agree with simple ones: the end of a container with a scan byte by byte, and
// invalid UTF-8 with a decoder.
#include <cstdint>
#include <string>

#include "fuzz/check.hpp"
#include "json/scan.hpp"

namespace fuzz = dynamo::fuzz;
namespace json = dynamo::json;

namespace {

// Decodes one character at `at`; returns its length, or 0 if it is invalid.
std::size_t decode(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  std::size_t length = 1;
  std::uint32_t character = lead;
  if (lead >= 0xF8 || (lead >= 0x80 && lead < 0xC0)) return 0;
  if (lead >= 0xF0) {
    length = 4;
    character = lead & 0x07U;
  } else if (lead >= 0xE0) {
    length = 3;
    character = lead & 0x0FU;
  } else if (lead >= 0xC0) {
    length = 2;
    character = lead & 0x1FU;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if (at + i >= text.size()) return 0;
    const auto byte = static_cast<unsigned char>(text[at + i]);
    if ((byte & 0xC0U) != 0x80U) return 0;
    character = (character << 6U) | (byte & 0x3FU);
  }
  constexpr std::uint32_t kLowest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = character >= 0xD800 && character <= 0xDFFF;
  if (character < kLowest[length] || character > 0x10FFFF || surrogate) return 0;
  return length;
}

std::optional<std::size_t> find_invalid_plainly(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = decode(text, at);
    if (length == 0) return at;
    at += length;
  }
  return std::nullopt;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::as_text(data, size);
  fuzz::require(json::find_invalid_utf8(bytes) == find_invalid_plainly(bytes),
                "bad UTF-8 is found where it stands");
  // A buffer of exact size, so that a sanitizer detects an overread.
  std::string text = "[";
  text += bytes;
  text.shrink_to_fit();
  const auto fast = json::find_end_of_container(text);
  fuzz::require(fast == json::find_end_of_container_bytewise(text),
                "the end of a container is found alike");
  if (fast) {
    fuzz::require(*fast >= 2 && *fast <= text.size(), "the end lies in the text");
  }
  return 0;
}
