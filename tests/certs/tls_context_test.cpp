#include "certs/tls_context.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/certs/fixtures.hpp"

namespace dynamo::test {
namespace {

using certs::ClientVerification;
using certs::TlsOptions;
using certs::TlsVersion;
using std::chrono::hours;
using testing::ElementsAre;
using testing::HasSubstr;

class TlsContextTest : public testing::Test {
 public:
  std::shared_ptr<SSL_CTX> build(const TlsOptions& options = {},
                                 const ClientVerification* clients = nullptr) const {
    return certs::build_tls_context(pair, options, clients).value();
  }

  // OpenSSL verifies clients' certificates by the real time.
  TestCa ca{real_now()};
  KeyPair pair = ca.leaf();
};

// ---- Versions and ciphers

TEST_F(TlsContextTest, AcceptsOnlyTls12And13) {
  const auto context = build();
  struct {
    int version;
    const char* spoken;
  } const rows[] = {{TLS1_3_VERSION, "TLSv1.3"},
                    {TLS1_2_VERSION, "TLSv1.2"},
                    {TLS1_1_VERSION, ""},
                    {TLS1_VERSION, ""}};
  for (const auto& row : rows) {
    ClientOptions client;
    client.max_version = row.version;
    const HandshakeOutcome outcome = shake_hands(context.get(), client);
    EXPECT_EQ(outcome.version, row.spoken);
    EXPECT_EQ(outcome.done(), *row.spoken != '\0');
    EXPECT_EQ(outcome.server_error, outcome.done() ? "" : "unsupported protocol");
  }
}

TEST_F(TlsContextTest, RefusesTls12WhenMinimumIs13) {
  const auto context = build({TlsVersion::k1_3, {}});
  ClientOptions client;
  EXPECT_EQ(shake_hands(context.get(), client).version, "TLSv1.3");
  client.max_version = TLS1_2_VERSION;
  const HandshakeOutcome outcome = shake_hands(context.get(), client);
  EXPECT_FALSE(outcome.done());
  EXPECT_EQ(outcome.server_error, "unsupported protocol");
}

TEST_F(TlsContextTest, PrefersCheapestCipherOverClientsOrder) {
  const auto context = build();
  ClientOptions client;
  client.tls13_suites = "TLS_AES_256_GCM_SHA384:TLS_AES_128_GCM_SHA256";
  EXPECT_EQ(shake_hands(context.get(), client).cipher, "TLS_AES_128_GCM_SHA256");
  // A client without AES instructions puts ChaCha20 first and gets it.
  client.tls13_suites = "TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256";
  EXPECT_EQ(shake_hands(context.get(), client).cipher, "TLS_CHACHA20_POLY1305_SHA256");
  client.max_version = TLS1_2_VERSION;
  client.tls12_ciphers = "ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-ECDSA-AES128-GCM-SHA256";
  EXPECT_EQ(shake_hands(context.get(), client).cipher, "ECDHE-ECDSA-AES128-GCM-SHA256");
}

TEST_F(TlsContextTest, Tls12UsesOnlyAeadWithForwardSecrecy) {
  certs::LeafRequest request = ca.request();
  request.rsa_bits = 2048;
  const auto rsa = certs::build_tls_context(ca.leaf(request), {}, nullptr).value();
  ClientOptions client;
  client.max_version = TLS1_2_VERSION;
  for (const char* weak : {"ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES128-SHA256",
                           "ECDHE-RSA-AES128-SHA", "AES128-GCM-SHA256", "AES128-SHA"}) {
    client.tls12_ciphers = weak;
    EXPECT_FALSE(shake_hands(build().get(), client).done()) << weak;
    EXPECT_FALSE(shake_hands(rsa.get(), client).done()) << weak;
  }
  client.tls12_ciphers = "ECDHE-RSA-AES256-GCM-SHA384";
  EXPECT_EQ(shake_hands(rsa.get(), client).cipher, "ECDHE-RSA-AES256-GCM-SHA384");
}

TEST_F(TlsContextTest, AcceptsOpensslAndIanaCipherNames) {
  struct {
    std::vector<std::string> names;
    const char* tls13;  // result for a client with OpenSSL's defaults
    const char* tls12;
  } const rows[] = {
      {{"ECDHE-ECDSA-AES256-GCM-SHA384"},
       "TLS_AES_128_GCM_SHA256",
       "ECDHE-ECDSA-AES256-GCM-SHA384"},
      {{"TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"},
       "TLS_AES_128_GCM_SHA256",
       "ECDHE-ECDSA-AES256-GCM-SHA384"},
      {{"TLS_AES_256_GCM_SHA384"}, "TLS_AES_256_GCM_SHA384", "ECDHE-ECDSA-AES128-GCM-SHA256"},
      {{"TLS_AES_256_GCM_SHA384", "ECDHE-ECDSA-AES256-GCM-SHA384", "TLS_AES_128_GCM_SHA256"},
       "TLS_AES_256_GCM_SHA384",
       "ECDHE-ECDSA-AES256-GCM-SHA384"},
      {{"ECDHE-ECDSA-AES128-SHA256"}, "TLS_AES_128_GCM_SHA256", "ECDHE-ECDSA-AES128-SHA256"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(testing::PrintToString(row.names));
    const TlsOptions options{TlsVersion::k1_2, row.names};
    EXPECT_TRUE(certs::check_tls_options(options));
    const auto context = build(options);
    ClientOptions client;
    EXPECT_EQ(shake_hands(context.get(), client).cipher, row.tls13);
    client.max_version = TLS1_2_VERSION;
    EXPECT_EQ(shake_hands(context.get(), client).cipher, row.tls12);
  }
}

TEST_F(TlsContextTest, RefusesClientsWithoutNamedCiphers) {
  const auto context =
      build({TlsVersion::k1_2, {"TLS_AES_256_GCM_SHA384", "ECDHE-ECDSA-AES256-GCM-SHA384"}});
  ClientOptions client;
  client.tls13_suites = "TLS_AES_128_GCM_SHA256";
  client.tls12_ciphers = "ECDHE-ECDSA-AES128-GCM-SHA256";
  EXPECT_EQ(shake_hands(context.get(), client).server_error, "no shared cipher");
  client.max_version = TLS1_2_VERSION;
  EXPECT_EQ(shake_hands(context.get(), client).server_error, "no shared cipher");
}

TEST_F(TlsContextTest, WrongCipherNamesAreReportedInOneLine) {
  const std::string unknown =
      "\" is not known; name single ciphers as OpenSSL or IANA do, for example "
      "ECDHE-ECDSA-AES128-GCM-SHA256 or TLS_AES_128_GCM_SHA256";
  struct {
    TlsOptions options;
    std::string reason;
  } const rows[] = {
      {{TlsVersion::k1_2, {"ECDHE-NONSENSE"}}, "TLS cipher \"ECDHE-NONSENSE" + unknown},
      {{TlsVersion::k1_2, {""}}, "TLS cipher \"" + unknown},
      {{TlsVersion::k1_2, {"HIGH"}}, "TLS cipher \"HIGH" + unknown},
      {{TlsVersion::k1_2, {"!aNULL"}}, "TLS cipher \"!aNULL" + unknown},
      {{TlsVersion::k1_2, {"ALL:@SECLEVEL=0"}}, "TLS cipher \"ALL:@SECLEVEL=0" + unknown},
      {{TlsVersion::k1_2, {"ECDHE-ECDSA-NULL-SHA"}}, "TLS cipher \"ECDHE-ECDSA-NULL-SHA" + unknown},
      {{TlsVersion::k1_2, {"AECDH-AES128-SHA"}}, "TLS cipher \"AECDH-AES128-SHA" + unknown},
      {{TlsVersion::k1_2, {"DHE-RSA-AES128-GCM-SHA256"}},
       "TLS cipher \"DHE-RSA-AES128-GCM-SHA256" + unknown},
      {{TlsVersion::k1_2, {"PSK-AES128-GCM-SHA256"}},
       "TLS cipher \"PSK-AES128-GCM-SHA256" + unknown},
      {{TlsVersion::k1_2, {"ECDHE-RSA-AES128-GCM-SHA256", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"}},
       "TLS cipher \"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256\" is named twice"},
      {{TlsVersion::k1_3, {"TLS_AES_128_GCM_SHA256", "ECDHE-RSA-AES128-GCM-SHA256"}},
       "TLS cipher \"ECDHE-RSA-AES128-GCM-SHA256\" belongs to TLS 1.2, which the least version 1.3 "
       "rules out"},
  };
  for (const auto& row : rows) {
    const auto checked = certs::check_tls_options(row.options);
    ASSERT_FALSE(checked) << row.reason;
    EXPECT_EQ(checked.error().text, row.reason);
    const auto context = certs::build_tls_context(pair, row.options, nullptr);
    ASSERT_FALSE(context);
    EXPECT_EQ(context.error().text, row.reason);
  }
}

TEST_F(TlsContextTest, UsesOnlyX25519OrP256) {
  const auto context = build();
  ClientOptions client;
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    client.max_version = version;
    client.groups = "P-384:X25519:P-256";
    EXPECT_EQ(shake_hands(context.get(), client).group, "x25519");
    client.groups = "P-256";
    EXPECT_EQ(shake_hands(context.get(), client).group, "secp256r1");
    client.groups = "P-384";
    EXPECT_FALSE(shake_hands(context.get(), client).done());
  }
}

// ---- Connections

TEST_F(TlsContextTest, SelectsHttp11AndSucceedsWithoutIt) {
  const auto context = build();
  struct {
    std::string offered;
    std::string selected;
  } const rows[] = {
      {alpn_list({"http/1.1"}), "http/1.1"},
      {alpn_list({"h2", "http/1.1"}), "http/1.1"},
      {alpn_list({"h2"}), ""},
      {alpn_list({"http/1.0", "http/1.1x"}), ""},
      {"", ""},
  };
  for (const auto& row : rows) {
    ClientOptions client;
    client.alpn = row.offered;
    const HandshakeOutcome outcome = shake_hands(context.get(), client);
    EXPECT_TRUE(outcome.done()) << outcome.server_error;
    EXPECT_EQ(outcome.alpn, row.selected);
  }
}

TEST_F(TlsContextTest, GivesNoSessionToResume) {
  const auto context = build();
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    ClientOptions client;
    client.max_version = version;
    const HandshakeOutcome outcome = shake_hands(context.get(), client);
    EXPECT_TRUE(outcome.done());
    EXPECT_EQ(outcome.tickets, 0) << version;
  }
  EXPECT_EQ(SSL_CTX_sess_number(context.get()), 0);
}

TEST_F(TlsContextTest, SendsExactlyTheChainOfFile) {
  EXPECT_EQ(shake_hands(build().get()).chain_length, 1);
  const ClientVerification clients{ca.pem(), {}, {}};
  ClientOptions client;
  client.certificate = ca.client("client");
  EXPECT_EQ(shake_hands(build({}, &clients).get(), client).chain_length, 1)
      << "a client CA that signed the leaf too is not sent";
  const KeyPair chain(pair.certificate_pem + ca.pem(), pair.key_pem);
  const auto context = certs::build_tls_context(chain, {}, nullptr).value();
  EXPECT_EQ(shake_hands(context.get()).chain_length, 2);
}

TEST_F(TlsContextTest, SetsOptionsForLowMemoryAndHardening) {
  const auto context = build();
  const auto options = SSL_CTX_get_options(context.get());
  for (const std::uint64_t option :
       {SSL_OP_NO_TICKET, SSL_OP_NO_RENEGOTIATION, SSL_OP_NO_COMPRESSION}) {
    EXPECT_EQ(options & option, option);
  }
  const long modes = SSL_CTX_get_mode(context.get());
  for (const long mode : {SSL_MODE_RELEASE_BUFFERS, SSL_MODE_ENABLE_PARTIAL_WRITE,
                          SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER}) {
    EXPECT_EQ(modes & mode, mode);
  }
  EXPECT_EQ(SSL_CTX_get_read_ahead(context.get()), 1);
  EXPECT_EQ(SSL_CTX_get_session_cache_mode(context.get()), SSL_SESS_CACHE_OFF);
  EXPECT_EQ(SSL_CTX_get_security_level(context.get()), 2);
}

TEST_F(TlsContextTest, ReportsCertificatesThatOpensslRefuses) {
  const KeyPair sha1(resign(pair.certificate_pem, ca.pair(), EVP_sha1()), pair.key_pem);
  const auto weak = certs::build_tls_context(sha1, {}, nullptr);
  ASSERT_FALSE(weak);
  EXPECT_EQ(weak.error().text, "the certificate cannot be used: ca md too weak");
  const auto mismatch =
      certs::build_tls_context(KeyPair(pair.certificate_pem, ca.leaf().key_pem), {}, nullptr);
  ASSERT_FALSE(mismatch);
  EXPECT_THAT(mismatch.error().text, HasSubstr("key"));
  const auto empty = certs::build_tls_context(KeyPair(), {}, nullptr);
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().text, "the certificate: must hold a PEM certificate, has none");
}

// ---- Client certificates

class MutualTlsTest : public TlsContextTest {
 public:
  std::shared_ptr<SSL_CTX> build_for(std::vector<std::string> allowed_names,
                                     const TlsOptions& options = {}) const {
    const ClientVerification clients{client_ca.pem(), std::move(allowed_names), {}};
    return build(options, &clients);
  }
  // The versions refuse differently: 1.2 within the handshake, 1.3 after it.
  static std::string outcome_of(SSL_CTX* context, const KeyPair& certificate) {
    std::string text;
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
      ClientOptions client;
      client.max_version = version;
      client.certificate = certificate;
      const HandshakeOutcome outcome = shake_hands(context, client);
      if (!text.empty()) text += ", ";
      text += outcome.done() ? "served" : outcome.server_error;
    }
    return text;
  }

