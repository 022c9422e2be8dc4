// The doctor as a program: connects, looks, judges, prints.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <iosfwd>
#include <string>

#include "doctor/gather.hpp"
#include "kube/transport.hpp"
#include "runtime/clock.hpp"

namespace dynamo::doctor {

struct DoctorOptions {
  std::string kubeconfig;         // empty: in a cluster, as a pod
  std::string kubeconfig_source;  // for errors: "from KUBECONFIG"
  std::string context;
  std::string service_host;  // KUBERNETES_SERVICE_HOST
  std::string service_port;
  // What a pod is given; empty: where Kubernetes puts it.
  std::string service_account_directory;
  GatherOptions gather;
  bool json = false;
  bool color = false;
  // For all of it: the endpoints and the dry run take up most. What is there by then is reported.
  std::chrono::milliseconds deadline{120'000};
};

// Prints the report to `out`, and one line to `err` when there can be none, or none that is
// complete; as JSON there always is one, which says the same as `error`. 0: nothing failed, 1: a
// check failed, 2: the cluster could not be asked, or nothing failed of what could be asked in
// time.
int run_doctor(const DoctorOptions& options, const runtime::Clock& clock, std::ostream& out,
               std::ostream& err);

// The same by a transport, which lives on `loop` and belongs to `server`. Runs the loop.
int run_doctor(const DoctorOptions& options, kube::Transport& transport,
               boost::asio::io_context& loop, const std::string& server,
               const runtime::Clock& clock, std::ostream& out, std::ostream& err);

}  // namespace dynamo::doctor
