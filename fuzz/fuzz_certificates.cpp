// Any certificates and keys as files of a server, a client CA, a kubeconfig's identity and the
// managed Secret: errors are one line without key material, all readers agree about a bundle, and a
// Secret that is accepted is read as it is written. The input has up to six parts, separated by
// lines of "%%": leaf, leaf key, CA, CA key, next CA's key, previous CA. A part that begins with
// "C:" or "K:" is the DER form of a certificate or a key.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "certs/certificate.hpp"
#include "certs/client_ca.hpp"
#include "certs/managed/bundle.hpp"
#include "certs/managed/content.hpp"
#include "certs/tls_context.hpp"
#include "fuzz/check.hpp"
#include "fuzz/input.hpp"
#include "kube/config/tls.hpp"
#include "text/base64.hpp"
#include "text/printable.hpp"

namespace fuzz = dynamo::fuzz;
namespace certs = dynamo::certs;
namespace managed = dynamo::certs::managed;
namespace json = dynamo::json;
namespace kube = dynamo::kube;

namespace {

// 2027-02-03T04:05:06Z, when the certificates of the corpus are valid
const certs::TimePoint kNow = std::chrono::system_clock::from_time_t(1'801'627'506);

std::string pem_block(std::string_view label, std::string_view der) {
  constexpr std::size_t kWidth = 64;
  std::string pem = "-----BEGIN " + std::string(label) + "-----\n";
  const std::string text = dynamo::text::encode_base64(der);
  for (std::size_t at = 0; at < text.size(); at += kWidth) pem += text.substr(at, kWidth) + '\n';
  return pem + "-----END " + std::string(label) + "-----\n";
}

std::string pem_of_part(std::string_view part) {
  if (part.starts_with("C:")) return pem_block("CERTIFICATE", part.substr(2));
  if (part.starts_with("K:")) return pem_block("PRIVATE KEY", part.substr(2));
  return std::string(part);
}

struct Parts {
  explicit Parts(std::string_view bytes) {
    fuzz::Input input(bytes);
    for (std::string* each : {&leaf, &leaf_key, &ca, &ca_key, &next_key, &previous}) {
      *each = pem_of_part(input.take_until("%%\n"));
    }
  }
  std::string leaf;
  std::string leaf_key;
  std::string ca;
  std::string ca_key;
  std::string next_key;
  std::string previous;
};

class ErrorCheck {
 public:
  explicit ErrorCheck(const Parts& parts) {
    for (const std::string* key : {&parts.leaf_key, &parts.ca_key, &parts.next_key}) {
      fuzz::Input lines(*key);
      while (!lines.is_empty()) {
        const std::string_view line = lines.take_until("\n");
        if (line.size() >= kSecretSize && !line.starts_with("-----")) secrets_.push_back(line);
      }
    }
  }

  void operator()(std::string_view error) const {
    fuzz::require(!error.empty(), "an error has a reason");
    if (dynamo::text::find_invisible(error) < error.size()) {
      std::fprintf(stderr, "%.*s\n", static_cast<int>(error.size()), error.data());
      fuzz::require(false, "an error is one printable line");
    }
    for (const std::string_view secret : secrets_) {
      fuzz::require(error.find(secret) == std::string_view::npos, "an error has no key");
    }
  }

 private:
  static constexpr std::size_t kSecretSize = 20;
  std::vector<std::string_view> secrets_;
};

void check_facts(const certs::CertificateFacts& facts) {
  constexpr std::size_t kDigits = 64;
  fuzz::require(facts.fingerprint.size() == kDigits, "a fingerprint has 32 bytes");
  const std::string problem = certs::validity_problem(facts, kNow);
  fuzz::require(dynamo::text::find_invisible(problem) >= problem.size(), "a problem is one line");
  fuzz::require(!problem.empty() || (facts.not_before <= kNow && kNow <= facts.not_after),
                "an invalid certificate has a problem");
}

void check_pair(const Parts& parts, const ErrorCheck& check_error) {
  const certs::KeyPair pair(parts.leaf, parts.leaf_key);
  const auto checked = certs::check_pair(pair, {});
  const auto context = certs::build_tls_context(pair, {}, nullptr);
  if (!context) check_error(context.error().text);
  if (!checked) {
    check_error(checked.error().text);
    return;
  }
  fuzz::require(!checked->leaf.names.empty(), "an accepted leaf has names");
  check_facts(checked->leaf);
}

void check_bundle(const std::string& pem, const ErrorCheck& check_error) {
  const auto facts = certs::read_bundle(pem, "bundle");
  const auto split = managed::split_bundle(pem);
  if (!facts) {
    check_error(facts.error().text);
    fuzz::require(split.empty(), "a bad bundle has no certificate");
    fuzz::require(!kube::certificate_end(pem), "a bad bundle has no end");
    return;
  }
  std::set<std::string> fingerprints;
  for (const certs::CertificateFacts& each : *facts) {
    check_facts(each);
    fingerprints.insert(each.fingerprint);
  }
  fuzz::require(split.size() == fingerprints.size(), "a bundle is split into its certificates");
  fuzz::require(kube::certificate_end(pem) == facts->front().not_after, "readers agree on the end");
  const auto again = managed::split_bundle(managed::join_bundle(split));
  fuzz::require(std::ranges::equal(split, again, {}, &managed::CaCertificate::pem,
                                   &managed::CaCertificate::pem),
                "a bundle that is written is read again");
  managed::names_host(pem, "localhost");
}

void check_clients(const Parts& parts, const ErrorCheck& check_error) {
  kube::TlsMaterial material;
  material.ca_pem = parts.ca;
  material.ca_origin = "ca";
  material.certificate_pem = parts.leaf;
  material.certificate_origin = "certificate";
  material.key_pem = parts.leaf_key;
  material.key_origin = "key";
  const auto context = kube::build_client_context(material, kNow);
  if (!context) check_error(context.error().text);
  const certs::KeyPair pair(parts.leaf, parts.leaf_key);
  const certs::ClientVerification clients{parts.ca, {"client"}, certs::TimePoint::max()};
  const auto server = certs::build_tls_context(pair, {}, &clients);
  if (!server) check_error(server.error().text);
  managed::verifies(parts.ca, pair, {"localhost"}, kNow);
}

std::string secret_of(const Parts& parts) {
  std::string text;
  json::Writer writer(text);
  writer.start_object().key("data").start_object();
  const auto add = [&writer](std::string_view name, std::string_view bytes) {
    if (!bytes.empty()) writer.member(name, dynamo::text::encode_base64(bytes));
  };
  add("ca.crt", parts.ca);
  add("ca.key", parts.ca_key);
  add("tls.crt", parts.leaf);
  add("tls.key", parts.leaf_key);
  add("next-ca.key", parts.next_key);
  add("previous-ca.crt", parts.previous);
  writer.end_object().end_object();
  return text;
}

void check_secret(const Parts& parts, const ErrorCheck& check_error) {
  const auto secret = json::parse_copy(secret_of(parts));
  const managed::DecodedSecret decoded = managed::decode_secret(secret->root());
  if (decoded.flaw) check_error(decoded.flaw->text);
  fuzz::require(decoded.content.has_value() || decoded.flaw.has_value(), "a Secret is good or not");
  if (!decoded.content) return;
  const std::string written =
      managed::encode_secret(*decoded.content, secret->root(), managed::Settings{});
  const auto parsed = json::parse_copy(written);
  fuzz::require(!parsed->error, "a Secret is JSON");
  const managed::DecodedSecret again = managed::decode_secret(parsed->root());
  fuzz::require(again.content.has_value() && !again.flaw, "what is written is accepted");
  fuzz::require(
      again.content->phase() == decoded.content->phase() &&
          again.content->leaf->leaf.fingerprint == decoded.content->leaf->leaf.fingerprint &&
          again.content->ca.facts.fingerprint == decoded.content->ca.facts.fingerprint,
      "what is written is read as it was");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Parts parts(fuzz::as_text(data, size));
  const ErrorCheck check_error(parts);
  check_pair(parts, check_error);
  for (const std::string* pem : {&parts.leaf, &parts.ca, &parts.previous}) {
    check_bundle(*pem, check_error);
  }
  check_clients(parts, check_error);
  check_secret(parts, check_error);
  return 0;
}
