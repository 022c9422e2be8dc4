// Base64 (RFC 4648) for kubeconfig, Secrets, patches and YAML's !!binary.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dynamo::text {

// White space that is skipped between characters.
enum class Base64Blanks : std::uint8_t {
  kLineBreaks,  // as Go's decoder
  kAll,         // spaces and tabs, too
};

// Decodes padded base64. Returns nullopt if the text is not base64.
std::optional<std::string> decode_base64(std::string_view text,
                                         Base64Blanks blanks = Base64Blanks::kAll);

// With padding, on one line.
void append_base64(std::string& out, std::string_view bytes);
std::string encode_base64(std::string_view bytes);

}  // namespace dynamo::text
