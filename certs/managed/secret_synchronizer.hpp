// Maintains the Secret, and takes this replica's certificate from it.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "aio/signal.hpp"
#include "certs/error.hpp"
#include "certs/managed/failure_log.hpp"
#include "certs/managed/managed_source.hpp"
#include "certs/managed/plan.hpp"
#include "certs/managed/settings.hpp"
#include "certs/managed/stats.hpp"
#include "certs/managed/view.hpp"
#include "certs/managed/write_rate_limit.hpp"
#include "kube/client/client.hpp"
#include "kube/controller/event_recorder.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace dynamo::certs::managed {

// Dependencies of the parts of managed certificates; all of them outlive the parts.
struct Dependencies {
  boost::asio::io_context& loop;
  kube::Client& client;
  const Settings& settings;
  const runtime::Clock& clock;
  runtime::Logger& logger;
  Stats& stats;
  kube::EventRecorder& events;
};

// On the loop's thread.
class SecretSynchronizer {
 public:
  // `handover_changed` is called after each change of `handover`, which must outlive this.
  SecretSynchronizer(const Dependencies& dependencies, View& view, Handover& handover,
                     std::function<void()> handover_changed);

  // Runs until it is cancelled. Retries without limit: while the API server is unavailable, the
  // current certificate stays in use.
  aio::Task<> run();
  // Call it after each change of the view. It records the Secret's content immediately, so that
  // short-lived states are not missed.
  void ring() {
    note_secret();
    signal_.ring();
  }
  void set_leader(bool is_leader) {
    is_leader_ = is_leader;
    signal_.ring();
  }

 private:
  ObservedState observe();
  // Starts using the Secret's leaf once every caBundle verifies it.
  void adopt();
  std::string take_from_secret();
  bool can_serve(const Content& content);
  void serve(const Content& content);
  void note_secret();

  Result<Content> build(const PlannedChange& planned) const;
  aio::Task<> step();
  // The fingerprint to write into the Secret's annotation; nullopt if it is up to date.
  std::optional<std::string> verified_to_report() const;
  aio::Task<bool> report_verified(std::string leaf_fingerprint);
  bool can_write(const PlannedChange& planned);
  // True if the Secret was written.
  aio::Task<bool> write(PlannedChange planned);
  void note_written(const PlannedChange& planned, const Content& content);
  void emit_event(const PlannedChange& planned, std::string_view uid);

  const Dependencies dependencies_;
  View& view_;
  Handover& handover_;
  const std::function<void()> handover_changed_;
  aio::Signal signal_;
  aio::Retry retry_;
  WriteRateLimit replacements_;
  FailureLog failure_log_;
  bool is_leader_ = false;

  std::optional<Content> remembered_;
  std::string refused_;                   // the flaw that was counted and logged last
  std::uint64_t processed_revision_ = 0;  // the revision() of the Secret that was processed last
  ConditionTimer published_;
  ConditionTimer switched_;
  ConditionTimer verified_;
};

}  // namespace dynamo::certs::managed
