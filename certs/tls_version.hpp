// The minimum TLS version, in a header of its own for code that does not use TLS itself.
#pragma once

#include <cstdint>

namespace dynamo::certs {

enum class TlsVersion : std::uint8_t { k1_2, k1_3 };

}  // namespace dynamo::certs
