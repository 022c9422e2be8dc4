#include "cli/commands/commands.hpp"

#include <algorithm>
#include <exception>
#include <ostream>
#include <utility>

#include "cli/options/configuration.hpp"
#include "cli/report/wording.hpp"

namespace dynamo::cli {
namespace {

int dispatch(const Options& options, Streams& streams) {
  switch (options.command) {
    case Command::kValidate:
      return run_validate(options, streams);
    case Command::kDefault:
      return run_default(options, streams);
    case Command::kConvert:
      return run_convert(options, streams);
    case Command::kRender:
      return run_render(options, streams);
    case Command::kDiff:
      return run_diff(options, streams);
    case Command::kExplain:
      return run_explain(options, streams);
    case Command::kRules:
      return run_rules(options, streams);
    case Command::kReplay:
      return run_replay(options, streams);
    case Command::kPolicy:
      return run_policy(options, streams);
    case Command::kConfig:
      return run_config(options, streams);
    case Command::kSchema:
      return run_schema(options, streams);
    case Command::kLsp:
      return run_lsp(options, streams);
    case Command::kDoctor:
      return run_doctor(options, streams);
    case Command::kStatus:
      return run_status(options, streams);
    case Command::kBench:
      return run_bench(options, streams);
    case Command::kCompletion:
      return run_completion(options, streams);
    case Command::kMan:
      return run_man(options, streams);
    case Command::kVersion:
      return run_version(options, streams);
    case Command::kHelp:
      return run_help(options, streams);
    case Command::kComplete:
      return run_complete(options, streams);
  }
  return kExitDefect;
}

// `validate`, `config` and `lsp` read the configuration themselves. `replay` reads none: it answers
// like a server with its options, which knows no repository.
bool reads_manifests(Command command) {
  return command == Command::kDefault || command == Command::kRender || command == Command::kDiff ||
         command == Command::kBench;
}

}  // namespace

int refuse(Streams& streams, std::string_view reason) {
  while (true) {
    const std::size_t end = reason.find('\n');
    // A quoted line of a file has no program name before it.
    if (!reason.starts_with(' ')) streams.err << kProgramName << ": ";
    std::string printable;
    append_printable(printable, reason.substr(0, end), true);
    streams.err << printable << '\n';
    if (end == std::string_view::npos) return kExitUnusable;
    reason.remove_prefix(end + 1);
  }
}

void report_skipped_inputs(const std::vector<std::string>& charts,
                           const std::vector<std::string>& patches,
                           const std::vector<std::string>& notes, Streams& streams) {
  for (const std::string& note : notes) {
    std::string printable;
    append_printable(printable, note);
    streams.err << kProgramName << ": " << printable << '\n';
  }
  if (!charts.empty()) {
    streams.err << kProgramName << ": skipped the templates of " << count_of(charts.size(), "chart")
                << " (" << first_few(charts)
                << "); to check what a chart renders: `helm template CHART | " << kInvocation
                << " validate -f -`\n";
  }
  if (!patches.empty()) {
    streams.err << kProgramName << ": skipped " << count_of(patches.size(), "file")
                << (patches.size() == 1 ? " that a kustomization names as its patch ("
                                        : " that kustomizations name as patches (")
                << first_few(patches) << "); to check what they make: `kubectl kustomize DIR | "
                << kInvocation << " validate -f -`\n";
  }
}

std::string kubeconfig_of(const Options& options, const ClusterLocation& cluster) {
  if (!options.kubeconfig.empty()) return options.kubeconfig;
  const bool is_of_a_file = cluster.service_host.empty() || !options.kube_context.empty();
  return is_of_a_file ? cluster.kubeconfig : "";
}

std::string kubeconfig_source_of(const Options& options, const ClusterLocation& cluster) {
  return options.kubeconfig.empty() ? cluster.kubeconfig_source : "from --kubeconfig";
}

void report_left_out(const Summary& summary, const Options& options, Streams& streams) {
  if (options.quiet) return;
  if (summary.ignored > 0) {
    streams.err << kProgramName << ": left out " << summary.ignored
                << (summary.ignored == 1 ? " object of another kind\n"
                                         : " objects of other kinds\n");
  }
  if (summary.other_versions > 0) {
    streams.err << kProgramName << ": left out " << other_versions_text(summary) << '\n';
  }
}

std::vector<Input> wanted_inputs(const Options& options, Streams& streams) {
  ListedInputs listed = list_inputs(query_of(options));
  if (!options.quiet) report_skipped_inputs(listed.charts, listed.patches, listed.notes, streams);
  return std::move(listed.inputs);
}

int run(const Options& options, Streams& streams) {
  try {
    if (!reads_manifests(options.command)) return dispatch(options, streams);
    const auto found = with_configuration(options);
    if (const auto* const reason = std::get_if<std::string>(&found)) {
      return refuse(streams, *reason);
    }
    return dispatch(std::get<ResolvedOptions>(found).options, streams);
  } catch (const std::exception& error) {
    streams.err << kProgramName << ": a defect of this program, please report it: " << error.what()
                << '\n';
  } catch (...) {
    streams.err << kProgramName << ": a defect of this program, please report it\n";
  }
  return kExitDefect;
}

}  // namespace dynamo::cli
