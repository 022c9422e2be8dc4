// kubectl dynamo status: the Dynamo objects of a cluster, as a tree.
#include "cli/cluster/status/status.hpp"

#include "cli/commands/commands.hpp"
#include "runtime/clock.hpp"

namespace dynamo::cli {

int run_status(const Options& options, Streams& streams) {
  status::StatusOptions wanted;
  const ClusterLocation& cluster = streams.cluster;
  wanted.cluster.kubeconfig = kubeconfig_of(options, cluster);
  wanted.cluster.kubeconfig_source = kubeconfig_source_of(options, cluster);
  wanted.cluster.context = options.kube_context;
  wanted.cluster.service_host = cluster.service_host;
  wanted.cluster.service_port = cluster.service_port;
  wanted.namespace_name = options.shown_namespace;
  wanted.all_namespaces = options.all_namespaces;
  wanted.name = options.argument;
  wanted.json = options.list_format == ListFormat::kJson;
  wanted.color =
      !wanted.json && should_use_colours(options.colour, streams.out_is_terminal, streams.no_color);
  wanted.shows_all = options.show_all;
  wanted.watch = options.watch;
  wanted.redraws = streams.out_is_terminal && !streams.is_dumb;
  const runtime::SystemClock clock;
  return status::run_status(wanted, clock, streams.out, streams.err);
}

}  // namespace dynamo::cli
