// Keeps this replica's report up to date. The leader also removes reports of replicas that no
// longer exist.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "aio/signal.hpp"
#include "certs/managed/failure_log.hpp"
#include "certs/managed/secret_synchronizer.hpp"
#include "certs/managed/settings.hpp"
#include "certs/managed/view.hpp"

namespace dynamo::certs::managed {

// On the loop's thread.
class ReplicaReporter {
 public:
  ReplicaReporter(const Dependencies& dependencies, View& view);

  // Runs until it is cancelled.
  aio::Task<> run();
  // For a clean stop, after run() has ended and no request is served: deletes the report. One
  // attempt.
  aio::Task<> withdraw();
  void ring() { signal_.ring(); }
  void set_leader(bool is_leader) {
    is_leader_ = is_leader;
    signal_.ring();
  }

  // Why the cluster does not know yet what we serve; empty if it does.
  std::string problem() const;

 private:
  bool is_due() const;
  aio::Task<> step();
  aio::Task<bool> write(ServedCertificates served);
  aio::Task<bool> write_shared(ServedCertificates served);
  void note_reported(ServedCertificates served);
  // False if a report could not be removed.
  aio::Task<bool> sweep();

  const Dependencies dependencies_;
  View& view_;
  aio::Signal signal_;
  // Separate, so that neither delays the other.
  aio::Retry write_retry_;
  aio::Retry sweep_retry_;
  FailureLog failure_log_;
  bool is_leader_ = false;

  std::string resource_version_;                // of our Lease; empty: not known
  std::optional<ServedCertificates> reported_;  // nullopt: never
  bool is_lost_ = false;                        // another client deleted our Lease
  std::chrono::steady_clock::time_point reported_at_{};
};

}  // namespace dynamo::certs::managed
