// Parses and writes certificates and keys in PEM.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/result.hpp"
#include "tls/openssl.hpp"

namespace dynamo::tls {

// The error says why a text cannot be used, written to follow "NAME: ". Contains no key material.
template <class T>
using PemResult = runtime::Result<T>;

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
