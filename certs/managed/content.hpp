// What the Secret holds: the CA that signs, the leaf that is served, and during a rotation one CA
// more. The keys of the Secret are the whole state, so that any replica can go on from it.
//
// - ca.crt: what clients must trust, the CA in use first, then the next or the previous one
// - ca.key: key of the CA in use
// - tls.crt, tls.key: the leaf, signed by the CA in use
// - next-ca.key: key of the second certificate of ca.crt, which is published before it is used
// - previous-ca.crt: the CA that some replica's leaf may still need, also the second of ca.crt
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

// The annotation by which people ask for a rotation now: "leaf" or "ca". Goes when it is done.
inline constexpr std::string_view kRotateAnnotation = "nvidia.com/dynamo-webhook-rotate";

// The annotation by which a keeper tells servers, which see no configurations: the fingerprint of
// the Secret's leaf while every caBundle verifies it.
inline constexpr std::string_view kVerifiedAnnotation =
    "nvidia.com/dynamo-webhook-verified-certificate";

struct Authority {
  KeyPair pair;
  CertificateFacts facts;

  CaCertificate certificate() const { return {pair.certificate_pem, facts}; }
};

enum class Phase : std::uint8_t {
  kSteady,
  kPublishing,  // the next CA goes into every caBundle, nothing is signed by it yet
  kRetiring,    // the leaf is the next CA's; the previous one stays until no replica needs it
};

struct Content {
  Authority ca;
  std::shared_ptr<const CheckedPair> leaf;
  std::optional<Authority> next;
  std::optional<CaCertificate> previous;  // never together with `next`

  Phase phase() const {
    return next ? Phase::kPublishing : previous ? Phase::kRetiring : Phase::kSteady;
  }
  // ca.crt.
  std::vector<CaCertificate> trusted() const;
};

enum class Fault : std::uint8_t {
  kMissing,     // no Secret, or one without content: a first start
  kCorrupt,     // it does not decode or parse, or a part is not there
  kMismatched,  // the parts do not belong together
  kForeign,     // well-formed, but of another maker
};

struct Flaw {
  Fault fault;
  std::string text;  // one line for people, without key material
};

struct Decoded {
  // Set as far as it is good: a CA whose leaf is bad can still sign a new one.
  std::optional<Authority> ca;
  std::optional<Content> content;
  // The first thing that is wrong; with `content` set it is only the rotation's part, which is left
  // out of it.
  std::optional<Flaw> flaw;
  // What people ask for.
  bool rotate_leaf = false;
  bool rotate_ca = false;
  std::string verified_leaf;  // of kVerifiedAnnotation; empty: none
};

// Reads a Secret as the API server sends it; absent: there is none. Does not look at the clock, nor
// at the leaf's names: a name that is missing is added by renewal, so that replicas that are told
// different names agree instead of undoing each other's work. Pure.
Decoded decode_secret(json::Value secret);

// A merge patch of the Secret of that version: every caBundle verifies this leaf; empty: none.
std::string verified_patch(std::string_view resource_version, std::string_view leaf_fingerprint);

// The Secret as it is to be written. Over an existing one, everything of it that is not ours stays,
// its resourceVersion among it, so that nothing unseen is overwritten; the annotation that asks for
// a rotation goes when its wish was granted.
std::string encode_secret(const Content& content, json::Value existing, const Settings& settings,
                          bool wish_granted = false);

}  // namespace dynamo::certs::managed
