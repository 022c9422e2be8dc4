#include "certs/rehearsal.hpp"

#include <openssl/err.h>

#include <chrono>
#include <string>

#include "certs/issue.hpp"
#include "certs/tls_context.hpp"
#include "certs/x509_read.hpp"
#include "tls/openssl.hpp"

namespace dynamo::certs {
namespace {

constexpr std::chrono::hours kLifetime{1};
constexpr const char* kName = "localhost";
// A handshake takes fewer.
constexpr int kMaxRounds = 20;

struct Pair {
  tls::SslPtr server;
  tls::SslPtr client;
};

Error rehearsal_failure(const char* step) {
  return Error{std::string("a TLS handshake in memory failed: ") + step + ": " +
               tls::take_openssl_error()};
}

Result<tls::SslCtxPtr> client_context(const std::string& ca_pem, TimePoint now, int version) {
  tls::SslCtxPtr context(SSL_CTX_new(TLS_client_method()));
  if (!context) return rehearsal_failure("client context");
  auto authorities = parse_certificates(ca_pem, "CA of the handshake in memory");
  if (!authorities) return authorities.error();
  X509_STORE* const store = SSL_CTX_get_cert_store(context.get());
  for (const auto& authority : *authorities) {
    if (X509_STORE_add_cert(store, authority.get()) != 1) return rehearsal_failure("CA");
  }
  X509_VERIFY_PARAM_set_time(SSL_CTX_get0_param(context.get()),
                             std::chrono::system_clock::to_time_t(now));
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  if (SSL_CTX_set_max_proto_version(context.get(), version) != 1)
    return rehearsal_failure("version");
  return context;
}

Result<Pair> connected(SSL_CTX* server, SSL_CTX* client) {
  Pair pair{tls::SslPtr(SSL_new(server)), tls::SslPtr(SSL_new(client))};
  BIO* server_end = nullptr;
  BIO* client_end = nullptr;
  if (!pair.server || !pair.client || BIO_new_bio_pair(&server_end, 0, &client_end, 0) != 1) {
    return rehearsal_failure("connection");
  }
  SSL_set_bio(pair.server.get(), server_end, server_end);
  SSL_set_bio(pair.client.get(), client_end, client_end);
  SSL_set_accept_state(pair.server.get());
  SSL_set_connect_state(pair.client.get());
  if (SSL_set1_host(pair.client.get(), kName) != 1 ||
      SSL_set_tlsext_host_name(pair.client.get(), kName) != 1) {
    return rehearsal_failure("name");
  }
  return pair;
}

// Whether the handshake of `end` is complete; an error if it has failed.
Result<bool> advance(SSL* end, const char* name) {
  ERR_clear_error();
  const int returned = SSL_do_handshake(end);
  if (returned == 1) return true;
  const int error = SSL_get_error(end, returned);
  if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) return false;
  return rehearsal_failure(name);
}

Result<void> complete_handshake(const Pair& pair) {
  for (int round = 0; round < kMaxRounds; ++round) {
    const auto client = advance(pair.client.get(), "client");
    if (!client) return client.error();
    const auto server = advance(pair.server.get(), "server");
    if (!server) return server.error();
    if (*client && *server) return {};
  }
  return Error{"a TLS handshake in memory did not end"};
}

Result<void> send_byte(SSL* from, SSL* to) {
  char byte = 'a';
  if (SSL_write(from, &byte, 1) != 1 || SSL_read(to, &byte, 1) != 1)
    return rehearsal_failure("data");
  return {};
}

Result<void> rehearse(SSL_CTX* server, const std::string& ca_pem, TimePoint now, int version) {
  const auto client = client_context(ca_pem, now, version);
  if (!client) return client.error();
  const auto pair = connected(server, client->get());
  if (!pair) return pair.error();
  if (auto done = complete_handshake(*pair); !done) return done;
  if (auto sent = send_byte(pair->client.get(), pair->server.get()); !sent) return sent;
  if (auto sent = send_byte(pair->server.get(), pair->client.get()); !sent) return sent;
  SSL_shutdown(pair->server.get());
  SSL_shutdown(pair->client.get());
  ERR_clear_error();
  return {};
}

}  // namespace

Result<void> rehearse_handshake(const runtime::Clock& clock) {
  const TimePoint now = clock.wall();
  const auto ca = make_ca("dynamo-webhook rehearsal", now - kLifetime, now + kLifetime);
  if (!ca) return ca.error();
  const auto leaf =
      issue(*ca, {.names = {kName}, .not_before = now - kLifetime, .not_after = now + kLifetime});
  if (!leaf) return leaf.error();
  const auto server = build_tls_context(leaf->pair, {}, nullptr);
  if (!server) return server.error();
  if (auto done = rehearse(server->get(), leaf->ca_pem, now, TLS1_3_VERSION); !done) return done;
  // OpenSSL's configuration may forbid this version.
  static_cast<void>(rehearse(server->get(), leaf->ca_pem, now, TLS1_2_VERSION));
  ERR_clear_error();
  return {};
}

}  // namespace dynamo::certs
