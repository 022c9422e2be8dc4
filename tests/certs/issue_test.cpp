#include "certs/issue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "certs/x509_read.hpp"
#include "tests/certs/fixtures.hpp"
#include "tests/support/fake_clock.hpp"

namespace dynamo::test {
namespace {

using testing::ElementsAre;

const TimePoint kNow = FakeClock().wall();

// 1 if the first certificate of `leaf` is signed by the first of `ca` and may be used for
// `purpose`.
int verify(const std::string& leaf, const std::string& ca, int purpose) {
  const auto leaves = certs::parse_certificates(leaf, "leaf").value();
  const auto cas = certs::parse_certificates(ca, "ca").value();
  const std::unique_ptr<X509_STORE, tls::OpensslDelete<X509_STORE_free>> store(X509_STORE_new());
  X509_STORE_add_cert(store.get(), cas.front().get());
  const std::unique_ptr<X509_STORE_CTX, tls::OpensslDelete<X509_STORE_CTX_free>> context(
      X509_STORE_CTX_new());
  X509_STORE_CTX_init(context.get(), store.get(), leaves.front().get(), nullptr);
  X509_STORE_CTX_set_purpose(context.get(), purpose);
  X509_STORE_CTX_set_time(context.get(), 0, std::chrono::system_clock::to_time_t(kNow));
  X509_STORE_CTX_set_flags(context.get(), X509_V_FLAG_X509_STRICT);
  return X509_verify_cert(context.get());
}

TEST(Issue, LeafVerifiesOnlyAgainstItsCa) {
  const TestCa ca(kNow, "ours");
  const TestCa other(kNow, "ours");
  const KeyPair leaf = ca.leaf();
  EXPECT_EQ(verify(leaf.certificate_pem, ca.pem(), X509_PURPOSE_SSL_SERVER), 1);
  EXPECT_EQ(verify(leaf.certificate_pem, other.pem(), X509_PURPOSE_SSL_SERVER), 0);
}

TEST(Issue, OnlyCaMaySign) {
  const TestCa ca(kNow);
  const auto certificates =
      certs::parse_certificates(ca.pem() + ca.leaf().certificate_pem, "both").value();
  EXPECT_NE(X509_get_extension_flags(certificates[0].get()) & EXFLAG_CA, 0U);
  EXPECT_EQ(X509_get_extension_flags(certificates[1].get()) & EXFLAG_CA, 0U);
  EXPECT_NE(X509_get_key_usage(certificates[0].get()) & KU_KEY_CERT_SIGN, 0U);
  EXPECT_EQ(X509_get_key_usage(certificates[1].get()) & KU_KEY_CERT_SIGN, 0U);
}

TEST(Issue, LeafIsLimitedToRequestedUsage) {
  const TestCa ca(kNow);
  struct {
    certs::Usage usage;
    int server;
    int client;
  } const rows[] = {{certs::Usage::kServer, 1, 0},
                    {certs::Usage::kClient, 0, 1},
                    {certs::Usage::kServerAndClient, 1, 1}};
  for (const auto& row : rows) {
    SCOPED_TRACE(static_cast<int>(row.usage));
    certs::LeafRequest request = ca.request();
    request.usage = row.usage;
    const std::string pem = ca.leaf(request).certificate_pem;
    EXPECT_EQ(verify(pem, ca.pem(), X509_PURPOSE_SSL_SERVER), row.server);
    EXPECT_EQ(verify(pem, ca.pem(), X509_PURPOSE_SSL_CLIENT), row.client);
  }
}

TEST(Issue, AddressesAndUrisDifferFromDnsNames) {
  const TestCa ca(kNow);
  const KeyPair leaf =
      ca.leaf({"webhook.ns.svc", "127.0.0.1", "::1", "spiffe://cluster/ns/a/sa/b", "a,DNS:b"});
  const auto certificates = certs::parse_certificates(leaf.certificate_pem, "leaf").value();
  X509* certificate = certificates.front().get();
  EXPECT_THAT(
      certs::read_facts(certificate).names,
      ElementsAre("webhook.ns.svc", "127.0.0.1", "::1", "spiffe://cluster/ns/a/sa/b", "a,DNS:b"));
  EXPECT_EQ(X509_check_ip_asc(certificate, "127.0.0.1", 0), 1);
  EXPECT_EQ(X509_check_ip_asc(certificate, "::1", 0), 1);
  EXPECT_EQ(X509_check_host(certificate, "webhook.ns.svc", 0, 0, nullptr), 1);
  EXPECT_EQ(X509_check_host(certificate, "b", 0, 0, nullptr), 0) << "one name became two";
  EXPECT_THAT(
      certs::client_names(certificate),
      ElementsAre("dynamo-webhook", "webhook.ns.svc", "spiffe://cluster/ns/a/sa/b", "a,DNS:b"));
}

TEST(Issue, PeriodIsExactToTheSecond) {
  const TestCa ca(kNow);
  certs::LeafRequest request = ca.request();
  request.not_before = kNow - std::chrono::minutes(5);
  // After 2049 certificates encode times in another format.
  request.not_after = kNow + std::chrono::hours(24 * 365 * 30);
  const auto facts = certs::read_bundle(ca.leaf(request).certificate_pem, "leaf").value();
  EXPECT_EQ(facts.front().not_before, request.not_before);
  EXPECT_EQ(facts.front().not_after, request.not_after);
}

TEST(Issue, SerialsAndKeysAreUnique) {
  const TestCa ca(kNow);
  const KeyPair one = ca.leaf();
  const KeyPair two = ca.leaf();
  EXPECT_NE(one.key_pem, two.key_pem);
  const auto first = certs::parse_certificates(one.certificate_pem, "one").value();
  const auto second = certs::parse_certificates(two.certificate_pem, "two").value();
  EXPECT_NE(ASN1_INTEGER_cmp(X509_get0_serialNumber(first.front().get()),
                             X509_get0_serialNumber(second.front().get())),
            0);
}

TEST(Issue, InvalidRequestsAreRefused) {
  const TestCa ca(kNow);
  struct {
    const char* name;
    void (*spoil)(certs::LeafRequest&);
    const char* reason;
  } const rows[] = {
      {"ends before it begins", [](certs::LeafRequest& r) { r.not_after = r.not_before; },
       "a certificate must not end before it begins"},
      {"no common name", [](certs::LeafRequest& r) { r.common_name.clear(); },
       "common name must have 1 to 64 characters, found 0"},
      {"long common name", [](certs::LeafRequest& r) { r.common_name.assign(65, 'a'); },
       "common name must have 1 to 64 characters, found 65"},
      {"control character", [](certs::LeafRequest& r) { r.names = {"a\nb"}; },
       "subject alternative name must be printable ASCII"},
      {"empty name", [](certs::LeafRequest& r) { r.names = {""}; },
       "subject alternative name must have 1 to 1024 characters, found 0"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    certs::LeafRequest request = ca.request();
    row.spoil(request);
    const auto issued = certs::issue(ca.pair(), request);
    ASSERT_FALSE(issued);
    EXPECT_EQ(issued.error().text, row.reason);
  }
  EXPECT_TRUE(certs::make_ca(std::string(64, 'a'), kNow, kNow + std::chrono::seconds(1)));
  EXPECT_FALSE(certs::make_ca("ca", kNow, kNow));
}

TEST(Issue, UnreadableCaIsReported) {
  const TestCa ca(kNow);
  const auto no_certificate = certs::issue(KeyPair("", ca.pair().key_pem), ca.request());
  ASSERT_FALSE(no_certificate);
  EXPECT_EQ(no_certificate.error().text,
            "the CA's certificate: must hold a PEM certificate, has none");
  const auto no_key = certs::issue(KeyPair(ca.pem(), ""), ca.request());
  ASSERT_FALSE(no_key);
  EXPECT_EQ(no_key.error().text, "the CA's key: must hold a PEM private key, has none");
}

}  // namespace
}  // namespace dynamo::test
