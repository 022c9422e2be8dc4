// The client's side of TLS: what may be shown and who is trusted, as a context for connections.
#pragma once

#include <openssl/types.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kube/error.hpp"

namespace dynamo::kube {

// PEM texts, with what messages call them. The key is wiped when this goes.
struct TlsMaterial {
  std::string ca_pem;  // empty: the system's roots
  std::string ca_origin;
  std::string certificate_pem;  // empty: no certificate is shown
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

// TLS 1.2 or newer, the server's certificate verified against the CAs (each of which is an anchor,
// also an intermediate), HTTP/1.1 by ALPN, no resumption, so that each connection verifies anew.
// kConfig, naming the origin, when a text does not parse, the key is encrypted or belongs to
// another certificate, or the certificate is not valid at `now`. Any thread.
Result<std::shared_ptr<SSL_CTX>> build_client_context(const TlsMaterial& material,
                                                      std::chrono::system_clock::time_point now);

// When the first certificate of `pem` ends. Nothing when there is none.
std::optional<std::chrono::system_clock::time_point> certificate_end(std::string_view pem);

// Makes `ssl` ask for `name`, a DNS name or an address, and accept only a certificate that has it
// as a subject alternative name. False when memory is short or the name cannot be one.
bool expect_server_name(SSL* ssl, const std::string& name);

// Why the handshake failed, in words, from the verification's result and OpenSSL's error queue.
std::string handshake_problem(SSL* ssl, const std::string& name, std::string_view fallback);

}  // namespace dynamo::kube
