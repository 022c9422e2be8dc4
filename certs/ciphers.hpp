// Turns the names of --tls-ciphers into the two lists that OpenSSL takes.
#pragma once

#include <string>
#include <vector>

#include "certs/error.hpp"

namespace dynamo::certs {

struct CipherLists {
  // Colon-separated OpenSSL names, best first; never empty: AEAD with forward secrecy unless named
  // otherwise.
  std::string tls13_suites;
  std::string tls12_ciphers;
};

// Only names of single ciphers are known, no keywords such as HIGH; none without encryption,
// authentication or a key exchange that the server has.
// Without `tls12_allowed` the name of a TLS 1.2 cipher is an error.
Result<CipherLists> split_ciphers(const std::vector<std::string>& names, bool tls12_allowed);

}  // namespace dynamo::certs
