// Bounded reading of the files that credentials lie in.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "kube/error.hpp"

namespace dynamo::kube {

// The largest file of certificates, keys or a token that is read.
inline constexpr std::size_t kMaxCredentialBytes = std::size_t{1} << 20U;

// The whole file; nothing when there is none. kConfig when it cannot be read, is no regular file or
// is larger than `max_bytes`; `field` says who names the file, and may be empty. Never waits.
Result<std::optional<std::string>> read_file_if_any(const std::string& path, std::size_t max_bytes,
                                                    std::string_view field);

// The same, where a missing file is an error too.
Result<std::string> read_file(const std::string& path, std::size_t max_bytes,
                              std::string_view field);

// "FIELD: WHAT", a failed result of kind kConfig.
Error config_error(std::string_view field, std::string_view what);

}  // namespace dynamo::kube
