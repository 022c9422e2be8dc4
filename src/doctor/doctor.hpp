// The doctor as a program: connects, gathers evidence, runs the checks, prints.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <iosfwd>
#include <string>

#include "doctor/gather.hpp"
#include "kube/http/transport.hpp"
#include "runtime/clock.hpp"

namespace dynamo::doctor {

struct DoctorOptions {
  std::string kubeconfig;         // empty: in a cluster, as a pod
  std::string kubeconfig_source;  // for errors: "from KUBECONFIG"
  std::string context;
  std::string service_host;  // KUBERNETES_SERVICE_HOST
  std::string service_port;
  // Files mounted into a pod; empty: Kubernetes' default directory.
  std::string service_account_directory;
  GatherOptions gather;
  bool json = false;
  bool color = false;
  // For the whole run; endpoints and the dry run take most of it. At the deadline the evidence
  // gathered so far is reported.
  std::chrono::milliseconds deadline{120'000};
};

// Prints the report to `out`, and one line to `err` if there is no report or an incomplete one. As
// JSON there is always a report, whose `error` holds the same line. Returns 0 if nothing failed, 1
// if a check failed, 2 if the cluster could not be queried, or if no check failed but the report is
// incomplete.
int run_doctor(const DoctorOptions& options, const runtime::Clock& clock, std::ostream& out,
               std::ostream& err);

// The same with a given transport, which lives on `loop` and talks to `server`. Runs the loop.
int run_doctor(const DoctorOptions& options, kube::Transport& transport,
               boost::asio::io_context& loop, const std::string& server,
               const runtime::Clock& clock, std::ostream& out, std::ostream& err);

}  // namespace dynamo::doctor
