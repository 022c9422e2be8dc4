// The commands of kubectl-dynamo: one function per command.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/input/inputs.hpp"
#include "cli/options/options.hpp"
#include "cli/report/streams.hpp"

namespace dynamo::cli {

struct Summary;

// Prints why a command cannot run, with the program's name before each line of `reason`; returns
// kExitUnusable.
int refuse(Streams& streams, std::string_view reason);

// Prints one line each for skipped chart templates and kustomization patches, and for places
// without manifests.
void report_skipped_inputs(const std::vector<std::string>& charts,
                           const std::vector<std::string>& patches,
                           const std::vector<std::string>& notes, Streams& streams);

// The kubeconfig for `status` and `doctor`. Empty: they run inside a pod and use its account,
// unless a file or one of its contexts is selected.
std::string kubeconfig_of(const Options& options, const ClusterLocation& cluster);

// Where the path of the kubeconfig comes from, for errors about it.
std::string kubeconfig_source_of(const Options& options, const ClusterLocation& cluster);

// Prints how many objects were skipped because of their kind or API version. Prints nothing with
// --quiet.
void report_left_out(const Summary& summary, const Options& options, Streams& streams);

// The inputs that the options name. Prints what was skipped, unless --quiet.
std::vector<Input> wanted_inputs(const Options& options, Streams& streams);

// Runs options.command. Never throws: an exception from a command is a bug, reported in one line.
int run(const Options& options, Streams& streams);

// Each returns an exit code. Requested output goes to `out`, one line about an error to `err`.
int run_validate(const Options& options, Streams& streams);
int run_default(const Options& options, Streams& streams);
int run_convert(const Options& options, Streams& streams);
int run_render(const Options& options, Streams& streams);
int run_diff(const Options& options, Streams& streams);
int run_explain(const Options& options, Streams& streams);
int run_rules(const Options& options, Streams& streams);
int run_replay(const Options& options, Streams& streams);
int run_policy(const Options& options, Streams& streams);
int run_config(const Options& options, Streams& streams);
int run_schema(const Options& options, Streams& streams);
int run_lsp(const Options& options, Streams& streams);
int run_doctor(const Options& options, Streams& streams);
int run_status(const Options& options, Streams& streams);
int run_bench(const Options& options, Streams& streams);
int run_completion(const Options& options, Streams& streams);
int run_complete(const Options& options, Streams& streams);
int run_man(const Options& options, Streams& streams);
int run_version(const Options& options, Streams& streams);
int run_help(const Options& options, Streams& streams);

}  // namespace dynamo::cli
