#include "tests/certs/fixtures.hpp"

#include <gtest/gtest.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "certs/x509_read.hpp"

namespace dynamo::test {
namespace {

using tls::OpensslDelete;
using SslPtr = std::unique_ptr<SSL, OpensslDelete<SSL_free>>;

void require(bool condition, const char* what) {
  if (!condition) throw std::runtime_error(std::string(what) + ": " + tls::take_openssl_error());
}

int count_ticket(SSL* ssl, SSL_SESSION*) {
  ++*static_cast<int*>(SSL_get_app_data(ssl));
  return 0;
}

tls::SslCtxPtr client_context(const ClientOptions& options) {
  tls::SslCtxPtr context(SSL_CTX_new(TLS_client_method()));
  require(context != nullptr, "client context");
  // The server under test must refuse old versions, not this client's own policy.
  SSL_CTX_set_security_level(context.get(), 0);
  SSL_CTX_set_min_proto_version(context.get(), options.min_version);
  SSL_CTX_set_max_proto_version(context.get(), options.max_version);
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_CLIENT);
  SSL_CTX_sess_set_new_cb(context.get(), count_ticket);
  if (!options.tls12_ciphers.empty()) {
    require(SSL_CTX_set_cipher_list(context.get(), options.tls12_ciphers.c_str()) == 1, "ciphers");
  }
  if (!options.tls13_suites.empty()) {
    require(SSL_CTX_set_ciphersuites(context.get(), options.tls13_suites.c_str()) == 1, "suites");
  }
  if (!options.groups.empty()) {
    require(SSL_CTX_set1_groups_list(context.get(), options.groups.c_str()) == 1, "groups");
  }
  if (!options.alpn.empty()) {
    SSL_CTX_set_alpn_protos(context.get(),
                            reinterpret_cast<const unsigned char*>(options.alpn.data()),
                            static_cast<unsigned>(options.alpn.size()));
  }
  if (!options.trusted_pem.empty()) {
    for (const auto& ca : certs::parse_certificates(options.trusted_pem, "trusted").value()) {
      X509_STORE_add_cert(SSL_CTX_get_cert_store(context.get()), ca.get());
    }
    if (options.at != TimePoint{}) {
      X509_VERIFY_PARAM_set_time(SSL_CTX_get0_param(context.get()),
                                 std::chrono::system_clock::to_time_t(options.at));
    }
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  }
  if (!options.certificate.certificate_pem.empty()) {
    const auto chain =
        certs::parse_certificates(options.certificate.certificate_pem, "client").value();
    require(SSL_CTX_use_certificate(context.get(), chain.front().get()) == 1, "certificate");
    for (std::size_t i = 1; i < chain.size(); ++i) {
      SSL_CTX_add1_chain_cert(context.get(), chain[i].get());
    }
    const auto key = certs::parse_key(options.certificate.key_pem, "client").value();
    require(SSL_CTX_use_PrivateKey(context.get(), key.get()) == 1, "key");
  }
  return context;
}

// One step of one side; true once its part is done.
bool step(SSL* ssl, std::string& error) {
  if (!error.empty()) return false;
  ERR_clear_error();
  const int result = SSL_do_handshake(ssl);
  if (result == 1) return true;
  const int kind = SSL_get_error(ssl, result);
  if (kind != SSL_ERROR_WANT_READ && kind != SSL_ERROR_WANT_WRITE) {
    error = tls::take_openssl_error();
  }
  return false;
}

void describe(SSL* server, SSL* client, HandshakeOutcome& outcome) {
  outcome.version = SSL_get_version(server);
  outcome.cipher = SSL_get_cipher_name(server);
  const long group = SSL_get_negotiated_group(server);
  if (const char* name = SSL_group_to_name(server, static_cast<int>(group)); name != nullptr) {
    outcome.group = name;
  }
  const unsigned char* name = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(client, &name, &size);
  outcome.alpn_answered = size > 0;
  outcome.alpn.assign(reinterpret_cast<const char*>(name), size);
  if (X509* certificate = SSL_get0_peer_certificate(client); certificate != nullptr) {
    outcome.server_fingerprint = certs::read_facts(certificate).fingerprint;
    outcome.chain_length = sk_X509_num(SSL_get_peer_cert_chain(client));
  }
}

void note_issuers(SSL* client, HandshakeOutcome& outcome) {
  const STACK_OF(X509_NAME)* names = SSL_get0_peer_CA_list(client);
  for (int i = 0; names != nullptr && i < sk_X509_NAME_num(names); ++i) {
    const tls::BioPtr out(BIO_new(BIO_s_mem()));
    X509_NAME_print_ex(out.get(), sk_X509_NAME_value(names, i), 0, XN_FLAG_RFC2253);
    outcome.announced_issuers.push_back(tls::bio_text(out.get()));
  }
}

}  // namespace

void TempDirectory::write(std::string_view name, std::string_view content) const {
  std::ofstream out(directory_.path() / name, std::ios::binary | std::ios::trunc);
  out << content;
  out.close();
  require(out.good(), "writing a file");
}

