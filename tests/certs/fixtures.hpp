// Fixtures for tests of certs/: a temporary directory, the way the kubelet updates a mounted
// Secret, certificates in one line, and a TLS handshake without a socket.
#pragma once

#include <openssl/ssl.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "certs/certificate.hpp"
#include "certs/issue.hpp"
#include "tests/support/temporary_directory.hpp"

namespace dynamo::test {

using certs::IssuedCertificate;
using certs::KeyPair;
using certs::TimePoint;

class TempDirectory {
 public:
  std::string path() const { return directory_.path().string(); }
  std::string file(std::string_view name) const { return (directory_.path() / name).string(); }
  void write(std::string_view name, std::string_view content) const;
  void write_pair(const KeyPair& pair) const;  // tls.crt and tls.key
  void remove(std::string_view name) const;
  std::string read(std::string_view name) const;

  // As the kubelet does: the content is written into a new directory, then the link ..data is
  // replaced by a rename. tls.crt and tls.key are links through ..data.
  void swap_secret(const KeyPair& pair);

 private:
  TemporaryDirectory directory_;
  int generation_ = 0;
};

// One CA for a test, and its leaves; by default valid from an hour before `now` until a day after
// it.
class TestCa {
 public:
  explicit TestCa(TimePoint now, const std::string& name = "test CA");

  const std::string& pem() const { return ca_.certificate_pem; }
  const KeyPair& pair() const { return ca_; }
  certs::LeafRequest request(std::vector<std::string> names = {"localhost"}) const;
  KeyPair leaf(const certs::LeafRequest& request) const;
  KeyPair leaf(std::vector<std::string> names = {"localhost"}) const;
  KeyPair client(const std::string& common_name, std::vector<std::string> names = {}) const;

 private:
  TimePoint now_;
  KeyPair ca_;
};

struct ClientOptions {
  std::string trusted_pem;  // must have signed the server's certificate; empty: not checked
  std::string host;         // expected in the server's certificate; empty: not checked
  TimePoint at{};           // time for checking the server's certificate; 0: now
  int max_version = TLS1_3_VERSION;
  int min_version = TLS1_VERSION;
  std::string tls12_ciphers;  // empty: OpenSSL's default
  std::string tls13_suites;
  std::string groups;
  std::string alpn;     // wire format: length, name, length, name
  KeyPair certificate;  // empty: none is sent
};

struct HandshakeOutcome {
  bool server_done = false;
  bool client_done = false;  // and the server did not refuse it afterwards
  std::string server_error;  // OpenSSL's reason
  std::string client_error;
  std::string version;  // "TLSv1.3"
  std::string cipher;
  std::string group;
  std::string alpn;  // the server's choice
  bool alpn_answered = false;
  std::string server_fingerprint;              // as in CertificateFacts
  int chain_length = 0;                        // certificates that the server sent
  int tickets = 0;                             // session tickets that the server sent
  std::vector<std::string> announced_issuers;  // issuers that the server sends to clients

  bool done() const { return server_done && client_done; }
};

// Performs a handshake over memory BIOs with a client of these options.
HandshakeOutcome shake_hands(SSL_CTX* server, const ClientOptions& options = {});

// The first certificate of `pem` signed again by `issuer`, as an intermediate or with a bad
// signature.
std::string resign(const std::string& pem, const KeyPair& issuer, const EVP_MD* digest);

// "h2" and "http/1.1" in ALPN wire format.
std::string alpn_list(const std::vector<std::string>& names);

std::chrono::system_clock::time_point real_now();

}  // namespace dynamo::test
