#include "certs/managed/content.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <functional>
#include <memory>
#include <utility>

#include "certs/issue.hpp"
#include "certs/x509_read.hpp"
#include "tests/certs/fixtures.hpp"
#include "tests/certs/managed_support.hpp"
#include "tests/support/fake_clock.hpp"

namespace dynamo::test {
namespace {

using certs::KeyPair;
using certs::managed::Content;
using certs::managed::decode_secret;
using certs::managed::DecodedSecret;
using certs::managed::Fault;
using certs::managed::RotationPhase;
using certs::managed::Settings;
using certs::managed::verifies;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const certs::TimePoint kNow = FakeClock().wall();

DecodedSecret decode(std::string_view text) {
  return decode_secret(json::parse_copy(text)->root());
}

std::string encode(const Content& content) {
  return encode_secret(content, {}, managed_settings());
}

std::vector<std::string> fingerprints(const Content& content) {
  std::vector<std::string> all;
  for (const auto& certificate : content.trusted()) all.push_back(certificate.facts.fingerprint);
  return all;
}

TEST(ManagedContent, CaLastsTenYearsAndLeafNinetyDays) {
  const Content made = new_content(managed_settings(), kNow).value();
  EXPECT_EQ(made.ca.facts.subject, "CN=dynamo-webhook CA");
  EXPECT_EQ(made.ca.facts.not_before, kNow - 10min);
  EXPECT_EQ(made.ca.facts.not_after, kNow + 3650 * kDay);
  EXPECT_EQ(made.leaf->leaf.not_before, kNow - 10min);
  EXPECT_EQ(made.leaf->leaf.not_after, kNow + 90 * kDay);
  EXPECT_THAT(made.leaf->leaf.names,
              ElementsAre("dynamo-webhook", "dynamo-webhook.dynamo", "dynamo-webhook.dynamo.svc",
                          "dynamo-webhook.dynamo.svc.cluster.local"));
  EXPECT_TRUE(verifies(made.ca.pair.certificate_pem, made.leaf->pair, made.leaf->leaf.names));
  EXPECT_EQ(made.phase(), RotationPhase::kSteady);
}

TEST(ManagedContent, LeafNeverOutlivesItsCa) {
  Settings settings = managed_settings();
  const Content made = new_content(settings, kNow).value();
  const auto late = new_leaf(made.ca, settings, made.ca.facts.not_after - 1h).value();
  EXPECT_EQ(late->leaf.not_after, made.ca.facts.not_after);
}

TEST(ManagedContent, EachPhaseRoundTrips) {
  const Settings settings = managed_settings();
  const Content steady = new_content(settings, kNow).value();
  const Content publishing = publish_next(steady, settings, kNow).value();
  const Content retiring = switch_to_next(publishing, settings, kNow).value();
  const Content done = drop_previous(retiring);
  const std::string old_ca = steady.ca.facts.fingerprint;
  const std::string new_ca = publishing.next->facts.fingerprint;
  EXPECT_THAT(fingerprints(publishing), ElementsAre(old_ca, new_ca));
  EXPECT_THAT(fingerprints(retiring), ElementsAre(new_ca, old_ca));
  EXPECT_THAT(fingerprints(done), ElementsAre(new_ca));
  for (const Content* const content : {&steady, &publishing, &retiring, &done}) {
    const DecodedSecret read = decode(encode(*content));
    ASSERT_TRUE(read.content.has_value());
    EXPECT_FALSE(read.flaw.has_value()) << read.flaw->text;
    EXPECT_EQ(read.content->phase(), content->phase());
    EXPECT_EQ(fingerprints(*read.content), fingerprints(*content));
    EXPECT_EQ(read.content->leaf->leaf.fingerprint, content->leaf->leaf.fingerprint);
    EXPECT_EQ(read.content->ca.pair.key_pem, content->ca.pair.key_pem);
  }
}

TEST(ManagedContent, CaCrtVerifiesLeafInEveryPhase) {
  const Settings settings = managed_settings();
  Content content = new_content(settings, kNow).value();
  const auto check = [](const Content& now) {
    EXPECT_TRUE(verifies(join_bundle(now.trusted()), now.leaf->pair, now.leaf->leaf.names));
  };
  check(content);
  check(content = publish_next(content, settings, kNow).value());
  check(content = switch_to_next(content, settings, kNow).value());
  check(content = drop_previous(content));
}

TEST(ManagedContent, ForeignFieldsStayAndFulfilledRequestIsRemoved) {
  const Content content = new_content(managed_settings(), kNow).value();
  const auto existing = json::parse_copy(R"({
    "apiVersion": "v1", "kind": "Secret", "type": "Opaque",
    "metadata": {"name": "dynamo-webhook-cert", "namespace": "dynamo", "resourceVersion": "17",
      "labels": {"a": "b"}, "managedFields": [{"manager": "x"}],
      "annotations": {"keep": "me", "nvidia.com/dynamo-webhook-rotate": "ca"}},
    "data": {"extra": "eA==", "tls.crt": "eA==", "next-ca.key": "eA=="}})");
  const auto asked = json::parse_copy(encode_secret(content, existing->root(), managed_settings()));
  const auto granted =
      json::parse_copy(encode_secret(content, existing->root(), managed_settings(), true));
  const json::Value root = granted->root();
  EXPECT_EQ(root["type"].string_or_empty(), "Opaque");
  EXPECT_EQ(root["metadata"]["resourceVersion"].string_or_empty(), "17");
  EXPECT_EQ(root["metadata"]["labels"]["a"].string_or_empty(), "b");
  EXPECT_FALSE(root["metadata"]["managedFields"].exists());
  EXPECT_EQ(root["metadata"]["annotations"]["keep"].string_or_empty(), "me");
  EXPECT_FALSE(root["metadata"]["annotations"]["nvidia.com/dynamo-webhook-rotate"].exists());
  EXPECT_EQ(root["data"]["extra"].string_or_empty(), "eA==");
  EXPECT_EQ(root["data"]["tls.crt"].string_or_empty(),
            text::encode_base64(content.leaf->pair.certificate_pem));
  EXPECT_FALSE(root["data"]["next-ca.key"].exists());
  EXPECT_TRUE(decode_secret(asked->root()).rotate_ca);
  EXPECT_FALSE(decode_secret(root).rotate_ca);
}

TEST(ManagedContent, AbsentOrEmptySecretIsMissing) {
  for (const char* const text :
       {R"({})", R"({"metadata": {"name": "x"}})", R"({"data": {}})",
        R"({"data": {"other": "eA=="}})", R"({"data": {"tls.crt": "", "tls.key": ""}})"}) {
    const DecodedSecret read = decode(text);
    ASSERT_TRUE(read.flaw.has_value()) << text;
    EXPECT_EQ(read.flaw->fault, Fault::kMissing) << text;
  }
}

struct BadSecret {
  std::string name;
  std::function<std::string(const std::string& good)> make;
  Fault fault;
  std::string text;
  bool ca_is_good;
};

void PrintTo(const BadSecret& row, std::ostream* out) {
  *out << row.name;
}

// A CA with any name, and a leaf.
Content by_another_maker(const std::string& ca_name, std::vector<std::string> names) {
  const KeyPair ca = certs::make_ca(ca_name, kNow - 1h, kNow + kDay).value();
  certs::LeafRequest request;
  request.names = std::move(names);
  request.not_before = kNow - 1h;
  request.not_after = kNow + kDay;
  Content content;
  content.ca = {ca, certs::read_bundle(ca.certificate_pem, "CA").value().front()};
  content.leaf = std::make_shared<const certs::CheckedPair>(
      check_pair(issue(ca, request).value().pair, {}).value());
  return content;
}

std::vector<std::string> our_names() {
  return server_names(managed_settings());
}

const Content& another() {
  static const Content made = new_content(managed_settings(), kNow).value();
  return made;
}

// The CAs of TestCa may sign only leaves; this one may sign CAs.
KeyPair without_path_limit(const KeyPair& ca) {
  const auto certificates = certs::parse_certificates(ca.certificate_pem, "CA").value();
  const auto key = certs::parse_key(ca.key_pem, "key").value();
  X509* const certificate = certificates.front().get();
  X509_EXTENSION_free(
      X509_delete_ext(certificate, X509_get_ext_by_NID(certificate, NID_basic_constraints, -1)));
  X509_EXTENSION* const extension =
      X509V3_EXT_conf_nid(nullptr, nullptr, NID_basic_constraints, "critical,CA:TRUE");
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
  X509_sign(certificate, key.get(), EVP_sha256());
  const tls::BioPtr out(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(out.get(), certificate);
  return {tls::bio_text(out.get()), ca.key_pem};
}

class BadManagedContent : public ::testing::TestWithParam<BadSecret> {};

TEST_P(BadManagedContent, FlawIsNamed) {
  const BadSecret& row = GetParam();
  const Content good = new_content(managed_settings(), kNow).value();
  const DecodedSecret read = decode(row.make(encode(good)));
  ASSERT_TRUE(read.flaw.has_value());
  EXPECT_EQ(read.flaw->fault, row.fault);
  EXPECT_EQ(read.flaw->text, row.text);
  EXPECT_EQ(read.ca.has_value(), row.ca_is_good);
  EXPECT_FALSE(read.content.has_value());
  EXPECT_THAT(read.flaw->text, Not(HasSubstr("PRIVATE")));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, BadManagedContent,
    ::testing::Values(
        BadSecret{"ca_gone", [](auto good) { return without_part(good, "ca.crt"); },
                  Fault::kCorrupt, "ca.crt: is missing", false},
        BadSecret{"ca_garbage", [](auto good) { return with_part(good, "ca.crt", "garbage"); },
                  Fault::kCorrupt, "ca.crt: must hold a PEM certificate, has none", false},
        BadSecret{
            "ca_not_base64",
            [](auto good) {
              return without_part(good, "ca.crt").replace(0, 1, R"({"data": {"ca.crt": "*"},)");
            },
            Fault::kCorrupt, "ca.crt: is missing", false},
        BadSecret{"ca_key_gone", [](auto good) { return without_part(good, "ca.key"); },
                  Fault::kForeign,
                  "ca.key: is missing, so the CA CN=dynamo-webhook CA is not one that this server "
                  "made",
                  false},
        BadSecret{"ca_key_garbage", [](auto good) { return with_part(good, "ca.key", "garbage"); },
                  Fault::kCorrupt, "ca.key: must hold a PEM private key, has none", false},
        BadSecret{"ca_key_of_another",
                  [](auto good) { return with_part(good, "ca.key", another().ca.pair.key_pem); },
                  Fault::kMismatched, "ca.key: does not belong to CN=dynamo-webhook CA in ca.crt",
                  false},
        BadSecret{
            "ca_is_a_leaf",
            [](auto good) {
              return with_part(with_part(good, "ca.crt", another().leaf->pair.certificate_pem),
                               "ca.key", another().leaf->pair.key_pem);
            },
            Fault::kForeign, "ca.crt: CN=dynamo-webhook is not the certificate of a CA", false},
        BadSecret{"ca_of_another_maker",
                  [](auto) { return encode(by_another_maker("Acme CA", our_names())); },
                  Fault::kForeign,
                  "ca.crt: must be the CA \"CN=dynamo-webhook CA\", found \"CN=Acme CA\"", false},
        BadSecret{"leaf_gone", [](auto good) { return without_part(good, "tls.crt"); },
                  Fault::kCorrupt, "tls.crt: is missing", true},
        BadSecret{"leaf_key_gone", [](auto good) { return without_part(good, "tls.key"); },
                  Fault::kCorrupt, "tls.key: is missing", true},
        BadSecret{"leaf_garbage", [](auto good) { return with_part(good, "tls.crt", "garbage"); },
                  Fault::kCorrupt, "tls.crt: must hold a PEM certificate, has none", true},
        BadSecret{
            "leaf_key_of_another",
            [](auto good) { return with_part(good, "tls.key", another().leaf->pair.key_pem); },
            Fault::kMismatched, "tls.key: does not belong to the certificate in tls.crt", true},
        BadSecret{
            "leaf_by_another_ca",
            [](auto good) {
              return with_part(with_part(good, "tls.crt", another().leaf->pair.certificate_pem),
                               "tls.key", another().leaf->pair.key_pem);
            },
            Fault::kMismatched, "tls.crt: is not signed by the first certificate of ca.crt", true}),
    [](const auto& row) { return row.param.name; });

TEST(ManagedContent, LeafOfAnotherServiceLacksNames) {
  const DecodedSecret read =
      decode(encode(by_another_maker("dynamo-webhook CA", {"other.dynamo.svc"})));
  EXPECT_FALSE(read.flaw.has_value());
  ASSERT_TRUE(read.content.has_value());
  EXPECT_THAT(read.content->leaf->leaf.names, ElementsAre("other.dynamo.svc"));
}

TEST(ManagedContent, InvalidBase64IsCorrupt) {
  const Content good = new_content(managed_settings(), kNow).value();
  std::string text = encode(good);
  text.replace(text.find("\"tls.key\":\"") + 11, 4, "%%%%");
  const DecodedSecret read = decode(text);
  ASSERT_TRUE(read.flaw.has_value());
  EXPECT_EQ(read.flaw->fault, Fault::kCorrupt);
  EXPECT_EQ(read.flaw->text, "tls.key: is not base64");
}

TEST(ManagedContent, TruncatedCertificateIsCorrupt) {
  const Content good = new_content(managed_settings(), kNow).value();
  std::string half = good.leaf->pair.certificate_pem;
  half.resize(half.size() / 2);
  const DecodedSecret read = decode(with_part(encode(good), "tls.crt", half));
  ASSERT_TRUE(read.flaw.has_value());
  EXPECT_EQ(read.flaw->fault, Fault::kCorrupt);
  EXPECT_TRUE(read.ca.has_value());
}

TEST(ManagedContent, DamagedRotationKeepsCaAndLeafValid) {
  const Settings settings = managed_settings();
  const Content steady = new_content(settings, kNow).value();
  const Content publishing = publish_next(steady, settings, kNow).value();
  const Content retiring = switch_to_next(publishing, settings, kNow).value();
  const std::vector<std::pair<std::string, std::string>> rows{
      {with_part(encode(publishing), "next-ca.key", "garbage"),
       "next-ca.key: must hold a PEM private key, has none"},
      {with_part(encode(publishing), "ca.crt", steady.ca.pair.certificate_pem),
       "next-ca.key: its certificate must be the second of ca.crt"},
      {without_part(encode(publishing), "next-ca.key"),
       "ca.crt: must hold 1 certificates, found 2"},
      {with_part(encode(retiring), "previous-ca.crt", "garbage"),
       "previous-ca.crt: must hold one certificate"},
      {with_part(encode(retiring), "previous-ca.crt", another().ca.pair.certificate_pem),
       "previous-ca.crt: must also be in ca.crt"},
      {with_part(encode(retiring), "previous-ca.crt", retiring.ca.pair.certificate_pem),
       "previous-ca.crt: must not be the CA in use"},
      {with_part(encode(retiring), "next-ca.key", another().ca.pair.key_pem),
       "next-ca.key and previous-ca.crt: must not both be there"}};
  for (const auto& [text, reason] : rows) {
    const DecodedSecret read = decode(text);
    ASSERT_TRUE(read.flaw.has_value()) << reason;
    EXPECT_EQ(read.flaw->text, reason);
    ASSERT_TRUE(read.content.has_value()) << reason;
    EXPECT_EQ(read.content->phase(), RotationPhase::kSteady) << reason;
  }
}

TEST(ManagedBundle, OrderAndDuplicatesDoNotMatter) {
  const std::string one = another().ca.pair.certificate_pem;
  const std::string two = new_content(managed_settings(), kNow).value().ca.pair.certificate_pem;
  EXPECT_EQ(certs::managed::split_bundle(one + two + one).size(), 2U);
  EXPECT_EQ(join_bundle(certs::managed::split_bundle("# a comment\n" + one)), one);
  EXPECT_TRUE(certs::managed::split_bundle("").empty());
  EXPECT_TRUE(certs::managed::split_bundle(one + one.substr(0, one.size() / 2) + two).empty());
}

TEST(ManagedBundle, VerifiesNamesByAnyOfItsCas) {
  const certs::KeyPair& leaf = another().leaf->pair;
  const std::string own = another().ca.pair.certificate_pem;
  const std::string other = new_content(managed_settings(), kNow).value().ca.pair.certificate_pem;
  EXPECT_TRUE(verifies(own, leaf, {"dynamo-webhook.dynamo.svc"}));
  EXPECT_TRUE(verifies(other + own, leaf, {"dynamo-webhook.dynamo.svc"}));
  EXPECT_FALSE(verifies(other, leaf, {"dynamo-webhook.dynamo.svc"}));
  EXPECT_FALSE(verifies(own, leaf, {"another.dynamo.svc"}));
  EXPECT_FALSE(verifies("", leaf, {}));
  EXPECT_FALSE(verifies("garbage", leaf, {}));
}

TEST(ManagedBundle, CommonNameIsIgnoredWildcardCoversOneLabel) {
  const TestCa ca(kNow);
  certs::LeafRequest request = ca.request();
  request.common_name = "a.dynamo.svc";
  request.names = {};
  EXPECT_FALSE(verifies(ca.pem(), ca.leaf(request), {"a.dynamo.svc"}));
  EXPECT_TRUE(verifies(ca.pem(), ca.leaf({"*.dynamo.svc"}), {"a.dynamo.svc"}));
  EXPECT_FALSE(verifies(ca.pem(), ca.leaf({"*.dynamo.svc"}), {"a.b.dynamo.svc"}));
  EXPECT_FALSE(verifies(ca.pem(), ca.leaf({"web*.dynamo.svc"}), {"webhook.dynamo.svc"}));
}

TEST(ManagedBundle, VerifiesOverServedIntermediate) {
  const KeyPair root = without_path_limit(TestCa(kNow, "the root").pair());
  const TestCa intermediate(kNow, "the intermediate");
  KeyPair leaf = intermediate.leaf({"dynamo-webhook.dynamo.svc"});
  EXPECT_FALSE(verifies(root.certificate_pem, leaf, {}));
  leaf.certificate_pem += resign(intermediate.pem(), root, EVP_sha256());
  EXPECT_TRUE(verifies(root.certificate_pem, leaf, {"dynamo-webhook.dynamo.svc"}));
  // Served certificates help to build the chain, but are not trusted.
  KeyPair with_root = leaf;
  with_root.certificate_pem += root.certificate_pem;
  EXPECT_FALSE(verifies(another().ca.pair.certificate_pem, with_root, {}));
}

TEST(ManagedBundle, ValidityIsCheckedOnlyAtGivenTime) {
  const Content& made = another();
  const std::string& bundle = made.ca.pair.certificate_pem;
  const KeyPair& leaf = made.leaf->pair;
  const auto at = [&](certs::TimePoint time) { return verifies(bundle, leaf, {}, time); };
  EXPECT_TRUE(at(kNow));
  EXPECT_TRUE(at(made.leaf->leaf.not_after - 1s));
  EXPECT_FALSE(at(made.leaf->leaf.not_after + 1s));
  EXPECT_FALSE(at(made.leaf->leaf.not_before - 1s));
  // A leaf that outlives its CA.
  const TestCa ca(kNow);
  certs::LeafRequest request = ca.request();
  request.not_after = kNow + 1000 * kDay;
  const KeyPair longer = ca.leaf(request);
  EXPECT_FALSE(verifies(ca.pem(), longer, {}, kNow + 999 * kDay));
  EXPECT_TRUE(verifies(ca.pem(), longer, {}));
}

}  // namespace
}  // namespace dynamo::test
