#include "certs/managed/content.hpp"

#include <openssl/err.h>

#include <algorithm>
#include <array>
#include <utility>

#include "certs/x509_read.hpp"
#include "json/writer.hpp"
#include "text/base64.hpp"

namespace dynamo::certs::managed {
namespace {

constexpr std::string_view kCaCertificate = "ca.crt";
constexpr std::string_view kCaKey = "ca.key";
constexpr std::string_view kLeafCertificate = "tls.crt";
constexpr std::string_view kLeafKey = "tls.key";
constexpr std::string_view kNextCaKey = "next-ca.key";
constexpr std::string_view kPreviousCa = "previous-ca.crt";
constexpr std::array kOurKeys{kCaCertificate, kCaKey,     kLeafCertificate,
                              kLeafKey,       kNextCaKey, kPreviousCa};

bool is_ours(std::string_view key) {
  return std::find(kOurKeys.begin(), kOurKeys.end(), key) != kOurKeys.end();
}

Flaw corrupt(std::string text) {
  return {Fault::kCorrupt, std::move(text)};
}
Flaw mismatched(std::string text) {
  return {Fault::kMismatched, std::move(text)};
}
Flaw foreign(std::string text) {
  return {Fault::kForeign, std::move(text)};
}

// Decodes one Secret; stops at the first flaw.
class Reader {
 public:
  explicit Reader(json::Value secret) : data_(secret["data"]) {}

  DecodedSecret read() {
    DecodedSecret decoded;
    if (std::none_of(kOurKeys.begin(), kOurKeys.end(), [this](std::string_view key) {
          return !data_[key].string_or_empty().empty();
        })) {
      decoded.flaw = Flaw{Fault::kMissing, "there is no content"};
      return decoded;
    }
    decoded.ca = read_ca();
    auto leaf = decoded.ca ? read_leaf(*decoded.ca) : nullptr;
    if (leaf) {
      decoded.content.emplace();
      decoded.content->ca = *decoded.ca;
      decoded.content->leaf = std::move(leaf);
      read_rotation(*decoded.content);
    }
    decoded.flaw = std::move(flaw_);
    return decoded;
  }

 private:
  std::optional<std::string> part(std::string_view key) {
    const json::Value value = data_[key];
    if (value.string_or_empty().empty()) {
      flaw_ = corrupt(std::string(key) + ": is missing");
      return std::nullopt;
    }
    auto bytes = text::decode_base64(value.string_or_empty());
    if (!bytes) flaw_ = corrupt(std::string(key) + ": is not base64");
    return bytes;
  }

  // A CA from its certificate and the part of the Secret with its key.
  std::optional<Authority> authority(const CaCertificate& certificate, std::string_view key_part) {
    const auto key_pem = part(key_part);
    if (!key_pem) return std::nullopt;
    const auto certificates = parse_certificates(certificate.pem, kCaCertificate);
    const auto key = parse_key(*key_pem, key_part);
    if (!certificates || !key) {
      flaw_ = corrupt(certificates ? key.error().text : certificates.error().text);
      return std::nullopt;
    }
    X509* const ca = certificates->front().get();
    const bool fits = EVP_PKEY_eq(X509_get0_pubkey(ca), key->get()) == 1;
    ERR_clear_error();
    if (!fits) {
      flaw_ = mismatched(std::string(key_part) + ": does not belong to " +
                         certificate.facts.subject + " in ca.crt");
      return std::nullopt;
    }
    if (X509_check_ca(ca) != 1) {
      flaw_ = foreign("ca.crt: " + certificate.facts.subject + " is not the certificate of a CA");
      return std::nullopt;
    }
    if (certificate.facts.subject != "CN=" + std::string(kCaName)) {
      flaw_ = foreign("ca.crt: must be the CA \"CN=" + std::string(kCaName) + "\", found \"" +
                      certificate.facts.subject + "\"");
      return std::nullopt;
    }
    return Authority{KeyPair(certificate.pem, *key_pem), certificate.facts};
  }

  std::optional<Authority> read_ca() {
    const auto pem = part(kCaCertificate);
    if (!pem) return std::nullopt;
    const auto parsed = parse_certificates(*pem, kCaCertificate);
    if (!parsed) {
      flaw_ = corrupt(parsed.error().text);
      return std::nullopt;
    }
    bundle_ = split_bundle(*pem);
    // A Secret filled by another tool has a certificate but no key: the message names that CA.
    if (data_[kCaKey].string_or_empty().empty()) {
      flaw_ = foreign("ca.key: is missing, so the CA " + bundle_.front().facts.subject +
                      " is not one that this server made");
      return std::nullopt;
    }
    return authority(bundle_.front(), kCaKey);
  }

  std::shared_ptr<const CheckedPair> read_leaf(const Authority& ca) {
    auto certificate = part(kLeafCertificate);
    if (!certificate) return nullptr;
    auto key = part(kLeafKey);
    if (!key) return nullptr;
    const auto parsed = parse_certificates(*certificate, kLeafCertificate);
    const auto parsed_key = parse_key(*key, kLeafKey);
    if (!parsed || !parsed_key) {
      flaw_ = corrupt(parsed ? parsed_key.error().text : parsed.error().text);
      return nullptr;
    }
    auto checked =
        check_pair(KeyPair(std::move(*certificate), std::move(*key)), {kLeafCertificate, kLeafKey});
    if (!checked) {
      flaw_ = mismatched(checked.error().text);
      return nullptr;
    }
    if (!verifies(ca.pair.certificate_pem, checked->pair, {})) {
      flaw_ = mismatched("tls.crt: is not signed by the first certificate of ca.crt");
      return nullptr;
    }
    return std::make_shared<const CheckedPair>(std::move(*checked));
  }

