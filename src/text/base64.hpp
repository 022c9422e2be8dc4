// Base64 (RFC 4648) as kubeconfig, Secrets, patches and YAML's !!binary carry it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dynamo::text {

// What may stand between the letters and means nothing.
enum class Base64Blanks : std::uint8_t {
  kLineBreaks,  // as Go has it
  kAll,         // blanks and tabs, too
};

// The bytes that padded base64 stands for. Nothing when the text is no base64.
std::optional<std::string> decode_base64(std::string_view text,
                                         Base64Blanks blanks = Base64Blanks::kAll);

// Padded, in one line.
void append_base64(std::string& out, std::string_view bytes);

}  // namespace dynamo::text
