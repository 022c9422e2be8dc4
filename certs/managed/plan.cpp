#include "certs/managed/plan.hpp"

#include <algorithm>

#include "text/timestamp.hpp"

namespace dynamo::certs::managed {
namespace {

WriteCause cause_of(Fault fault) {
  return static_cast<WriteCause>(fault);
}
static_assert(static_cast<WriteCause>(Fault::kForeign) == WriteCause::kForeign);

// Clients refuse certificates that start in the future like expired ones. Ours start kBackDate
// before their creation, so a clock that is behind by less accepts all of them.
bool is_valid(const CertificateFacts& facts, TimePoint now) {
  return validity_problem(facts, now).empty();
}

bool is_usable(const Content* content, TimePoint now) {
  return content != nullptr && is_valid(content->ca.facts, now) &&
         is_valid(content->leaf->leaf, now);
}

std::string validity_text(std::string_view part, const CertificateFacts& facts, TimePoint now) {
  return std::string(part) + ": " + validity_problem(facts, now);
}

bool same_ca(const Content* content, const Authority& ca) {
  return content != nullptr && content->ca.facts.fingerprint == ca.facts.fingerprint;
}

PlannedChange on_flaw(const DecodedSecret& secret, const Content* remembered, TimePoint now) {
  const WriteCause cause = cause_of(secret.flaw->fault);
  const std::string& text = secret.flaw->text;
  if (secret.content) {
    const bool knows_more = same_ca(remembered, secret.content->ca) && is_usable(remembered, now);
    return {knows_more ? SecretStep::kRestore : SecretStep::kRepair, cause, text};
  }
  if (is_usable(remembered, now)) return {SecretStep::kRestore, cause, text};
  if (secret.ca) return {SecretStep::kRenewLeaf, cause, text};
  return {SecretStep::kCreateAll, cause, text};
}

bool lacks_a_name(const CertificateFacts& leaf, const Settings& settings) {
  for (const std::string& wanted : server_names(settings)) {
    if (std::find(leaf.names.begin(), leaf.names.end(), wanted) == leaf.names.end()) return true;
  }
  return false;
}

PlannedChange on_leaf(const DecodedSecret& secret, const Settings& settings, TimePoint now) {
  const CertificateFacts& leaf = secret.content->leaf->leaf;
  if (!is_valid(leaf, now)) {
    return {SecretStep::kRenewLeaf, WriteCause::kExpired, validity_text("tls.crt", leaf, now)};
  }
  if (secret.rotate_leaf) {
    return {SecretStep::kRenewLeaf, WriteCause::kRequested,
            "the annotation " + std::string(kRotateAnnotation) + " asks for it"};
  }
  if (lacks_a_name(leaf, settings)) {
    return {SecretStep::kRenewLeaf, WriteCause::kNames,
            "tls.crt: does not name all that this server is called"};
  }
  // Near the CA's end a renewal is useless: the new leaf could end no later.
  if (now >= renew_leaf_at(leaf, settings) && leaf.not_after < secret.content->ca.facts.not_after) {
    return {SecretStep::kRenewLeaf, WriteCause::kRenewal,
            "tls.crt ends " + text::format_timestamp(leaf.not_after)};
  }
  return {};
}

PlannedChange on_rotation(const ObservedState& observed, const Settings& settings, TimePoint now) {
  const Content& content = *observed.secret.content;
  switch (content.phase()) {
    case RotationPhase::kSteady:
      if (observed.secret.rotate_ca) {
        return {SecretStep::kPublishNext, WriteCause::kRequested,
                "the annotation " + std::string(kRotateAnnotation) + " asks for it"};
      }
      if (now >= rotate_ca_at(content.ca.facts)) {
        return {SecretStep::kPublishNext, WriteCause::kRotation,
                "the CA ends " + text::format_timestamp(content.ca.facts.not_after)};
      }
      return {};
    case RotationPhase::kPublishing: {
      // Signing with it would break every client; a valid one replaces it.
      if (!is_valid(content.next->facts, now)) {
        return {SecretStep::kPublishNext, WriteCause::kExpired,
                validity_text("the next CA in ca.crt", content.next->facts, now)};
      }
      // Without a configuration it is unknown whether clients have the new CA. Then the time since
      // its creation counts, which survives a restart.
      const bool is_published =
          observed.any_configuration
              ? observed.published_for && *observed.published_for >= settings.settle
              : observed.published_for &&
                    now >= content.next->facts.not_before + kBackDate + settings.settle_unlabelled;
      if (!is_published) return {};
      return {SecretStep::kSwitchLeaf, WriteCause::kRotation, "the next CA is in every caBundle"};
    }
    case RotationPhase::kRetiring:
      if (!observed.switched_for || *observed.switched_for < settings.settle) return {};
      return {SecretStep::kDropPrevious, WriteCause::kRotation,
              "every replica serves a leaf of the new CA"};
  }
  return {};
}

}  // namespace

PlannedChange plan(const ObservedState& observed, const Content* remembered,
                   const Settings& settings, TimePoint now) {
  const DecodedSecret& secret = observed.secret;
  if (secret.ca && !is_valid(secret.ca->facts, now)) {
    return {SecretStep::kCreateAll, WriteCause::kExpired,
            validity_text("the CA in ca.crt", secret.ca->facts, now)};
  }
  if (secret.flaw) return on_flaw(secret, remembered, now);
  PlannedChange planned = on_leaf(secret, settings, now);
  if (planned.step != SecretStep::kNothing || !observed.is_leader) return planned;
  return on_rotation(observed, settings, now);
}

}  // namespace dynamo::certs::managed
