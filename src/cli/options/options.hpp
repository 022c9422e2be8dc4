// The command line of kubectl-dynamo: what can be asked for, and how it is read and explained.
// Commands and options stand in one table each: commands_table.cpp and options_table.cpp.
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
#include "cli/formats/report.hpp"
#include "reconciler/child_options.hpp"
#include "runtime/flag_table.hpp"

namespace dynamo::cli {

inline constexpr std::string_view kProgramName = "kubectl-dynamo";  // the file
inline constexpr std::string_view kInvocation = "kubectl dynamo";   // how people call it

// In the order of --help.
enum class Command : unsigned char {
  kValidate,
  kDefault,
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
  kComplete,  // __complete, asked by shells; not shown
};

// Where one report of `validate` goes.
struct ReportOutput {
  Format format = Format::kText;
  std::string file;  // empty: standard output

  bool operator==(const ReportOutput&) const = default;
};

// What the operator makes of a graph, as what the cluster serves: with Grove its pod cliques, else
// with LeaderWorkerSet and Volcano leader-worker sets, else Deployments.
struct Pathway {
  api::Fact grove_served = api::Fact::kUnknown;
  api::Fact leader_worker_set_served = api::Fact::kUnknown;

  bool operator==(const Pathway&) const = default;
};

enum class ObjectFormat : unsigned char { kYaml, kJson };  // of `default` and `render`
enum class ListFormat : unsigned char {
  kText,
  kJson
};  // of `explain`, `rules`, `replay`, `policy`, `doctor`, `status`, `bench`
enum class Colour : unsigned char { kAuto, kAlways, kNever };

// One member per option, under the option's name; a command reads those that its rows in the table
// name. The values below are the defaults of the table. Of render and diff also how the operator is
// started, as its own flags say it.
struct Options : reconciler::ChildOptions {
  Command command = Command::kHelp;

  // What is to be judged: of -f and of the positional arguments, in this order. "-" is standard
  // input and stands at most once. Never empty for validate, default and bench.
  std::vector<std::string> filenames;
  bool recursive = false;
  std::vector<std::string> excluded;       // --exclude, globs of names in a directory
  std::string excluded_from;               // of a configuration: Exclusion::from
  bool as_found = false;                   // named files count as found in their directories
  bool strict_versions = false;            // other API versions than the judged one are faults
  bool require_objects = false;            // nothing to judge is exit code 1
  bool fix = false;                        // files are mended before they are judged
  bool diff = false;                       // with `fix`: what would change is shown, and no more
  std::string namespace_name = "default";  // of objects that name none
  bool namespace_is_configured = false;    // by a configuration

  // At most one of these is given.
  std::string old_path;  // --old FILE|DIR; empty: not given
  std::string against;   // --against GIT-REF; empty: not given

  // What a verdict may depend on.
  std::optional<std::string> user;
  std::string namespace_scope;  // api::Settings::restricted_namespace; empty: the whole cluster
  std::string policy_file;      // empty: none
  std::optional<std::chrono::system_clock::time_point> now;  // nothing: the clock
  std::string operator_version;                              // empty: not said
  std::optional<api::ServiceAccount> operator_service_account;
  api::Fact inference_pool = api::Fact::kUnknown;
  Pathway pathway;
  std::optional<int> kubernetes_minor;  // of --kubernetes-version; nothing: not said
  api::OperatorGeneration operator_generation = api::OperatorGeneration::kUnknown;
  bool operator_replaced = false;
  // How services of a graph that says nothing find each other: is it Kubernetes?
  api::Fact discovery_backend = api::Fact::kUnknown;

  // Of status.
  std::string shown_namespace;  // empty: that of the context
  bool all_namespaces = false;
  bool show_all = false;
  bool watch = false;

  // Of doctor; the first two of status, render and diff, too: these ask no cluster when both are
  // empty.
  std::string kubeconfig;                      // empty: what the surroundings say
  std::string kube_context;                    // empty: the current one
  std::string secret;                          // NAMESPACE/NAME; empty: none
  std::string service_account;                 // NAMESPACE/NAME; empty: whoever asks
  std::string keeper_service_account;          // NAMESPACE/NAME; empty: there is no keeper
  std::string dry_run_namespace;               // empty: the restricted one, else "default"
  std::string restricted_namespace;            // empty: the server judges the whole cluster
  std::vector<std::string> cluster_lookups;    // as api::is_lookup() has them
  bool inject_crds = false;                    // the same
  std::vector<std::string> reconciler_leases;  // NAMESPACE/NAME
  std::string operator_lease;                  // NAMESPACE/NAME; empty: the usual one only
  std::vector<std::string> lease_namespaces;   // the same
  std::vector<std::string> lease_holders;      // the same
  std::chrono::seconds lease_max_duration{std::chrono::minutes(5)};  // the same

  // What is heard; see choice.hpp.
  std::vector<std::string> only_rules;     // --only, ids or globs; empty: all
  std::vector<std::string> skipped_rules;  // --skip
  Level least_severity = Level::kWarning;
  bool errors_only = false;
  bool no_ignores = false;                // annotations excuse nothing
  std::string baseline_file;              // empty: none
  std::string write_baseline_file;        // the same
  std::string config_file;                // --config: a file or "none"; empty: looked for
  std::string config_from;                // --config-from, a git reference; empty: the file system
  std::vector<runtime::GivenFlag> given;  // what the command line names, in the order of --help

  bool warnings_as_errors = false;
  // Of validate: exactly one goes to standard output (text, if no other was asked for), and no two
  // to one file.
  std::vector<ReportOutput> outputs;
  std::string output_directory;  // of schema; empty: standard output
  ObjectFormat object_format = ObjectFormat::kYaml;
  ListFormat list_format = ListFormat::kText;
  Colour colour = Colour::kAuto;
  bool quiet = false;
  unsigned jobs = 0;    // 0: as many as the CPU quota allows
  unsigned rounds = 5;  // of bench

  // The argument of status (a name; empty: all), explain (a rule id), replay and policy check (a
  // file, "-" for standard input) and completion (a shell), the topic of help and the kind of
  // schema (empty: all of it).
  std::string argument;
  // What __complete is to complete: the words after the program's name, the last one unfinished.
  std::vector<std::string> words;
};

// What the program must print on standard error instead of running, with exit code 2: one line,
// with its newline.
struct UsageError {
  std::string text;
};

// Reads the arguments after the program's name. Options stand anywhere after the command, as
// `--name VALUE`, `--name=VALUE`, `-n VALUE` or `-nVALUE`; of an option that may be given once the
// last one counts; `--` ends them. The first mistake ends it. `--help` gives Command::kHelp with
// the command as its topic, no arguments at all give Command::kHelp. Reads nothing else.
std::variant<Options, UsageError> parse_options(std::span<const char* const> arguments);

// The page of --help: of everything for an empty topic, else of that command. At most 100 columns.
// Empty when no command has this name.
std::string help_text(std::string_view topic);

// Whether to colour what goes to a stream: `no_color` is whether the environment asks for none.
bool use_colours(Colour wanted, bool is_terminal, bool no_color);

}  // namespace dynamo::cli
