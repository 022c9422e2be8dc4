// The command line of kubectl-dynamo: its options, parsing and help. Commands and options are
// defined in one table each: commands_table.cpp and options_table.cpp.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/context.hpp"
#include "cli/report/report.hpp"
#include "conversion/version.hpp"
#include "desired/render_options.hpp"
#include "runtime/flag_table.hpp"

namespace dynamo::cli {

inline constexpr std::string_view kProgramName = "kubectl-dynamo";  // the file
inline constexpr std::string_view kInvocation = "kubectl dynamo";   // how users call it

// In --help order.
enum class Command : unsigned char {
  kValidate,
  kDefault,
  kConvert,
  kRender,
  kDiff,
  kExplain,
  kRules,
  kReplay,
  kPolicy,
  kConfig,
  kSchema,
  kLsp,
  kDoctor,
  kStatus,
  kBench,
  kCompletion,
  kMan,
  kVersion,
  kHelp,
  kComplete,  // __complete, called by shells; hidden
};

// The destination of one report of `validate`.
struct ReportOutput {
  Format format = Format::kText;
  std::string file;  // empty: standard output

  bool operator==(const ReportOutput&) const = default;
};

// How the operator deploys a graph, according to what the cluster serves: with Grove as pod
// cliques, else with LeaderWorkerSet and Volcano as leader-worker sets, else as Deployments.
struct PathwayFacts {
  api::Fact grove_served = api::Fact::kUnknown;
  api::Fact leader_worker_set_served = api::Fact::kUnknown;

  bool operator==(const PathwayFacts&) const = default;
};

enum class ObjectFormat : unsigned char { kYaml, kJson };  // for `default`, `convert` and `render`
enum class ListFormat : unsigned char {
  kText,
  kJson
};  // for `explain`, `rules`, `replay`, `policy`, `doctor`, `status`, `bench`
enum class Colour : unsigned char { kAuto, kAlways, kNever };

// One member per option, with the option's name; a command reads those that its table rows name.
// Initial values are the defaults of the table. The base class holds the operator's own flags for
// render and diff.
struct Options : reconciler::RenderOptions {
  Command command = Command::kHelp;

  // Inputs from -f and the positional arguments, in command line order. "-" is standard input and
  // occurs at most once. Never empty for validate, default and bench.
  std::vector<std::string> filenames;
  bool recursive = false;
  std::vector<std::string> excluded;       // --exclude, globs of names in a directory
  std::string excluded_from;               // from a configuration: Exclusion::from
  bool as_found = false;                   // treat named files as if found in their directories
  bool strict_versions = false;            // other API versions than the validated one are faults
  bool require_objects = false;            // exit code 1 if there is no object to validate
  bool fix = false;                        // fix files before validating them
  bool diff = false;                       // with `fix`, or for `convert`: only show the changes
  std::string namespace_name = "default";  // for objects that name none
  bool namespace_is_configured = false;    // set by a configuration

  conversion::Version convert_to = conversion::Version::kV1beta1;

  // At most one of these is set.
  std::string old_path;  // --old FILE|DIR; empty: not given
  std::string against;   // --against GIT-REF; empty: not given

  // Inputs of a verdict.
  std::optional<std::string> user;
  std::string namespace_scope;  // api::Settings::restricted_namespace; empty: the whole cluster
  std::string policy_file;      // empty: none
  std::optional<std::chrono::system_clock::time_point> now;  // nullopt: the clock
  std::string operator_version;                              // empty: unknown
  std::optional<api::ServiceAccount> operator_service_account;
  api::Fact inference_pool = api::Fact::kUnknown;
  PathwayFacts pathway;
  std::optional<int> kubernetes_minor;  // from --kubernetes-version; nullopt: unknown
  api::OperatorGeneration operator_generation = api::OperatorGeneration::kUnknown;
  bool operator_replaced = false;
  std::vector<api::Kind> unserved_kinds;  // that have no controller
  // Whether services discover each other through Kubernetes, for graphs that do not choose.
  api::Fact discovery_backend = api::Fact::kUnknown;
  api::Fact operator_checkpoints = api::Fact::kUnknown;
  api::Fact operator_gpu_discovery = api::Fact::kUnknown;
  std::string dgdr_default_image;  // empty: the planner's of operator_version

