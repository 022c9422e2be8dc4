// The doctor as a program: connects, looks, judges, prints.
#pragma once

#include <chrono>
#include <iosfwd>
#include <string>

#include "doctor/gather.hpp"
#include "runtime/clock.hpp"

namespace dynamo::doctor {

struct DoctorOptions {
  std::string kubeconfig;  // empty: in a cluster, as a pod
  std::string context;
  std::string service_host;  // KUBERNETES_SERVICE_HOST
  std::string service_port;
  // What a pod is given; empty: where Kubernetes puts it.
  std::string service_account_directory;
  GatherOptions gather;
  bool json = false;
  bool color = false;
  std::chrono::seconds deadline{60};
};

// Prints the report to `out`, and one line to `err` when there can be none. 0: nothing failed, 1: a
// check failed, 2: the cluster could not be asked.
int run_doctor(const DoctorOptions& options, const runtime::Clock& clock, std::ostream& out,
               std::ostream& err);

}  // namespace dynamo::doctor
