// Splits the names of --tls-ciphers into the two lists that OpenSSL needs.
#pragma once

#include <string>
#include <vector>

#include "certs/error.hpp"

namespace dynamo::certs {

struct CipherLists {
  // Colon-separated OpenSSL names, best first. Never empty. The defaults are AEAD ciphers with
  // forward secrecy.
  std::string tls13_suites;
  std::string tls12_ciphers;
};

// Accepts only names of single ciphers, no keywords such as HIGH. Refuses ciphers without
// encryption or authentication, and those whose key exchange the server does not support. Without
// `tls12_allowed` the name of a TLS 1.2 cipher is an error.
Result<CipherLists> split_ciphers(const std::vector<std::string>& names, bool tls12_allowed);

}  // namespace dynamo::certs