  // Options of status.
  std::string shown_namespace;  // empty: the context's
  bool all_namespaces = false;
  bool show_all = false;
  bool watch = false;

  // Options of doctor; status, render and diff share the first two. If both are empty, render
  // contacts no cluster, and diff uses the environment's kubeconfig unless it has an old side.
  std::string kubeconfig;                      // empty: from the environment
  std::string kube_context;                    // empty: the current one
  std::string secret;                          // NAMESPACE/NAME; empty: none
  std::string service_account;                 // NAMESPACE/NAME; empty: the caller
  std::string keeper_service_account;          // NAMESPACE/NAME; empty: no keeper
  std::string dry_run_namespace;               // empty: the restricted one, else "default"
  std::string restricted_namespace;            // empty: the server covers the whole cluster
  std::vector<std::string> cluster_lookups;    // words that api::is_lookup() accepts
  bool inject_crds = false;                    // likewise
  std::vector<std::string> reconciler_leases;  // NAMESPACE/NAME
  std::string operator_lease;                  // NAMESPACE/NAME; empty: only the usual one
  std::vector<std::string> lease_namespaces;   // likewise
  std::vector<std::string> lease_holders;      // likewise
  std::chrono::seconds lease_max_duration{std::chrono::minutes(5)};  // likewise

  // Which findings are reported; see finding_filter.hpp.
  std::vector<std::string> only_rules;     // --only, ids or globs; empty: all
  std::vector<std::string> skipped_rules;  // --skip
  Level least_severity = Level::kWarning;
  bool errors_only = false;
  bool no_ignores = false;                 // annotations excuse nothing
  std::string baseline_file;               // empty: none
  std::string write_baseline_file;         // likewise
  std::string config_file;                 // --config: a file or "none"; empty: search
  std::string config_from;                 // --config-from, a git reference; empty: the file system
  std::vector<runtime::ParsedFlag> given;  // flags on the command line, in --help order

  bool warnings_as_errors = false;
  // Of validate: exactly one is written to standard output (text by default), and no two to the
  // same file.
  std::vector<ReportOutput> outputs;
  std::string output_directory;  // for schema; empty: standard output
  ObjectFormat object_format = ObjectFormat::kYaml;
  ListFormat list_format = ListFormat::kText;
  Colour colour = Colour::kAuto;
  bool quiet = false;
  unsigned jobs = 0;    // 0: as many as the CPU quota allows
  unsigned rounds = 5;  // for bench

  // The argument of status (a name; empty: all), explain (a rule id), replay and policy check (a
  // file, "-" for standard input), completion (a shell), help (a topic) and schema (a kind; empty:
  // all).
  std::string argument;
  // Words to complete for __complete: those after the program's name, the last one unfinished.
  std::vector<std::string> words;
};

// Printed on standard error instead of running, with exit code 2: one line, including its line
// feed.
struct UsageError {
  std::string text;
};

// Parses the arguments after the program's name. Options may be anywhere after the command, as
// `--name VALUE`, `--name=VALUE`, `-n VALUE` or `-nVALUE`; `--` ends them. The last value of a
// single-valued option counts. Stops at the first error. `--help` gives Command::kHelp with the
// command as its topic; no arguments give Command::kHelp. Reads nothing else.
std::variant<Options, UsageError> parse_options(std::span<const char* const> arguments);

// The --help page: for an empty topic the overview, else the page of that command. At most 100
// columns. Empty if the command does not exist.
std::string help_text(std::string_view topic);

// Whether to colour a stream's output; `no_color` is true if the environment disables colours.
bool should_use_colours(Colour wanted, bool is_terminal, bool no_color);

}  // namespace dynamo::cli