  void read_rotation(Content& content) {
    const bool has_next = !data_[kNextCaKey].string_or_empty().empty();
    const bool has_previous = !data_[kPreviousCa].string_or_empty().empty();
    if (has_next && has_previous) {
      flaw_ = mismatched("next-ca.key and previous-ca.crt: must not both be there");
    } else if (has_next && bundle_.size() < 2) {
      flaw_ = mismatched("next-ca.key: its certificate must be the second of ca.crt");
    } else if (has_next) {
      content.next = authority(bundle_[1], kNextCaKey);
    } else if (has_previous) {
      read_previous(content);
    }
    if (flaw_) return;
    const std::size_t wanted = content.trusted().size();
    if (bundle_.size() != wanted) {
      flaw_ = mismatched("ca.crt: must hold " + std::to_string(wanted) + " certificates, found " +
                         std::to_string(bundle_.size()));
    }
  }

  void read_previous(Content& content) {
    const auto pem = part(kPreviousCa);
    if (!pem) return;
    const std::vector<CaCertificate> previous = split_bundle(*pem);
    if (previous.size() != 1) {
      flaw_ = corrupt("previous-ca.crt: must hold one certificate");
    } else if (!holds(bundle_, previous.front().facts.fingerprint)) {
      flaw_ = mismatched("previous-ca.crt: must also be in ca.crt");
    } else if (previous.front().facts.fingerprint == content.ca.facts.fingerprint) {
      flaw_ = mismatched("previous-ca.crt: must not be the CA in use");
    } else {
      content.previous = previous.front();
    }
  }

  const json::Value data_;
  std::vector<CaCertificate> bundle_;
  std::optional<Flaw> flaw_;
};

void write_part(json::Writer& writer, std::string_view key, std::string_view bytes) {
  writer.member(key, text::encode_base64(bytes));
}

void write_data(json::Writer& writer, const Content& content, json::Value existing) {
  writer.key("data").start_object();
  for (const json::Member& member : existing["data"].members()) {
    if (!is_ours(member.name)) writer.key(member.name).value(member.value);
  }
  write_part(writer, kCaCertificate, join_bundle(content.trusted()));
  write_part(writer, kCaKey, content.ca.pair.key_pem);
  write_part(writer, kLeafCertificate, content.leaf->pair.certificate_pem);
  write_part(writer, kLeafKey, content.leaf->pair.key_pem);
  if (content.next) write_part(writer, kNextCaKey, content.next->pair.key_pem);
  if (content.previous) write_part(writer, kPreviousCa, content.previous->pem);
  writer.end_object();
}

void write_metadata(json::Writer& writer, json::Value metadata, bool is_rotation_done) {
  writer.start_object();
  for (const json::Member& member : metadata.members()) {
    if (member.name == "managedFields") continue;
    writer.key(member.name);
    if (member.name != "annotations") {
      writer.value(member.value);
      continue;
    }
    writer.start_object();
    for (const json::Member& annotation : member.value.members()) {
      if (is_rotation_done && annotation.name == kRotateAnnotation) continue;
      writer.key(annotation.name).value(annotation.value);
    }
    writer.end_object();
  }
  writer.end_object();
}

}  // namespace

std::vector<CaCertificate> Content::trusted() const {
  std::vector<CaCertificate> certificates = {ca.certificate()};
  if (next) certificates.push_back(next->certificate());
  if (previous) certificates.push_back(*previous);
  return certificates;
}

DecodedSecret decode_secret(json::Value secret) {
  DecodedSecret decoded = Reader(secret).read();
  const std::string_view wish =
      secret["metadata"]["annotations"][kRotateAnnotation].string_or_empty();
  decoded.rotate_leaf = wish == "leaf";
  decoded.rotate_ca = wish == "ca";
  decoded.verified_leaf = secret["metadata"]["annotations"][kVerifiedAnnotation].string_or_empty();
  return decoded;
}

std::string verified_patch(std::string_view resource_version, std::string_view leaf_fingerprint) {
  std::string text;
  json::Writer writer(text);
  writer.start_object().key("metadata").start_object();
  writer.member("resourceVersion", resource_version);
  writer.key("annotations").start_object();
  writer.key(kVerifiedAnnotation);
  if (leaf_fingerprint.empty()) {
    writer.null();
  } else {
    writer.string(leaf_fingerprint);
  }
  writer.end_object().end_object().end_object();
  return text;
}

std::string encode_secret(const Content& content, json::Value existing, const Settings& settings,
                          bool is_rotation_done) {
  std::string text;
  json::Writer writer(text);
  writer.start_object();
  if (existing.is_object()) {
    for (const json::Member& member : existing.members()) {
      if (member.name == "data") continue;
      writer.key(member.name);
      if (member.name == "metadata") {
        write_metadata(writer, member.value, is_rotation_done);
      } else {
        writer.value(member.value);
      }
    }
  } else {
    writer.member("apiVersion", "v1").member("kind", "Secret").member("type", "kubernetes.io/tls");
    writer.key("metadata").start_object();
    writer.member("name", settings.secret).member("namespace", settings.namespace_name);
    writer.key("labels").start_object();
    writer.member("app.kubernetes.io/managed-by", "dynamo-webhook");
    writer.end_object().end_object();
  }
  write_data(writer, content, existing);
  writer.end_object();
  return text;
}

}  // namespace dynamo::certs::managed
