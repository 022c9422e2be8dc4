// Base64 (RFC 4648) as kubeconfig and Secrets carry it; json::append_base64 writes it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dynamo::text {

// The bytes that padded base64 stands for; line breaks and blanks in it are passed over, as Go
// does with line breaks. Nothing when the text is no base64.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace dynamo::text
