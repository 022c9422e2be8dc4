// Reading X.509 certificates through OpenSSL; for the files of certs/ only, so that certificate.hpp
// needs no OpenSSL header.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "certs/certificate.hpp"
#include "certs/error.hpp"
#include "tls/openssl.hpp"

namespace dynamo::certs {

// Every certificate in `pem`, in order; other blocks are skipped. An error, beginning with `name`,
// when there is none, one does not parse or there are more than 256.
Result<std::vector<tls::X509Ptr>> parse_certificates(std::string_view pem, std::string_view name);

// The private key in `pem`. An error, beginning with `name`, when there is none, it does not parse
// or it has a passphrase. Never asks for one.
Result<tls::EvpKeyPtr> parse_key(std::string_view pem, std::string_view name);

CertificateFacts read_facts(X509* certificate);

// When it expires; a time beyond what TimePoint holds is the last second that it does.
TimePoint not_after(const X509* certificate);

// The names by which a client may be allowed: common names, DNS names and URIs.
std::vector<std::string> client_names(X509* certificate);

}  // namespace dynamo::certs
