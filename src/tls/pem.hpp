// Parses and writes certificates and keys in PEM.
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

// Why a text cannot be used, written to follow "NAME: ". Contains no key material.
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

// Every certificate of `pem`, in order; other blocks are skipped. An error if there is none, one
// does not parse or there are more than `most`. Any thread.
PemResult<std::vector<X509Ptr>> parse_certificates(std::string_view pem, std::size_t most);

// The certificate in PEM; "" if memory is exhausted.
std::string pem_of(X509* certificate);

// The private key of `pem`. An error if there is none, it does not parse, or it needs a passphrase;
// there is no prompt. Any thread.
PemResult<EvpKeyPtr> parse_key(std::string_view pem);

// Times beyond the clock's range become its last whole second. RFC 5280 writes "no expiry" as the
// year 9999.
std::chrono::system_clock::time_point to_time_point(const ASN1_TIME* time);

}  // namespace dynamo::tls
