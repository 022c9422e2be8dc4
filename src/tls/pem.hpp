// Certificates and keys as PEM has them.
#pragma once

#include <boost/system/result.hpp>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tls/openssl.hpp"

namespace dynamo::tls {

// Why a text cannot be used: what follows a name and ": ". Holds no key material.
struct PemError {
  std::string text;
};

// Found by argument-dependent lookup when value() is called on a failed result, as tests do.
[[noreturn]] inline void throw_exception_from_error(const PemError& error,
                                                    const boost::source_location&) {
  throw std::runtime_error(error.text);
}

template <class T>
using PemResult = boost::system::result<T, PemError>;

// Every certificate of `pem`, in order; other blocks are skipped. An error when there is none, one
// does not parse or there are more than `most`. Any thread.
PemResult<std::vector<X509Ptr>> parse_certificates(std::string_view pem, std::size_t most);

// As `pem` has it; "" when memory is short.
std::string pem_of(X509* certificate);

// The private key of `pem`. An error when there is none, it does not parse or it has a passphrase,
// for which nobody is asked. Any thread.
PemResult<EvpKeyPtr> parse_key(std::string_view pem);

// What the clock cannot hold is its last whole second: "no well-defined expiry" is the year 9999.
std::chrono::system_clock::time_point to_time_point(const ASN1_TIME* time);

}  // namespace dynamo::tls