void TempDirectory::write_pair(const KeyPair& pair) const {
  write("tls.crt", pair.certificate_pem);
  write("tls.key", pair.key_pem);
}

void TempDirectory::remove(std::string_view name) const {
  std::filesystem::remove(directory_.path() / name);
}

std::string TempDirectory::read(std::string_view name) const {
  std::ostringstream out;
  out << std::ifstream(directory_.path() / name, std::ios::binary).rdbuf();
  return out.str();
}

void TempDirectory::swap_secret(const KeyPair& pair) {
  const std::filesystem::path old =
      std::filesystem::path("..generation" + std::to_string(generation_));
  const std::filesystem::path next =
      std::filesystem::path("..generation" + std::to_string(++generation_));
  std::filesystem::create_directory(directory_.path() / next);
  write((next / "tls.crt").string(), pair.certificate_pem);
  write((next / "tls.key").string(), pair.key_pem);
  std::filesystem::create_symlink(next, directory_.path() / "..data_tmp");
  std::filesystem::rename(directory_.path() / "..data_tmp", directory_.path() / "..data");
  if (generation_ == 1) {
    std::filesystem::create_symlink("..data/tls.crt", directory_.path() / "tls.crt");
    std::filesystem::create_symlink("..data/tls.key", directory_.path() / "tls.key");
  } else {
    std::filesystem::remove_all(directory_.path() / old);
  }
}

TestCa::TestCa(TimePoint now, const std::string& name)
    : now_(now),
      ca_(certs::make_ca(name, now - std::chrono::hours(1), now + std::chrono::hours(24 * 365))
              .value()) {}

certs::LeafRequest TestCa::request(std::vector<std::string> names) const {
  certs::LeafRequest request;
  request.names = std::move(names);
  request.not_before = now_ - std::chrono::hours(1);
  request.not_after = now_ + std::chrono::hours(24);
  return request;
}

KeyPair TestCa::leaf(const certs::LeafRequest& request) const {
  return certs::issue(ca_, request).value().pair;
}

KeyPair TestCa::leaf(std::vector<std::string> names) const {
  return leaf(request(std::move(names)));
}

KeyPair TestCa::client(const std::string& common_name, std::vector<std::string> names) const {
  certs::LeafRequest wanted = request(std::move(names));
  wanted.usage = certs::Usage::kClient;
  wanted.common_name = common_name;
  return leaf(wanted);
}

HandshakeOutcome shake_hands(SSL_CTX* server_context, const ClientOptions& options) {
  HandshakeOutcome outcome;
  const tls::SslCtxPtr context = client_context(options);
  const SslPtr server(SSL_new(server_context));
  const SslPtr client(SSL_new(context.get()));
  require(server && client, "SSL_new");
  SSL_set_app_data(client.get(), &outcome.tickets);
  SSL_set_accept_state(server.get());
  SSL_set_connect_state(client.get());
  if (!options.host.empty()) SSL_set1_host(client.get(), options.host.c_str());

  BIO* server_end = nullptr;
  BIO* client_end = nullptr;
  require(BIO_new_bio_pair(&server_end, 0, &client_end, 0) == 1, "BIO pair");
  SSL_set_bio(server.get(), server_end, server_end);
  SSL_set_bio(client.get(), client_end, client_end);

  // A handshake needs fewer iterations; a stalled one ends as not done.
  constexpr int kIterations = 20;
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    outcome.client_done = step(client.get(), outcome.client_error);
    outcome.server_done = step(server.get(), outcome.server_error);
    if (outcome.client_done && outcome.server_done) break;
    if (!outcome.client_error.empty() && !outcome.server_error.empty()) break;
  }
  if (outcome.client_done) {
    // In TLS 1.3 a refusal, like a ticket, arrives after the client's handshake is complete.
    char byte = 0;
    ERR_clear_error();
    const int count = SSL_read(client.get(), &byte, 1);
    if (SSL_get_error(client.get(), count) != SSL_ERROR_WANT_READ) {
      outcome.client_done = false;
      outcome.client_error = tls::take_openssl_error();
    }
    note_issuers(client.get(), outcome);
  }
  if (outcome.done()) describe(server.get(), client.get(), outcome);
  ERR_clear_error();
  return outcome;
}

std::string resign(const std::string& pem, const KeyPair& issuer, const EVP_MD* digest) {
  const auto certificates = certs::parse_certificates(pem, "certificate").value();
  const auto issuers = certs::parse_certificates(issuer.certificate_pem, "issuer").value();
  const auto key = certs::parse_key(issuer.key_pem, "key").value();
  X509* certificate = certificates.front().get();
  X509_set_issuer_name(certificate, X509_get_subject_name(issuers.front().get()));
  require(X509_sign(certificate, key.get(), digest) != 0, "signing");
  const tls::BioPtr out(BIO_new(BIO_s_mem()));
  require(PEM_write_bio_X509(out.get(), certificate) == 1, "writing");
  return tls::bio_text(out.get());
}

std::string alpn_list(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) {
    list += static_cast<char>(name.size());
    list += name;
  }
  return list;
}

std::chrono::system_clock::time_point real_now() {
  return std::chrono::system_clock::now();
}

}  // namespace dynamo::test
