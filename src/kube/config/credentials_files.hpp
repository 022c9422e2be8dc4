// Reads credential files up to a size limit.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "kube/config/config.hpp"
#include "kube/object/error.hpp"

namespace dynamo::kube {

// Size limit of a file with certificates, keys or a token.
inline constexpr std::size_t kMaxCredentialBytes = std::size_t{1} << 20U;

// The whole file, or nullopt if it does not exist. Returns kConfig if it cannot be read, is not a
// regular file or is larger than `max_bytes`. `field` names the setting that refers to the file,
// and may be empty. Never blocks.
Result<std::optional<std::string>> read_file_if_any(const std::string& path, std::size_t max_bytes,
                                                    std::string_view field);

// The same, but a missing file is an error.
Result<std::string> read_file(const std::string& path, std::size_t max_bytes,
                              std::string_view field);

// The PEM text of `source`; empty if it is absent.
Result<std::string> read_pem(const PemSource& source);

// "FIELD: WHAT" on one printable line, an error of kind kConfig.
Error config_error(std::string_view field, std::string_view what);

}  // namespace dynamo::kube
