// A separate header for code that names a version but does not use TLS.
#pragma once

#include <cstdint>

namespace dynamo::certs {

enum class TlsVersion : std::uint8_t { k1_2, k1_3 };

}  // namespace dynamo::certs
