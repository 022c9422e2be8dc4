#include "certs/managed/reporter.hpp"

#include <utility>
#include <vector>

#include "kube/object/resource.hpp"

namespace dynamo::certs::managed {
namespace {

void note(aio::Retry& retry, bool done) {
  if (done) {
    retry.succeeded();
  } else {
    retry.failed();
  }
}

ServedCertificates served_by(const View& view) {
  if (!view.served) return {};  // a keeper
  return {view.served->leaf.fingerprint, view.served_ca.facts.fingerprint};
}

}  // namespace

ReplicaReporter::ReplicaReporter(const Dependencies& dependencies, View& view)
    : dependencies_(dependencies),
      view_(view),
      signal_(dependencies.loop),
      write_retry_(dependencies.settings.first_pause, dependencies.settings.longest_pause),
      sweep_retry_(dependencies.settings.first_pause, dependencies.settings.longest_pause),
      failure_log_("reporting what this replica serves", dependencies.logger) {}

aio::Task<> ReplicaReporter::run() {
  signal_.ring();
  for (;;) {
    const bool goes_on =
        co_await signal_.wait(sweep_retry_.wait(write_retry_.wait(dependencies_.settings.tick)));
    if (!goes_on) break;
    co_await step();
  }
}

aio::Task<> ReplicaReporter::withdraw() {
  if (!reported_) co_return;
  if (shares_report(dependencies_.settings)) {
    const auto removed = co_await dependencies_.client.patch(
        kube::kLeases, dependencies_.settings.namespace_name,
        shared_lease_name(dependencies_.settings), kube::PatchType::kMerge,
        shared_report_removal(dependencies_.settings));
    if (removed) reported_.reset();
    co_return;
  }
  const auto gone = co_await dependencies_.client.remove(
      kube::kLeases, dependencies_.settings.namespace_name, report_name(dependencies_.settings));
  if (gone) reported_.reset();
}

std::string ReplicaReporter::problem() const {
  if (reported_) return {};
  return failure_log_.text().empty()
             ? "what this replica serves was not reported yet"
             : "what this replica serves was not reported: " + failure_log_.text();
}

bool ReplicaReporter::is_due() const {
  if (is_server(dependencies_.settings) && !view_.served) return false;
  if (is_lost_ || !reported_ || *reported_ != served_by(view_)) return true;
  return dependencies_.clock.monotonic() - reported_at_ >= report_interval(dependencies_.settings);
}

aio::Task<> ReplicaReporter::step() {
  // Without the report other replicas do not know what this one serves, and might drop its CA.
  if (view_.reports.take_deletion()) {
    is_lost_ = true;
    resource_version_.clear();
  }
  if (!is_due()) {
    write_retry_.succeeded();
  } else if (!write_retry_.is_pausing()) {
    ServedCertificates served = served_by(view_);
    bool done = false;
    if (shares_report(dependencies_.settings)) {
      done = co_await write_shared(std::move(served));
    } else {
      done = co_await write(std::move(served));
    }
    note(write_retry_, done);
  }
  if (!is_leader_ || !view_.reports.is_synced()) {
    sweep_retry_.succeeded();
  } else if (!sweep_retry_.is_pausing()) {
    const bool done = co_await sweep();
    note(sweep_retry_, done);
  }
}

aio::Task<bool> ReplicaReporter::write(ServedCertificates served) {
  const std::string& space = dependencies_.settings.namespace_name;
  const std::string name = report_name(dependencies_.settings);
  const std::string body =
      report_body(dependencies_.settings, served, dependencies_.clock.wall(), resource_version_);
  kube::Result<kube::Object> written = kube::Error{};
  if (resource_version_.empty()) {
    written = co_await dependencies_.client.create(kube::kLeases, space, body);
  } else {
    written = co_await dependencies_.client.update(kube::kLeases, space, name, body);
  }
  if (written) {
    resource_version_ = written->resource_version();
    note_reported(std::move(served));
    co_return true;
  }
  // It was left by our previous process, or changed or deleted by another client: retry with the
  // stored version.
  const kube::Error& error = written.error();
  if (error.is("NotFound")) {
    resource_version_.clear();
  } else if (error.is("Conflict") || error.is("AlreadyExists")) {
    const auto found = co_await dependencies_.client.get(kube::kLeases, space, name);
    if (found) resource_version_ = found->resource_version();
  } else {
    failure_log_.failed(error.text);
    co_return false;
  }
  co_return false;
}

void ReplicaReporter::note_reported(ServedCertificates served) {
  reported_ = std::move(served);
  is_lost_ = false;
  reported_at_ = dependencies_.clock.monotonic();
  failure_log_.succeeded();
}

// Without a resourceVersion, because no other process writes this annotation. Keepers create the
// Lease.
aio::Task<bool> ReplicaReporter::write_shared(ServedCertificates served) {
  const std::string& space = dependencies_.settings.namespace_name;
  std::string body =
      shared_report_patch(dependencies_.settings, served, dependencies_.clock.wall());
  const auto written = co_await dependencies_.client.patch(
      kube::kLeases, space, shared_lease_name(dependencies_.settings), kube::PatchType::kMerge,
      std::move(body));
  if (written) {
    note_reported(std::move(served));
    co_return true;
  }
  if (!written.error().is("NotFound") || !is_keeper(dependencies_.settings)) {
    failure_log_.failed(written.error().text);
    co_return false;
  }
  const auto created = co_await dependencies_.client.create(
      kube::kLeases, space, shared_lease_body(dependencies_.settings));
  if (!created && !created.error().is("AlreadyExists")) failure_log_.failed(created.error().text);
  co_return false;
}

aio::Task<bool> ReplicaReporter::sweep() {
  std::vector<ReplicaReport> dead;
  for (const ReplicaReport& report : view_.reports.reports()) {
    const bool is_ours =
        report.shared_value.empty() || dependencies_.settings.role == Role::kKeeper;
    if (is_ours && !view_.reports.is_live(report)) dead.push_back(report);
  }
  bool done = true;
  for (const ReplicaReport& report : dead) {
    if (!report.shared_value.empty()) {
      const auto removed = co_await dependencies_.client.patch(
          kube::kLeases, dependencies_.settings.namespace_name,
          shared_lease_name(dependencies_.settings), kube::PatchType::kJson,
          shared_report_removal(report));
      const bool is_over =
          removed || removed.error().is("NotFound") || removed.error().is("Invalid");
      done = done && is_over;
      continue;
    }
    kube::Preconditions unchanged;
    unchanged.resource_version = report.resource_version;
    const auto gone = co_await dependencies_.client.remove(
        kube::kLeases, dependencies_.settings.namespace_name, report.name, unchanged);
    const bool is_settled = gone || gone.error().is("NotFound") || gone.error().is("Conflict");
    done = done && is_settled;
  }
  co_return done;
}

}  // namespace dynamo::certs::managed
