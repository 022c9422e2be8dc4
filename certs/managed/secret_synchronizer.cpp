#include "certs/managed/secret_synchronizer.hpp"

#include <algorithm>
#include <utility>

#include "certs/files_source.hpp"
#include "certs/managed/authority.hpp"
#include "kube/object/resource.hpp"

namespace dynamo::certs::managed {
namespace {

// If the served leaf ends within this time, the new one is used even if some caBundle does not
// verify it yet.
constexpr std::chrono::minutes kLastMoment{30};

std::string joined(const std::vector<CaCertificate>& certificates) {
  std::string fingerprints;
  for (const CaCertificate& certificate : certificates)
    fingerprints += certificate.facts.fingerprint;
  return fingerprints;
}

std::string_view event_reason(SecretStep step) {
  switch (step) {
    case SecretStep::kCreateAll:
      return "CertificatesMade";
    case SecretStep::kRestore:
    case SecretStep::kRepair:
      return "CertificatesRestored";
    case SecretStep::kRenewLeaf:
      return "CertificateRenewed";
    case SecretStep::kPublishNext:
      return "CaRotationStarted";
    case SecretStep::kSwitchLeaf:
      return "CaRotationSwitched";
    case SecretStep::kDropPrevious:
      return "CaRotationFinished";
    case SecretStep::kNothing:
      break;
  }
  return "CertificatesChecked";
}

bool is_named(const CertificateFacts& leaf, const std::string& name) {
  return std::find(leaf.names.begin(), leaf.names.end(), name) != leaf.names.end();
}

std::int64_t seconds(const std::optional<TimePoint>& time) {
  if (!time) return 0;
  return std::chrono::duration_cast<std::chrono::seconds>(time->time_since_epoch()).count();
}

}  // namespace

SecretSynchronizer::SecretSynchronizer(const Dependencies& dependencies, View& view,
                                       Handover& handover, std::function<void()> handover_changed)
    : dependencies_(dependencies),
      view_(view),
      handover_(handover),
      handover_changed_(std::move(handover_changed)),
      signal_(dependencies.loop),
      retry_(dependencies.settings.first_pause, dependencies.settings.longest_pause),
      failure_log_("writing the certificates' Secret", dependencies.logger) {
  handover_.problem = "the Secret " + secret_name(dependencies.settings) + " was not read yet";
}

aio::Task<> SecretSynchronizer::run() {
  signal_.ring();
  for (;;) {
    const bool goes_on = co_await signal_.wait(retry_.wait(dependencies_.settings.tick));
    if (!goes_on) break;
    co_await step();
  }
}

// Uses the Secret's content even while writes are paused.
aio::Task<> SecretSynchronizer::step() {
  if (!view_.secret.is_synced()) co_return;
  adopt();
  if (!is_keeper(dependencies_.settings)) co_return;
  // Waits until the cache shows our write, so that no step is executed twice.
  if (!view_.secret.has_observed_write(dependencies_.clock.monotonic())) co_return;
  const ObservedState observed = observe();
  PlannedChange planned = plan(observed, remembered_ ? &*remembered_ : nullptr,
                               dependencies_.settings, dependencies_.clock.wall());
  const bool writes = planned.step != SecretStep::kNothing && can_write(planned);
  std::optional<std::string> verified = writes ? std::nullopt : verified_to_report();
  if (!writes && !verified) {
    retry_.succeeded();
    co_return;
  }
  if (retry_.is_pausing()) co_return;
  bool done = false;
  if (writes) {
    done = co_await write(std::move(planned));
  } else {
    done = co_await report_verified(*std::move(verified));
  }
  if (done) {
    retry_.succeeded();
  } else {
    retry_.failed();
  }
}

// Not limited to the leader, which may be a process of Role::kAll that does not need to inform
// servers.
std::optional<std::string> SecretSynchronizer::verified_to_report() const {
  const DecodedSecret& decoded = view_.secret.decoded();
  if (dependencies_.settings.role != Role::kKeeper || !decoded.content) return std::nullopt;
  const Content& content = *decoded.content;
  std::string verified;
  if (view_.is_verified_by_all(*content.leaf, content.ca.facts.fingerprint)) {
    verified = content.leaf->leaf.fingerprint;
  }
  if (verified == decoded.verified_leaf) return std::nullopt;
  return verified;
}

aio::Task<bool> SecretSynchronizer::report_verified(std::string leaf_fingerprint) {
  const kube::Object existing = view_.secret.object();
  const auto written = co_await dependencies_.client.patch(
      kube::kSecrets, dependencies_.settings.namespace_name, dependencies_.settings.secret,
      kube::PatchType::kMerge, verified_patch(existing.resource_version(), leaf_fingerprint));
  if (!written) {
    // Another process was faster, and the informer delivers its write.
    const bool was_beaten = written.error().is("Conflict") || written.error().is("NotFound");
    if (!was_beaten) failure_log_.failed(written.error().text);
    co_return false;
  }
  failure_log_.succeeded();
  view_.secret.wrote(written->resource_version(), dependencies_.clock.monotonic());
  co_return true;
}

// Only replacements can alternate without end.
bool SecretSynchronizer::can_write(const PlannedChange& planned) {
  if (!planned.is_replacement() || replacements_.can_write(dependencies_.clock.monotonic()))
    return true;
  if (replacements_.should_log()) {
    dependencies_.logger.log(
        runtime::Level::kWarning,
        "another client keeps changing the certificates' Secret; it is written again "
        "in a minute",
        {{"secret", secret_name(dependencies_.settings)}, {"found", planned.text}});
  }
  return false;
}

// Once per change of the Secret.
void SecretSynchronizer::note_secret() {
  if (!view_.secret.is_synced()) return;
  if (std::exchange(processed_revision_, view_.secret.revision()) == processed_revision_) return;
  const DecodedSecret& decoded = view_.secret.decoded();
  if (decoded.flaw && decoded.flaw->fault != Fault::kMissing) {
    if (std::exchange(refused_, decoded.flaw->text) != decoded.flaw->text) {
      dependencies_.stats.refused.fetch_add(1, std::memory_order_relaxed);
      dependencies_.logger.log(
          runtime::Level::kError, "content of the certificates' Secret refused",
          {{"secret", secret_name(dependencies_.settings)},
           {"reason", decoded.flaw->text},
           {"kind", kCauseNames[static_cast<std::size_t>(decoded.flaw->fault)]},
           {"older_one_stays_in_use", view_.served.has_value()}});
    }
  } else {
    refused_.clear();
  }
  if (!decoded.content || decoded.flaw) return;
  remembered_ = *decoded.content;
  view_.remember(remembered_->trusted());
  dependencies_.stats.phase.store(static_cast<std::uint64_t>(remembered_->phase()));
  const auto& [ca, leaf, next, previous] = *remembered_;
  const std::array<std::optional<TimePoint>, kCaRoleNames.size()> ends{
      ca.facts.not_after, next ? std::optional(next->facts.not_after) : std::nullopt,
      previous ? std::optional(previous->facts.not_after) : std::nullopt};
  for (std::size_t i = 0; i < ends.size(); ++i)
    dependencies_.stats.ca_not_after[i].store(seconds(ends[i]));
}

void SecretSynchronizer::adopt() {
  const std::shared_ptr<const CheckedPair> before = handover_.pair;
  std::string problem = take_from_secret();
  const bool has_changed = problem != handover_.problem || handover_.pair != before;
  handover_.problem = std::move(problem);
  if (has_changed) handover_changed_();
}

// Returns why the Secret's leaf is not in use.
std::string SecretSynchronizer::take_from_secret() {
  const DecodedSecret& decoded = view_.secret.decoded();
  if (!decoded.content) {
    return "the Secret " + secret_name(dependencies_.settings) + ": " +
           (decoded.flaw ? decoded.flaw->text : std::string("has no certificate")) +
           (failure_log_.text().empty() ? "" : "; it cannot be written: " + failure_log_.text());
  }
  const Content& content = *decoded.content;
  if (!is_server(dependencies_.settings)) return {};
  if (view_.served && view_.served->leaf.fingerprint == content.leaf->leaf.fingerprint) return {};
  if (!can_serve(content))
    return "the Secret's certificate waits until it is valid, names us and is in every caBundle";
  serve(content);
  return {};
}

bool SecretSynchronizer::can_serve(const Content& content) {
  const auto now = dependencies_.clock.monotonic();
  const std::string& ca = content.ca.facts.fingerprint;
  verified_.update(view_.is_verified_by_all(*content.leaf, ca), ca, now);
  if (!view_.served) return true;
  // For example an old backup: use what will overwrite it.
  const TimePoint wall = dependencies_.clock.wall();
  if (!validity_problem(content.leaf->leaf, wall).empty() &&
      validity_problem(view_.served->leaf, wall).empty()) {
    return false;
  }
  // Created by a replica with another Service setting; a leaf with both names will follow.
  const std::string asked = api_server_name(dependencies_.settings);
  if (!is_named(content.leaf->leaf, asked) && is_named(view_.served->leaf, asked)) return false;
  // Clients that trust one of them trust the other.
  if (view_.served_ca.facts.fingerprint == ca) return true;
  if (wall + kLastMoment > view_.served->leaf.not_after) return true;
  const auto lasted = verified_.lasted(now);
  return lasted && *lasted >= dependencies_.settings.settle;
}

void SecretSynchronizer::serve(const Content& content) {
  view_.served = *content.leaf;
  view_.served_ca = content.ca.certificate();
  handover_.pair = content.leaf;
  log_certificate(dependencies_.logger, content.leaf->leaf,
                  "Secret " + secret_name(dependencies_.settings));
}

ObservedState SecretSynchronizer::observe() {
  const auto now = dependencies_.clock.monotonic();
  ObservedState observed{.secret = view_.secret.decoded(),
                         .is_leader = is_leader_,
                         .any_configuration = view_.has_targets(),
                         .published_for = std::nullopt,
                         .switched_for = std::nullopt};
  if (const auto& content = observed.secret.content) {
    const std::vector<CaCertificate> trusted = content->trusted();
    published_.update(view_.is_published(trusted), joined(trusted), now);
    switched_.update(view_.is_served_by_all(content->ca.facts.fingerprint),
                     content->ca.facts.fingerprint, now);
    observed.published_for = published_.lasted(now);
    observed.switched_for = switched_.lasted(now);
  }
  return observed;
}

Result<Content> SecretSynchronizer::build(const PlannedChange& planned) const {
  const Settings& settings = dependencies_.settings;
  const DecodedSecret& decoded = view_.secret.decoded();
  const TimePoint now = dependencies_.clock.wall();
  switch (planned.step) {
    case SecretStep::kRestore:
      return *remembered_;
    case SecretStep::kRepair:
    case SecretStep::kNothing:
      return *decoded.content;
    case SecretStep::kPublishNext:
      return publish_next(*decoded.content, settings, now);
    case SecretStep::kSwitchLeaf:
      return switch_to_next(*decoded.content, settings, now);
    case SecretStep::kDropPrevious:
      return drop_previous(*decoded.content);
    case SecretStep::kCreateAll:
      return new_content(settings, now);
    case SecretStep::kRenewLeaf:
      break;
  }
  // Replicas may have different names during a rollout: keep the names of the others.
  std::vector<std::string> names;
  if (decoded.content && planned.cause == WriteCause::kNames) {
    names = decoded.content->leaf->leaf.names;
  }
  auto leaf = new_leaf(*decoded.ca, settings, now, names);
  if (!leaf) return leaf.error();
  Content content;
  if (decoded.content) {
    content = *decoded.content;
  } else {
    content.ca = *decoded.ca;
  }
  content.leaf = std::move(*leaf);
  return content;
}

aio::Task<bool> SecretSynchronizer::write(PlannedChange planned) {
  const auto content = build(planned);
  if (!content) {
    failure_log_.failed(content.error().text);
    co_return false;
  }
  const kube::Object existing = view_.secret.object();
  const bool is_new = !existing.root().exists();
  const std::string body = encode_secret(*content, existing.root(), dependencies_.settings,
                                         planned.cause == WriteCause::kRequested);
  const std::string& space = dependencies_.settings.namespace_name;
  const std::string& name = dependencies_.settings.secret;
  kube::Result<kube::Object> written = kube::Error{};
  if (is_new) {
    written = co_await dependencies_.client.create(kube::kSecrets, space, body);
  } else {
    written = co_await dependencies_.client.update(kube::kSecrets, space, name, body);
  }
  if (!written) {
    const kube::Error& error = written.error();
    // Another replica was faster, and the informer delivers its write.
    const bool was_beaten =
        error.is("Conflict") || error.is("AlreadyExists") || (!is_new && error.is("NotFound"));
    if (!was_beaten) failure_log_.failed(error.text);
    co_return false;
  }
  failure_log_.succeeded();
  view_.secret.wrote(written->resource_version(), dependencies_.clock.monotonic());
  if (planned.is_replacement()) replacements_.note_written(dependencies_.clock.monotonic());
  note_written(planned, *content);
  emit_event(planned, written->uid());
  co_return true;
}

void SecretSynchronizer::note_written(const PlannedChange& planned, const Content& content) {
  dependencies_.stats.writes[static_cast<std::size_t>(planned.cause)].fetch_add(
      1, std::memory_order_relaxed);
  const bool is_first =
      planned.cause == WriteCause::kMissing && planned.step == SecretStep::kCreateAll;
  dependencies_.logger.log(
      planned.is_replacement() && !is_first ? runtime::Level::kWarning : runtime::Level::kInfo,
      "certificates' Secret written",
      {{"secret", secret_name(dependencies_.settings)},
       {"step", event_reason(planned.step)},
       {"cause", kCauseNames[static_cast<std::size_t>(planned.cause)]},
       {"found", planned.text},
       {"ca", content.ca.facts.fingerprint},
       {"leaf", content.leaf->leaf.fingerprint}});
}

// Visible in `kubectl describe`.
void SecretSynchronizer::emit_event(const PlannedChange& planned, std::string_view uid) {
  const bool is_first =
      planned.cause == WriteCause::kMissing && planned.step == SecretStep::kCreateAll;
  const std::string cause(kCauseNames[static_cast<std::size_t>(planned.cause)]);
  dependencies_.events.record(
      {.regarding = {.api_version = kube::kSecrets.api_version(),
                     .kind = std::string(kube::kSecrets.kind),
                     .namespace_name = dependencies_.settings.namespace_name,
                     .name = dependencies_.settings.secret,
                     .uid = std::string(uid)},
       .is_warning = planned.is_replacement() && !is_first,
       .reason = std::string(event_reason(planned.step)),
       .action = "WriteCertificates",
       .note = cause + ": " + planned.text});
}

}  // namespace dynamo::certs::managed
