// Maintains the Secret, and takes this replica's certificate from it.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "aio/signal.hpp"
#include "certs/error.hpp"
#include "certs/managed/figures.hpp"
#include "certs/managed/managed_source.hpp"
#include "certs/managed/pace.hpp"
#include "certs/managed/plan.hpp"
#include "certs/managed/settings.hpp"
#include "certs/managed/trouble.hpp"
#include "certs/managed/view.hpp"
#include "kube/client.hpp"
#include "kube/event_recorder.hpp"
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
  Figures& figures;
  kube::EventRecorder& events;
};

// On the loop's thread.
class Keeper {
 public:
  // `handover_changed` is called after each change of `handover`, which must outlive this.
  Keeper(const Dependencies& dependencies, View& view, Handover& handover,
         std::function<void()> handover_changed);

  // Runs until it is cancelled. Retries without limit: while the API server is unavailable, the
  // current certificate stays in use.
  aio::Task<> run();
  // Call it after each change of the view. It records the Secret's content immediately, so that
  // short-lived states are not missed.
  void ring() {
    note_secret();
    bell_.ring();
  }
  void set_leader(bool is_leader) {
    is_leader_ = is_leader;
    bell_.ring();
  }

 private:
  Observed observe();
  // Starts using the Secret's leaf once every caBundle verifies it.
  void adopt();
  std::string take_from_secret();
  bool may_serve(const Content& content);
  void serve(const Content& content);
  void note_secret();

  Result<Content> build(const Planned& planned) const;
  aio::Task<> step();
  // The fingerprint to write into the Secret's annotation; nullopt if it is up to date.
  std::optional<std::string> verified_to_report() const;
  aio::Task<bool> report_verified(std::string leaf_fingerprint);
  bool may_write(const Planned& planned);
  // True if the Secret was written.
  aio::Task<bool> write(Planned planned);
  void note_written(const Planned& planned, const Content& content);
  void emit_event(const Planned& planned, std::string_view uid);

  const Dependencies dependencies_;
  View& view_;
  Handover& handover_;
  const std::function<void()> handover_changed_;
  aio::Signal bell_;
  aio::Retry retry_;
  Pace replacements_;
  Trouble trouble_;
  bool is_leader_ = false;

  std::optional<Content> remembered_;
  std::string refused_;     // the flaw that was counted and logged last
  std::uint64_t seen_ = 0;  // the sights() of the Secret that were processed last
  Since published_;
  Since switched_;
  Since verified_;
};

}  // namespace dynamo::certs::managed
