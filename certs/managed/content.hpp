// Content of the Secret: the signing CA, the served leaf, and during a rotation one more CA. The
// keys of the Secret are the complete state, so that any replica can continue from it.
//
// - ca.crt: what clients must trust, the CA in use first, then the next or the previous one
// - ca.key: key of the CA in use
// - tls.crt, tls.key: the leaf, signed by the CA in use
// - next-ca.key: key of the second certificate of ca.crt, which is published before it is used
// - previous-ca.crt: the CA that a replica's leaf may still need, also the second of ca.crt
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "certs/certificate.hpp"
#include "certs/managed/bundle.hpp"
#include "certs/managed/settings.hpp"
#include "json/document.hpp"

namespace dynamo::certs::managed {

inline constexpr std::string_view kCaName = "dynamo-webhook CA";

// The annotation with which users request an immediate rotation: "leaf" or "ca". It is removed when
// the rotation is done.
inline constexpr std::string_view kRotateAnnotation = "nvidia.com/dynamo-webhook-rotate";

// The annotation with which a keeper informs servers, which cannot read configurations: the
// fingerprint of the Secret's leaf while every caBundle verifies it.
inline constexpr std::string_view kVerifiedAnnotation =
    "nvidia.com/dynamo-webhook-verified-certificate";

struct Authority {
  KeyPair pair;
  CertificateFacts facts;

  CaCertificate certificate() const { return {pair.certificate_pem, facts}; }
};

enum class RotationPhase : std::uint8_t {
  kSteady,
  kPublishing,  // the next CA is added to every caBundle, and signs nothing yet
  kRetiring,    // the leaf is the next CA's; the previous one stays until no replica needs it
};

struct Content {
  Authority ca;
  std::shared_ptr<const CheckedPair> leaf;
  std::optional<Authority> next;
  std::optional<CaCertificate> previous;  // never together with `next`

  RotationPhase phase() const {
    return next       ? RotationPhase::kPublishing
           : previous ? RotationPhase::kRetiring
                      : RotationPhase::kSteady;
  }
  // The content of ca.crt.
  std::vector<CaCertificate> trusted() const;
};

enum class Fault : std::uint8_t {
  kMissing,     // no Secret, or an empty one: the first start
  kCorrupt,     // it does not decode or parse, or a part is missing
  kMismatched,  // the parts do not match
  kForeign,     // well-formed, but from another issuer
};

struct Flaw {
  Fault fault;
  std::string text;  // one line for users, without key material
};

struct DecodedSecret {
  // Set as far as it is valid: a CA with a bad leaf can still sign a new one.
  std::optional<Authority> ca;
  std::optional<Content> content;
  // The first flaw. If `content` is set, the flaw concerns only the rotation, which `content` then
  // omits.
  std::optional<Flaw> flaw;
  // Requests of users.
  bool rotate_leaf = false;
  bool rotate_ca = false;
  std::string verified_leaf;  // from kVerifiedAnnotation; empty: none
};

// Decodes a Secret as the API server sends it; absent: there is none. Ignores validity periods and
// the leaf's names: renewal adds a missing name, so that replicas with different names agree
// instead of undoing each other's work. Pure.
DecodedSecret decode_secret(json::Value secret);

// A merge patch of the Secret at that version which records that every caBundle verifies this leaf;
// empty: none.
std::string verified_patch(std::string_view resource_version, std::string_view leaf_fingerprint);

// The Secret to write. Other fields of an existing Secret are kept, including its resourceVersion,
// so that unseen changes are not overwritten. The annotation that requests a rotation is removed if
// the request was fulfilled.
std::string encode_secret(const Content& content, json::Value existing, const Settings& settings,
                          bool is_rotation_done = false);

}  // namespace dynamo::certs::managed
