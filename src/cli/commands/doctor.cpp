// kubectl dynamo doctor: checks an installed webhook from outside.
#include "doctor/doctor.hpp"

#include "cli/commands/commands.hpp"
#include "runtime/clock.hpp"

namespace dynamo::cli {

int run_doctor(const Options& options, Streams& streams) {
  doctor::DoctorOptions wanted;
  const ClusterLocation& cluster = streams.cluster;
  wanted.kubeconfig = kubeconfig_of(options, cluster);
  wanted.kubeconfig_source = kubeconfig_source_of(options, cluster);
  wanted.context = options.kube_context;
  wanted.service_host = cluster.service_host;
  wanted.service_port = cluster.service_port;
  wanted.gather.dry_run_namespace = options.dry_run_namespace;
  wanted.gather.restricted_namespace = options.restricted_namespace;
  wanted.gather.secret = options.secret;
  wanted.gather.service_account = options.service_account;
  wanted.gather.keeper_account = options.keeper_service_account;
  wanted.gather.cluster_lookups = options.cluster_lookups;
  wanted.gather.inject_crds = options.inject_crds;
  wanted.gather.operator_generation = options.operator_generation;
  wanted.gather.reconciler_leases = options.reconciler_leases;
  wanted.gather.operator_lease = options.operator_lease;
  wanted.gather.lease_trust = {.longest = options.lease_max_duration,
                               .namespaces = options.lease_namespaces,
                               .holders = options.lease_holders};
  wanted.json = options.list_format == ListFormat::kJson;
  wanted.color =
      !wanted.json && should_use_colours(options.colour, streams.out_is_terminal, streams.no_color);
  const runtime::SystemClock clock;
  return doctor::run_doctor(wanted, clock, streams.out, streams.err);
}

}  // namespace dynamo::cli
