#include "reconciler/flags.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reconciler/manager.hpp"
#include "runtime/build_info.hpp"

namespace dynamo::reconciler {
namespace {

using runtime::EarlyExit;
using Set = std::function<bool(Options&, std::string_view)>;

struct Row {
  std::string_view name;
  std::string_view accepts;  // completes "--flag must be …"
  Set set;
  std::string_view help;
  bool is_switch = false;
};

// What `read` makes of the text goes into the member.
template <class Member, class Read>
Set into(Member Options::*member, Read read) {
  return [member, read](Options& options, std::string_view text) {
    auto value = read(text);
    if (!value) return false;
    options.*member = *std::move(value);
    return true;
  };
}

std::optional<bool> read_switch(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return std::nullopt;
}

std::optional<std::string> read_text(std::string_view text) {
  if (text.empty()) return std::nullopt;
  return std::string(text);
}

std::optional<std::vector<std::string>> read_list(std::string_view text) {
  std::vector<std::string> items;
  for (;;) {
    const std::size_t comma = text.find(',');
    items.emplace_back(text.substr(0, comma));
    if (items.back().empty()) return std::nullopt;
    if (comma == std::string_view::npos) return items;
    text.remove_prefix(comma + 1);
  }
}

std::optional<std::string> read_namespace(std::string_view text) {
  if (!runtime::is_namespace_name(text)) return std::nullopt;
  return std::string(text);
}

auto read_count(std::uint64_t least, std::uint64_t most) {
  return [least, most](std::string_view text) -> std::optional<std::size_t> {
    const auto count = runtime::parse_count(text);
    if (!count || *count < least || *count > most) return std::nullopt;
    return *count;
  };
}

auto read_duration(std::chrono::seconds least, std::chrono::seconds most) {
  return [least, most](std::string_view text) -> std::optional<std::chrono::nanoseconds> {
    const auto duration = runtime::parse_duration(text);
    if (!duration || *duration < least || *duration > most) return std::nullopt;
    return duration;
  };
}

template <class Value>
auto read_choice(std::vector<std::pair<std::string_view, Value>> choices) {
  return [choices = std::move(choices)](std::string_view text) -> std::optional<Value> {
    for (const auto& [word, value] : choices) {
      if (word == text) return value;
    }
    return std::nullopt;
  };
}

constexpr std::string_view kSwitch = "true or false";
constexpr std::string_view kText = "a text that is not empty";
constexpr std::string_view kList = "words separated by commas";
constexpr std::string_view kNamespace = "the name of a namespace";
constexpr std::string_view kAddress = "IP:PORT, [IPv6]:PORT or :PORT";
constexpr std::chrono::seconds kSecond{1};
constexpr std::chrono::seconds kHour{3600};

const std::vector<Row>& rows() {
  static const std::vector<Row> all{
      {"controllers", kList, into(&Options::controllers, read_list),
       "Which controllers run: * all, NAME this one, -NAME not this one. Default: validation."},
      {"mode", "companion or replacement",
       into(&Options::mode,
            read_choice<validation::Mode>({{"companion", validation::Mode::kCompanion},
                                           {"replacement", validation::Mode::kReplacement}})),
       "Whether the Go operator runs beside this, or nobody else does. Default: companion."},
      {"once", kSwitch, into(&Options::once, read_switch), "Looks at every object once, and ends.",
       true},
      {"dry-run", kSwitch, into(&Options::dry_run, read_switch),
       "Prints what would be done, as YAML, and does nothing.", true},
      {"workers", "a number from 1 to 64", into(&Options::workers, read_count(1, 64)),
       "Objects of one controller that are worked on at once. Default: 8."},
      {"pass-timeout", "a duration from 1s to 1h",
       into(&Options::pass_timeout, read_duration(kSecond, kHour)),
       "Longest time of one pass over one object. Default: 30s."},
      {"enable-webhooks", kSwitch, into(&Options::enable_webhooks, read_switch),
       "Webhooks judge what is written: in place of the operator nothing is judged again.", true},
      {"policy", kText, into(&Options::policy, read_text), "The policy file of the server."},
      {"admission-record", kSwitch, into(&Options::admission_record, read_switch),
       "Keeps in an annotation what must not change. Default: true.", true},
      {"operator-version", kText, into(&Options::operator_version, read_text),
       "The version of the operator. Default: unknown."},
      {"operator-service-account", "NAMESPACE/NAME",
       into(&Options::operator_service_account,
            [](std::string_view text) -> std::optional<std::optional<runtime::ServiceAccount>> {
              auto account = runtime::parse_service_account(text);
              if (!account) return std::nullopt;
              return account;
            }),
       "Who may scale beside planners."},
      {"planner-service-accounts", "NAMESPACE/NAME, separated by commas",
       into(&Options::planner_service_accounts, runtime::parse_service_accounts),
       "Who may scale in any namespace."},
      {"operator-generation", "unknown, first or later",
       into(&Options::operator_generation,
            read_choice<api::OperatorGeneration>({{"unknown", api::OperatorGeneration::kUnknown},
                                                  {"first", api::OperatorGeneration::kFirst},
                                                  {"later", api::OperatorGeneration::kLater}})),
       "Which operator reconciles what is judged. Default: unknown."},
      {"discovery-backend", "unknown, kubernetes or etcd",
       into(&Options::discovery_backend, read_choice<Backend>({{"unknown", Backend::kUnknown},
                                                               {"kubernetes", Backend::kKubernetes},
                                                               {"etcd", Backend::kEtcd}})),
       "How services find each other. Default: unknown."},
      {"restrictedNamespace", kNamespace, into(&Options::restricted_namespace, read_namespace),
       "The one namespace that is looked at. Default: all."},
      {"exclude-ephemeral", kSwitch, into(&Options::exclude_ephemeral, read_switch),
       "Leaves namespaces alone whose name holds `ephemeral`. Default: true.", true},
      {"namespace-scope-lease-duration", "a duration from 1s to 1h",
       into(&Options::namespace_scope_lease_duration, read_duration(kSecond, kHour)),
       "Of the marker lease of a restricted namespace. Default: 30s."},
      {"namespace-scope-lease-renew-interval", "a duration from 1s to 1h",
       into(&Options::namespace_scope_lease_renew_interval, read_duration(kSecond, kHour)),
       "Below that duration. Default: 10s."},
      {"lease-namespaces", kList, into(&Options::lease_namespaces, read_list),
       "Globs of namespaces whose marker leases are believed. Default: all."},
      {"lease-holders", kList, into(&Options::lease_holders, read_list),
       "Globs of holders who are believed. Default: all."},
      {"lease-max-duration", "a duration from 1s to 1h",
       into(&Options::lease_max_duration, read_duration(kSecond, kHour)),
       "Longer marker leases are not believed. Default: 5m."},
      {"leader-elect", kSwitch, into(&Options::leader_elect, read_switch),
       "Of several replicas one acts. Default: true.", true},
      {"leader-election-id", kText, into(&Options::leader_election_id, read_text),
       "Name of the Lease. Default: dynamo-reconciler."},
      {"leader-election-namespace", kNamespace,
       into(&Options::leader_election_namespace, read_namespace),
       "Where the Lease lies. Default: the pod's namespace."},
      {"leader-election-lease-duration", "a duration from 1s to 1h",
       into(&Options::leader_election_lease_duration, read_duration(kSecond, kHour)),
       "How long a leader that is not heard of is waited for. Default: 15s."},
      {"leader-election-renew-deadline", "a duration from 1s to 1h",
       into(&Options::leader_election_renew_deadline, read_duration(kSecond, kHour)),
       "After which a leader that could not renew its Lease gives up. Default: 10s."},
      {"leader-election-retry-period", "a duration from 1s to 1h",
       into(&Options::leader_election_retry_period, read_duration(kSecond, kHour)),
       "Between two looks at the Lease. Default: 2s."},
      {"operator-lease-name", kText, into(&Options::operator_lease_name, read_text),
       "The Lease of the Go operator's leader. Default: dynamo.nvidia.com."},
      {"operator-lease-namespace", kNamespace,
       into(&Options::operator_lease_namespace, read_namespace),
       "Where that lies. Default: kube-system, or the restricted namespace."},
      {"kubeconfig", kText, into(&Options::kubeconfig, read_text),
       "How to reach the API server. Default: the pod's service account."},
      {"kube-context", kText, into(&Options::kube_context, read_text),
       "Of the kubeconfig. Default: its current one."},
      {"kube-connections", "a number from 2 to 256",
       into(&Options::kube_connections, read_count(2, 256)),
       "Calls to the API server at once. Default: 16."},
      {"health-probe-bind-address", kAddress,
       into(&Options::health_probe_bind_address, runtime::parse_address),
       "Where /healthz and /readyz are served. Default: :8081."},
      {"metrics-bind-address", kAddress,
       into(&Options::metrics_bind_address, runtime::parse_address),
       "Where /metrics is served. Default: :8080."},
      {"drain-timeout", "a duration from 0s to 1h",
       into(&Options::drain_timeout, read_duration(std::chrono::seconds(0), kHour)),
       "How long passes under way may run on at the end. Default: 10s."},
      {"log-level", "debug, info, warning or error",
       into(&Options::log_level, read_choice<runtime::Level>({{"debug", runtime::Level::kDebug},
                                                              {"info", runtime::Level::kInfo},
                                                              {"warning", runtime::Level::kWarning},
                                                              {"error", runtime::Level::kError}})),
       "The least severe lines that are written. Default: info."},
      {"log-format", "json or text",
       into(&Options::log_format,
            read_choice<runtime::LogFormat>(
                {{"json", runtime::LogFormat::kJson}, {"text", runtime::LogFormat::kText}})),
       "Default: json."},
  };
  return all;
}

EarlyExit mistake(const std::string& what) {
  return {2, "dynamo-reconciler: " + what + "\n"};
}

std::string help() {
  std::string text = "dynamo-reconciler: the rules of dynamo-webhook inside controllers\n\n";
  for (const Row& row : rows()) {
    text.append("  --").append(row.name).append("\n      ").append(row.help).append("\n");
  }
  return text;
}

std::optional<std::string> check_together(const Options& options) {
  if (const auto problem = Selection(options.controllers).problem(known_controllers())) {
    return problem;
  }
  if (options.namespace_scope_lease_renew_interval >= options.namespace_scope_lease_duration) {
    return "--namespace-scope-lease-renew-interval must be shorter than "
           "--namespace-scope-lease-duration";
  }
  if (options.leader_election_renew_deadline >= options.leader_election_lease_duration) {
    return "--leader-election-renew-deadline must be shorter than "
           "--leader-election-lease-duration";
  }
  if (options.leader_election_retry_period >= options.leader_election_renew_deadline) {
    return "--leader-election-retry-period must be shorter than "
           "--leader-election-renew-deadline";
  }
  if (!options.kube_context.empty() && options.kubeconfig.empty()) {
    return "--kube-context must come with --kubeconfig, which defines the contexts; found no "
           "--kubeconfig";
  }
  return std::nullopt;
}

}  // namespace

std::variant<Options, EarlyExit> parse_flags(std::span<const char* const> arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--help") return EarlyExit{0, help()};
    if (argument == "--version") {
      return EarlyExit{0, "dynamo-reconciler " + std::string(runtime::program_version()) + "\n"};
    }
    const std::size_t equals = argument.find('=');
    const auto row = std::ranges::find_if(rows(), [&](const Row& each) {
      return argument.starts_with("--") && argument.substr(2, equals - 2) == each.name;
    });
    if (row == rows().end()) {
      return mistake("unknown argument \"" + std::string(argument.substr(0, 80)) +
                     "\"; --help lists all flags");
    }
    std::string_view text = "true";
    if (equals != std::string_view::npos) {
      text = argument.substr(equals + 1);
    } else if (!row->is_switch) {
      if (i + 1 == arguments.size()) text = "";
      if (i + 1 < arguments.size()) text = arguments[++i];
    }
    if (!row->set(options, text)) {
      return mistake("--" + std::string(row->name) + " must be " + std::string(row->accepts) +
                     "; found \"" + std::string(text.substr(0, 80)) + "\"");
    }
  }
  if (const auto wrong = check_together(options)) return mistake(*wrong);
  return options;
}

}  // namespace dynamo::reconciler
