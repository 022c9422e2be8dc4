// Client side of TLS: our certificate and the trusted CAs as a context for connections.
#pragma once

#include <openssl/types.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kube/object/error.hpp"

namespace dynamo::kube {

// PEM texts, with their names in messages. The key is wiped on destruction.
struct TlsMaterial {
  std::string ca_pem;  // empty: the system's roots
  std::string ca_origin;
  std::string certificate_pem;  // empty: no client certificate
  std::string certificate_origin;
  std::string key_pem;
  std::string key_origin;

  TlsMaterial() = default;
  TlsMaterial(const TlsMaterial&) = default;
  TlsMaterial(TlsMaterial&&) noexcept = default;
  TlsMaterial& operator=(const TlsMaterial&) = default;
  TlsMaterial& operator=(TlsMaterial&&) noexcept = default;
  ~TlsMaterial();

  bool operator==(const TlsMaterial&) const = default;
};

// TLS 1.2 or newer. The server's certificate is verified against the CAs (each is a trust anchor,
// including intermediates). HTTP/1.1 by ALPN. No resumption, so that each connection verifies
// again. Returns kConfig, naming the origin, if a text does not parse, the key is encrypted or
// belongs to another certificate, or the certificate is not valid at `now`. Any thread.
Result<std::shared_ptr<SSL_CTX>> build_client_context(const TlsMaterial& material,
                                                      std::chrono::system_clock::time_point now);

// Expiry of the first certificate of `pem`; nullopt if there is none.
std::optional<std::chrono::system_clock::time_point> certificate_end(std::string_view pem);

// Makes `ssl` send `name`, a DNS name or an address, and accept only a certificate with that
// subject alternative name. Returns false if memory is exhausted or the name is invalid.
bool expect_server_name(SSL* ssl, const std::string& name);

// Why the handshake failed, in words, from the verification result and OpenSSL's error queue.
std::string handshake_problem(SSL* ssl, const std::string& name, std::string_view fallback);

}  // namespace dynamo::kube
