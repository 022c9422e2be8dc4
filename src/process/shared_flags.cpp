#include "process/shared_flags.hpp"

#include "api/fact_choices.hpp"
#include "runtime/log_flags.hpp"

namespace dynamo::process {
namespace {

using std::chrono_literals::operator""h;
using std::chrono_literals::operator""min;
using std::chrono_literals::operator""s;

using runtime::AddressForm;
using runtime::Choice;
using runtime::ChoiceForm;
using runtime::DurationForm;
using runtime::into;
using runtime::kLogFormats;
using runtime::kLogLevels;
using runtime::NamesForm;
using runtime::NamespaceForm;
using runtime::PathForm;
using runtime::RewordedForm;
using runtime::ServiceAccountForm;
using runtime::ServiceAccountsForm;
using runtime::TextForm;

using Rows = std::vector<runtime::Flag<ClusterOptions>>;

// Settings of the operator.
Rows operator_flags() {
  return {
      {"operator-service-account",
       into(&ClusterOptions::operator_service_account, ServiceAccountForm<api::ServiceAccount>{}),
       "",
       "The one account that may scale what a scaling adapter owns, in addition to the planner. "
       "Not set: any account whose name ends in -dynamo-operator-controller-manager, a name that "
       "every user with the right to create service accounts can choose."},
      {"planner-service-accounts",
       into(&ClusterOptions::planner_service_accounts, ServiceAccountsForm<api::ServiceAccount>{}),
       "",
       "Planners that may scale in every namespace. In the graph's own namespace, the account "
       "planner-serviceaccount may always scale. Without --operator-service-account, so may "
       "every account there whose name ends in planner-serviceaccount, unless the operator is a "
       "later one."},
      {"operator-generation",
       into(&ClusterOptions::operator_generation, ChoiceForm{api::kDetectableGenerations<Choice>}),
       "unknown",
       "Which Dynamo operator reconciles the objects: `first` is the one released with v1alpha1 "
       "alone, until the spring of 2026; `later` is any newer one. Rules that depend on it warn "
       "while it is unknown. `auto` detects it and follows changes: `later` while the API server "
       "serves graphs as v1beta1; otherwise `first` with an `--operator-version` up to 1.0, or if "
       "`dynamo-reconciler` replaces the operator; else `unknown`."},
      {"discovery-backend",
       into(&ClusterOptions::discovery_backend, ChoiceForm{api::kBackends<Choice>}), "unknown",
       "How services find each other in a graph that does not set it: the operator's own "
       "setting. Rules that depend on it warn while it is unknown."},
      {"operator-checkpoints",
       into(&ClusterOptions::operator_checkpoints, ChoiceForm{api::kSettings<Choice>}), "unknown",
       "Whether a later operator serves checkpoints. If it does not, graphs and "
       "DynamoCheckpoints that need them are refused."},
      {"operator-gpu-discovery",
       into(&ClusterOptions::operator_gpu_discovery, ChoiceForm{api::kSettings<Choice>}), "unknown",
       "Whether a later operator discovers the GPUs of nodes. If it does not, "
       "DynamoGraphDeploymentRequests must describe the hardware."},
      {"dgdr-default-image",
       into(&ClusterOptions::dgdr_default_image,
            RewordedForm{"IMAGE", "an image reference of at most 4096 bytes", PathForm{}}),
       "",
       "As the flag of a later operator: the image that is set in DynamoGraphDeploymentRequests "
       "without one. Not set: the planner image of --operator-version."},
  };
}

}  // namespace

std::vector<runtime::Flag<ClusterOptions>> shared_flags(const FlagVariants& variants) {
  Rows rows = {
      {"health-probe-bind-address", into(&ClusterOptions::health_probe_bind_address, AddressForm{}),
       ":8081", ""},
      {"metrics-bind-address", into(&ClusterOptions::metrics_bind_address, AddressForm{}), ":8080",
       ""},
      {"policy", into(&ClusterOptions::policy, PathForm{}), "", ""},
      {variants.restricted_namespace, into(&ClusterOptions::restricted_namespace, NamespaceForm{}),
       "", ""},
      {"operator-version", into(&ClusterOptions::operator_version, TextForm{}),
       variants.operator_version, ""},
      {"kubeconfig", into(&ClusterOptions::kubeconfig, PathForm{}), "",
       "Kubeconfig file with the API server's address. Not set: the address from the pod's "
       "environment."},
      {"kube-context", into(&ClusterOptions::kube_context, TextForm{}), "",
       "Context of --kubeconfig. Not set: its current one."},
      {"namespace-scope-lease-duration",
       into(&ClusterOptions::namespace_scope_lease_duration, DurationForm{1s, 1h}), "30s", ""},
      {"namespace-scope-lease-renew-interval",
       into(&ClusterOptions::namespace_scope_lease_renew_interval,
            DurationForm{variants.shortest_renew_interval, 1h}),
       "10s", ""},
      {"lease-namespaces", into(&ClusterOptions::lease_namespaces, NamesForm{}), "", ""},
      {"lease-holders", into(&ClusterOptions::lease_holders, NamesForm{}), "",
       "Holders whose lease is trusted, with the same wildcards, such as "
       "`namespace-restricted-operator-*`. Not set: all. The lease's writer chooses the holder's "
       "name, so restrict its writers with deploy/policies."},
      {"lease-max-duration", into(&ClusterOptions::lease_max_duration, DurationForm{1s, 24h}), "5m",
       "Longest duration of a trusted namespace lease, in whole seconds. A lease with a longer "
       "one is not trusted."},
      {"drain-timeout", into(&ClusterOptions::drain_timeout, DurationForm{0s, 5min}),
       variants.drain_timeout, ""},
      {"log-level", into(&ClusterOptions::log_level, ChoiceForm{kLogLevels}), "info",
       "The least severe lines that are written, to standard error."},
      {"log-format", into(&ClusterOptions::log_format, ChoiceForm{kLogFormats}), "json",
       "One JSON object or one line of text per event."},
  };
  const Rows of_operator = operator_flags();
  rows.insert(rows.end(), of_operator.begin(), of_operator.end());
  return rows;
}

}  // namespace dynamo::process
