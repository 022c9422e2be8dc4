#include "certs/managed/reporter.hpp"

#include <utility>
#include <vector>

#include "kube/resource.hpp"

namespace dynamo::certs::managed {
namespace {

void note(aio::Retry& retry, bool done) {
  if (done) {
    retry.succeeded();
  } else {
    retry.failed();
  }
}

Served served_by(const View& view) {
  return {view.served->leaf.fingerprint, view.served_ca.facts.fingerprint};
}

}  // namespace

Reporter::Reporter(const Surroundings& surroundings, View& view)
    : with_(surroundings),
      view_(view),
      bell_(surroundings.loop),
      write_retry_(surroundings.settings.first_pause, surroundings.settings.longest_pause),
      sweep_retry_(surroundings.settings.first_pause, surroundings.settings.longest_pause),
      trouble_("reporting what this replica serves", surroundings.logger) {}

aio::Task<> Reporter::run() {
  bell_.ring();
  for (;;) {
    const bool goes_on =
        co_await bell_.wait(sweep_retry_.wait(write_retry_.wait(with_.settings.tick)));
    if (!goes_on) break;
    co_await step();
  }
}

aio::Task<> Reporter::withdraw() {
  if (!reported_) co_return;
  const auto gone = co_await with_.client.remove(kube::kLeases, with_.settings.namespace_name,
                                                 report_name(with_.settings));
  if (gone) reported_.reset();
}

std::string Reporter::problem() const {
  if (reported_) return {};
  return trouble_.text().empty() ? "what this replica serves was not reported yet"
                                 : "what this replica serves was not reported: " + trouble_.text();
}

bool Reporter::is_due() const {
  if (!view_.served) return false;
  if (is_lost_ || !reported_ || *reported_ != served_by(view_)) return true;
  return with_.clock.monotonic() - reported_at_ >= report_interval(with_.settings);
}

aio::Task<> Reporter::step() {
  // Without it nobody knows what this replica serves, and its CA might be dropped under it.
  if (view_.reports.take_loss()) {
    is_lost_ = true;
    resource_version_.clear();
  }
  if (!is_due()) {
    write_retry_.succeeded();
  } else if (!write_retry_.is_pausing()) {
    const bool done = co_await write(served_by(view_));
    note(write_retry_, done);
  }
  if (!is_leader_ || !view_.reports.synced()) {
    sweep_retry_.succeeded();
  } else if (!sweep_retry_.is_pausing()) {
    const bool done = co_await sweep();
    note(sweep_retry_, done);
  }
}

aio::Task<bool> Reporter::write(Served served) {
  const std::string& space = with_.settings.namespace_name;
  const std::string name = report_name(with_.settings);
  const std::string body =
      report_body(with_.settings, served, with_.clock.wall(), resource_version_);
  kube::Result<kube::Object> written = kube::Error{};
  if (resource_version_.empty()) {
    written = co_await with_.client.create(kube::kLeases, space, body);
  } else {
    written = co_await with_.client.update(kube::kLeases, space, name, body);
  }
  if (written) {
    resource_version_ = written->resource_version();
    reported_ = std::move(served);
    is_lost_ = false;
    reported_at_ = with_.clock.monotonic();
    trouble_.succeeded();
    co_return true;
  }
  // Left behind by our life before, changed or cleared away by somebody: once more from what is
  // there.
  const kube::Error& error = written.error();
  if (error.is("NotFound")) {
    resource_version_.clear();
  } else if (error.is("Conflict") || error.is("AlreadyExists")) {
    const auto found = co_await with_.client.get(kube::kLeases, space, name);
    if (found) resource_version_ = found->resource_version();
  } else {
    trouble_.failed(error.text);
    co_return false;
  }
  co_return false;
}

aio::Task<bool> Reporter::sweep() {
  std::vector<Report> dead;
  for (const Report& report : view_.reports.reports()) {
    if (!view_.reports.is_live(report)) dead.push_back(report);
  }
  bool done = true;
  for (const Report& report : dead) {
    kube::Preconditions unchanged;
    unchanged.resource_version = report.resource_version;
    const auto gone = co_await with_.client.remove(kube::kLeases, with_.settings.namespace_name,
                                                   report.name, unchanged);
    const bool is_settled = gone || gone.error().is("NotFound") || gone.error().is("Conflict");
    done = done && is_settled;
  }
  co_return done;
}

}  // namespace dynamo::certs::managed
