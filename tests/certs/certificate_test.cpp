#include "certs/certificate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include <memory>
#include <string>

#include "certs/x509_read.hpp"
#include "tests/certs/fixtures.hpp"
#include "tests/support/fake_clock.hpp"
#include "tls/openssl.hpp"

namespace dynamo::test {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const TimePoint kNow = FakeClock().wall();
constexpr certs::PairNames kNames{"/c/tls.crt", "/c/tls.key"};

std::string encrypted(const KeyPair& pair) {
  const tls::BioPtr in = tls::bio_over(pair.key_pem);
  const tls::EvpKeyPtr key(PEM_read_bio_PrivateKey(in.get(), nullptr, nullptr, nullptr));
  const tls::BioPtr out(BIO_new(BIO_s_mem()));
  PEM_write_bio_PKCS8PrivateKey(out.get(), key.get(), EVP_aes_128_cbc(), "secret", 6, nullptr,
                                nullptr);
  return tls::bio_text(out.get());
}

// Damages the base64 between the PEM lines.
std::string damaged(std::string pem) {
  const std::size_t body = pem.find('\n') + 1;
  pem.replace(body, 8, "AAAAAAAA");
  return pem;
}

TEST(NotAfter, CertificateWithoutEndExpiresFarInFuture) {
  const tls::X509Ptr certificate(X509_new());
  ASSERT_EQ(ASN1_TIME_set_string_X509(X509_getm_notAfter(certificate.get()), "99991231235959Z"), 1);
  EXPECT_GT(certs::not_after(certificate.get()), kNow + hours(24 * 365 * 200));
}

TEST(CheckPair, AcceptsLeafWithChainAndReportsFacts) {
  const TestCa ca(kNow);
  certs::LeafRequest request = ca.request({"webhook.ns.svc", "127.0.0.1"});
  request.common_name = "the webhook";
  const KeyPair leaf = ca.leaf(request);
  const auto checked =
      certs::check_pair(KeyPair(leaf.certificate_pem + ca.pem(), leaf.key_pem), kNames);
  ASSERT_TRUE(checked) << checked.error().text;
  EXPECT_EQ(checked->leaf.subject, "CN=the webhook");
  EXPECT_THAT(checked->leaf.names, ElementsAre("webhook.ns.svc", "127.0.0.1"));
  EXPECT_EQ(checked->leaf.not_before, request.not_before);
  EXPECT_EQ(checked->leaf.not_after, request.not_after);
  EXPECT_EQ(checked->leaf.fingerprint.size(), 64U);
  EXPECT_EQ(checked->leaf.fingerprint.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(checked->pair.key_pem, leaf.key_pem);
}

// A leaf with a key of this kind. `curve` is only for "EC", `bits` only for kinds of RSA.
KeyPair leaf_of(const char* kind, const char* curve = nullptr, unsigned bits = 0) {
  const std::unique_ptr<EVP_PKEY_CTX, tls::OpensslDelete<EVP_PKEY_CTX_free>> context(
      EVP_PKEY_CTX_new_from_name(nullptr, kind, nullptr));
  EVP_PKEY_keygen_init(context.get());
  if (curve != nullptr) EVP_PKEY_CTX_set_group_name(context.get(), curve);
  if (bits != 0) EVP_PKEY_CTX_set_rsa_keygen_bits(context.get(), static_cast<int>(bits));
  EVP_PKEY* made = nullptr;
  EXPECT_EQ(EVP_PKEY_generate(context.get(), &made), 1) << kind;
  const tls::EvpKeyPtr key(made);

  const TestCa ca(kNow);
  const auto certificates = certs::parse_certificates(ca.leaf().certificate_pem, "leaf").value();
  X509* const leaf = certificates.front().get();
  X509_set_pubkey(leaf, key.get());
  X509_sign(leaf, certs::parse_key(ca.pair().key_pem, "key").value().get(), EVP_sha256());
  const tls::BioPtr certificate_out(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(certificate_out.get(), leaf);
  const tls::BioPtr key_out(BIO_new(BIO_s_mem()));
  PEM_write_bio_PrivateKey(key_out.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  return {tls::bio_text(certificate_out.get()), tls::bio_text(key_out.get())};
}

TEST(CheckPair, AcceptsAllKeyTypesOfApiServers) {
  struct {
    const char* kind;
    const char* curve;
    unsigned bits;
  } const rows[] = {
      {"RSA", nullptr, 2048}, {"RSA", nullptr, 3072}, {"EC", "P-256", 0},
      {"EC", "P-384", 0},     {"EC", "secp521r1", 0}, {"ED25519", nullptr, 0},
  };
  for (const auto& row : rows) {
    const auto checked = certs::check_pair(leaf_of(row.kind, row.curve, row.bits), kNames);
    EXPECT_TRUE(checked) << row.kind << " " << checked.error().text;
  }
}

TEST(CheckPair, RefusesOtherKeyTypesByName) {
  struct {
    const char* kind;
    const char* curve;
    unsigned bits;
    const char* found;
  } const rows[] = {
      {"RSA", nullptr, 1024, "RSA with 1024 bits"},
      {"RSA-PSS", nullptr, 2048, "RSA-PSS with 2048 bits"},
      {"EC", "secp224r1", 0, "EC on the curve secp224r1"},
      {"EC", "secp256k1", 0, "EC on the curve secp256k1"},
      {"EC", "brainpoolP256r1", 0, "EC on the curve brainpoolP256r1"},
      {"ED448", nullptr, 0, "ED448 with 456 bits"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.found);
    const auto checked = certs::check_pair(leaf_of(row.kind, row.curve, row.bits), kNames);
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().text,
              "/c/tls.key: must be a key that API servers shake hands with (RSA of at least 2048 "
              "bits, P-256, P-384, P-521 or Ed25519), but is " +
                  std::string(row.found) + "; issue the certificate again for another key");
  }
}

TEST(CheckPair, RefusesEachDefectNamingTheFile) {
  const TestCa ca(kNow);
  const KeyPair good = ca.leaf();
  const KeyPair other = ca.leaf();
  certs::LeafRequest rsa = ca.request();
  rsa.rsa_bits = 1024;
  const KeyPair weak = ca.leaf(rsa);
  rsa.rsa_bits = 2048;
  const KeyPair rsa_leaf = ca.leaf(rsa);
  const KeyPair nameless = ca.leaf(std::vector<std::string>{});
  const KeyPair client = ca.client("client", {"client.example"});
  struct {
    const char* name;
    KeyPair pair;
    const char* reason;
  } const rows[] = {
      {"empty certificate",
       {"", good.key_pem},
       "/c/tls.crt: must hold a PEM certificate, has none"},
      {"not PEM", {"hello\n", good.key_pem}, "/c/tls.crt: must hold a PEM certificate, has none"},
      {"only a key",
       {good.key_pem, good.key_pem},
       "/c/tls.crt: must hold a PEM certificate, has none"},
      {"damaged leaf",
       {damaged(good.certificate_pem), good.key_pem},
       "/c/tls.crt: certificate 1 does not parse: "},
      {"truncated",
       {good.certificate_pem.substr(0, 200), good.key_pem},
       "/c/tls.crt: certificate 1 does not parse: "},
      {"damaged chain",
       {good.certificate_pem + damaged(ca.pem()), good.key_pem},
       "/c/tls.crt: certificate 2 does not parse: "},
      {"empty key",
       {good.certificate_pem, ""},
       "/c/tls.key: must hold a PEM private key, has none"},
      {"certificate as key",
       {good.certificate_pem, good.certificate_pem},
       "/c/tls.key: must hold a PEM private key, has none"},
      {"damaged key",
       {good.certificate_pem, damaged(good.key_pem)},
       "/c/tls.key: the private key does not parse: "},
      {"encrypted key",
       {good.certificate_pem, encrypted(good)},
       "/c/tls.key: the private key is encrypted; it must be stored without a passphrase"},
      {"key of another certificate",
       {good.certificate_pem, other.key_pem},
       "/c/tls.key: does not belong to the certificate in /c/tls.crt"},
      {"key of another type",
       {good.certificate_pem, rsa_leaf.key_pem},
       "/c/tls.key: does not belong to the certificate in /c/tls.crt"},
      {"chain before leaf",
       {ca.pem() + good.certificate_pem, good.key_pem},
       "/c/tls.crt: the leaf must come first, but the key belongs to certificate 2"},
      {"weak key", weak,
       "/c/tls.key: must be a key that API servers shake hands with (RSA of at least 2048 bits, "
       "P-256, P-384, P-521 or Ed25519), but is RSA with 1024 bits; "},
      {"no alternative name", nameless,
       "/c/tls.crt: must name the server as a subject alternative name; the API server ignores the "
       "common name"},
      {"client only", client,
       "/c/tls.crt: must be usable by a TLS server; its key usage or extended key usage forbids "
       "it"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const auto checked = certs::check_pair(row.pair, kNames);
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().text.substr(0, std::string_view(row.reason).size()), row.reason);
    EXPECT_THAT(checked.error().text, Not(HasSubstr("\n")));
  }
}

TEST(CheckPair, MessagesContainNoKeyMaterial) {
  const TestCa ca(kNow);
  const KeyPair good = ca.leaf();
  const std::string key = good.key_pem;
  const std::string body = key.substr(key.find('\n') + 1, 16);
  for (const KeyPair& pair :
       {KeyPair(key, key), KeyPair(good.certificate_pem, damaged(key)),
        KeyPair(good.certificate_pem, key.substr(0, 120)), KeyPair(ca.pem(), key)}) {
    const auto checked = certs::check_pair(pair, kNames);
    ASSERT_FALSE(checked);
    EXPECT_THAT(checked.error().text, Not(HasSubstr(body)));
    EXPECT_THAT(checked.error().text, Not(HasSubstr("PRIVATE KEY-----")));
  }
}

TEST(ValidityProblem, CoversBothEndsOfPeriod) {
  certs::CertificateFacts facts;
  facts.not_before = kNow;
  facts.not_after = kNow + hours(1);
  struct {
    TimePoint at;
    const char* problem;
  } const rows[] = {
      {kNow - seconds(1), "is not valid before 2026-02-03T04:05:06Z"},
      {kNow, ""},
      {kNow + hours(1), ""},
      {kNow + hours(1) + seconds(1), "expired 1s ago (at 2026-02-03T05:05:06Z)"},
      {kNow + hours(1) + minutes(3), "expired 3m ago (at 2026-02-03T05:05:06Z)"},
  };
  for (const auto& row : rows) EXPECT_EQ(certs::validity_problem(facts, row.at), row.problem);
}

TEST(ReadBundle, KeepsOrderAndSkipsOtherBlocks) {
  const TestCa one(kNow, "one");
  const TestCa two(kNow, "two");
  const auto facts = certs::read_bundle(
      "comment\n" + one.pem() + one.pair().key_pem + two.pem() + "\ntrailing words\n", "bundle");
  ASSERT_TRUE(facts) << facts.error().text;
  ASSERT_EQ(facts->size(), 2U);
  EXPECT_EQ((*facts)[0].subject, "CN=one");
  EXPECT_EQ((*facts)[1].subject, "CN=two");
}

TEST(ReadBundle, RefusesMoreThan256Certificates) {
  const TestCa ca(kNow);
  std::string bundle;
  for (int i = 0; i < 256; ++i) bundle += ca.pem();
  EXPECT_TRUE(certs::read_bundle(bundle, "bundle"));
  const auto facts = certs::read_bundle(bundle + ca.pem(), "bundle");
  ASSERT_FALSE(facts);
  EXPECT_EQ(facts.error().text, "bundle: must hold at most 256 certificates");
}

}  // namespace
}  // namespace dynamo::test
