// Apart, for those who name a version and speak no TLS.
#pragma once

#include <cstdint>

namespace dynamo::certs {

enum class TlsVersion : std::uint8_t { k1_2, k1_3 };

}  // namespace dynamo::certs
