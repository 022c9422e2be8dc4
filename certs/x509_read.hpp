// Reads X.509 certificates through OpenSSL. Only for the files of certs/, so that certificate.hpp
// needs no OpenSSL header.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "certs/certificate.hpp"
#include "certs/error.hpp"
#include "tls/openssl.hpp"

namespace dynamo::certs {

// Every certificate in `pem`, in order; other blocks are skipped. An error starting with `name` if
// there is none, one does not parse or there are more than 256.
Result<std::vector<tls::X509Ptr>> parse_certificates(std::string_view pem, std::string_view name);

// The private key in `pem`. An error starting with `name` if there is none, it does not parse or it
// needs a passphrase. Never prompts.
Result<tls::EvpKeyPtr> parse_key(std::string_view pem, std::string_view name);

CertificateFacts read_facts(X509* certificate);

// Expiry; a time beyond the range of TimePoint becomes its last second.
TimePoint not_after(const X509* certificate);

// The names that may allow a client: common names, DNS names and URIs.
std::vector<std::string> client_names(X509* certificate);

}  // namespace dynamo::certs