  TestCa client_ca{real_now(), "client CA"};
};

TEST_F(MutualTlsTest, AcceptsOnlyClientsOfClientCa) {
  const auto context = build_for({});
  certs::LeafRequest expired = client_ca.request({});
  expired.usage = certs::Usage::kClient;
  expired.not_before = real_now() - hours(3);
  expired.not_after = real_now() - hours(1);
  const TestCa same_name(real_now(), "client CA");
  EXPECT_EQ(outcome_of(context.get(), client_ca.client("anyone")), "served, served");
  const std::string missing = "peer did not return a certificate";
  EXPECT_EQ(outcome_of(context.get(), {}), missing + ", " + missing);
  const std::string failed = "certificate verify failed, certificate verify failed";
  EXPECT_EQ(outcome_of(context.get(), ca.client("anyone")), failed) << "the server's own CA";
  EXPECT_EQ(outcome_of(context.get(), same_name.client("anyone")), failed) << "a CA of that name";
  EXPECT_EQ(outcome_of(context.get(), client_ca.leaf()), failed) << "a server's certificate";
  EXPECT_EQ(outcome_of(context.get(), client_ca.leaf(expired)), failed) << "an expired one";
}

// An incomplete handshake holds as much memory as its announced size.
TEST_F(MutualTlsTest, RefusesTooLongCertificateChains) {
  const auto context = build_for({});
  KeyPair client = client_ca.client("anyone");
  for (int more = 0; more < 5; ++more) client.certificate_pem += client_ca.pem();
  EXPECT_EQ(outcome_of(context.get(), client), "served, served");
  for (int more = 0; more < 55; ++more) client.certificate_pem += client_ca.pem();
  EXPECT_EQ(outcome_of(context.get(), client), "excessive message size, excessive message size");
}

TEST_F(MutualTlsTest, AcceptsOnlyClientsWithAllowedName) {
  const auto context =
      build_for({"apiserver", "api.kube-system.svc", "spiffe://cluster/apiserver", "10.0.0.1"});
  struct {
    const char* name;
    KeyPair certificate;
    bool served;
  } const rows[] = {
      {"common name", client_ca.client("apiserver"), true},
      {"DNS name", client_ca.client("x", {"other.svc", "api.kube-system.svc"}), true},
      {"URI", client_ca.client("x", {"spiffe://cluster/apiserver"}), true},
      {"another common name", client_ca.client("apiserver2"), false},
      {"in other case", client_ca.client("APISERVER"), false},
      {"another DNS name", client_ca.client("x", {"a.api.kube-system.svc"}), false},
      {"another URI", client_ca.client("x", {"spiffe://cluster/apiserver/x"}), false},
      {"an address is no name", client_ca.client("x", {"10.0.0.1"}), false},
      {"the right name from another CA", ca.client("apiserver"), false},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(
        outcome_of(context.get(), row.certificate),
        row.served ? "served, served" : "certificate verify failed, certificate verify failed");
  }
}

TEST_F(MutualTlsTest, TrustsIntermediateWithoutItsRoot) {
  const TestCa root(real_now(), "root");
  const TestCa intermediate(real_now(), "intermediate");
  const std::string signed_by_root = resign(intermediate.pem(), root.pair(), EVP_sha256());
  const ClientVerification clients{signed_by_root, {}, {}};
  const auto context = build({}, &clients);
  EXPECT_EQ(outcome_of(context.get(), intermediate.client("a")), "served, served");
  EXPECT_EQ(outcome_of(context.get(), root.client("a")),
            "certificate verify failed, certificate verify failed");
}

TEST_F(MutualTlsTest, AnnouncesTrustedCas) {
  const TestCa second(real_now(), "second");
  const ClientVerification clients{client_ca.pem() + second.pem(), {}, {}};
  ClientOptions client;
  client.certificate = second.client("a");
  const HandshakeOutcome outcome = shake_hands(build({}, &clients).get(), client);
  EXPECT_TRUE(outcome.done()) << outcome.server_error;
  EXPECT_THAT(outcome.announced_issuers, ElementsAre("CN=client CA", "CN=second"));
}

TEST_F(MutualTlsTest, KeepsEveryTlsOption) {
  const TlsOptions strict{TlsVersion::k1_3, {"TLS_AES_256_GCM_SHA384"}};
  const auto plain = build(strict);
  const auto mutual = build_for({"apiserver"}, strict);
  ClientOptions client;
  client.certificate = client_ca.client("apiserver");
  client.alpn = alpn_list({"h2", "http/1.1"});
  const HandshakeOutcome outcome = shake_hands(mutual.get(), client);
  EXPECT_TRUE(outcome.done()) << outcome.server_error;
  EXPECT_EQ(outcome.version, "TLSv1.3");
  EXPECT_EQ(outcome.cipher, "TLS_AES_256_GCM_SHA384");
  EXPECT_EQ(outcome.group, "x25519");
  EXPECT_EQ(outcome.alpn, "http/1.1");
  EXPECT_EQ(outcome.tickets, 0);
  client.tls13_suites = "TLS_AES_128_GCM_SHA256";
  EXPECT_EQ(shake_hands(mutual.get(), client).server_error, "no shared cipher");
  client.max_version = TLS1_2_VERSION;
  EXPECT_EQ(shake_hands(mutual.get(), client).server_error, "unsupported protocol");

  EXPECT_EQ(SSL_CTX_get_options(mutual.get()), SSL_CTX_get_options(plain.get()));
  EXPECT_EQ(SSL_CTX_get_mode(mutual.get()), SSL_CTX_get_mode(plain.get()));
  EXPECT_EQ(SSL_CTX_get_min_proto_version(mutual.get()), TLS1_3_VERSION);
  EXPECT_EQ(SSL_CTX_get_read_ahead(mutual.get()), 1);
  EXPECT_EQ(SSL_CTX_get_num_tickets(mutual.get()), 0U);
  EXPECT_EQ(SSL_CTX_get_session_cache_mode(mutual.get()), SSL_SESS_CACHE_OFF);
  EXPECT_EQ(SSL_CTX_get_security_level(mutual.get()), 2);
}

TEST_F(MutualTlsTest, CopiesItsVerificationData) {
  std::shared_ptr<SSL_CTX> context;
  {
    auto clients = std::make_unique<ClientVerification>(
        ClientVerification{client_ca.pem(), {"apiserver"}, {}});
    context = build({}, clients.get());
  }
  EXPECT_EQ(outcome_of(context.get(), client_ca.client("apiserver")), "served, served");
}

TEST_F(MutualTlsTest, RequestsNoCertificateWhenDisabled) {
  EXPECT_EQ(outcome_of(build().get(), {}), "served, served");
}

}  // namespace
}  // namespace dynamo::test
