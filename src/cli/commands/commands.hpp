// What kubectl-dynamo can do: one function per command.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "cli/input/inputs.hpp"
#include "cli/options/options.hpp"

namespace dynamo::cli {

struct Summary;

// The exit codes of every command; scripts rely on them.
enum ExitCode : int {
  kExitValid = 0,  // everything is valid, or what was asked for was printed
  kExitInvalid =
      1,  // an object would be refused (or warns, with --warnings-as-errors), or a policy
  kExitUnusable = 2,  // a mistake in the command line, or an input that could not be read
  kExitDefect = 3,    // a defect of this program
};

// Where a cluster is, as the environment says.
struct ClusterSurroundings {
  std::string kubeconfig;         // of KUBECONFIG, or in the home directory; empty: there is none
  std::string kubeconfig_source;  // for errors: "from KUBECONFIG", or "the default path"
  std::string service_host;       // KUBERNETES_SERVICE_HOST, which pods are given
  std::string service_port;
};

// Where a command reads and writes. The streams are those of the process, or a test's.
struct Streams {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool no_color = false;    // the environment sets NO_COLOR to something, or TERM to dumb
  bool is_dumb = false;     // TERM is dumb: no terminal obeys
  std::string workspace{};  // GITHUB_WORKSPACE of the environment; empty: not set
  ClusterSurroundings cluster{};
};

// Prints why a command cannot do its work, each line of `reason` behind the program's name; answers
// kExitUnusable.
int refuse(Streams& streams, std::string_view reason);

// Says in a line each which charts' templates and which patches of kustomizations were passed over,
// and where there was nothing.
void tell_passed_over(const std::vector<std::string>& charts,
                      const std::vector<std::string>& patches,
                      const std::vector<std::string>& notes, Streams& streams);

// The kubeconfig by which `status` and `doctor` find a cluster; empty: they look from within a pod,
// whose account is what counts there unless a file, or a context of one, is asked for.
std::string kubeconfig_of(const Options& options, const ClusterSurroundings& cluster);

// Where the path of the kubeconfig comes from, for errors about it.
std::string kubeconfig_source_of(const Options& options, const ClusterSurroundings& cluster);

// Says how many objects were left out because this program does not know them, unless it is to be
// quiet.
void tell_left_out(const Summary& summary, const Options& options, Streams& streams);

// The inputs that the options name. Says what was passed over, unless it is to be quiet.
std::vector<Input> wanted_inputs(const Options& options, Streams& streams);

// Runs options.command. Never throws: what a command throws is a defect, told in one line.
int run(const Options& options, Streams& streams);

// Each returns an exit code. Text for people who asked for it goes to `out`, one line about what
// went wrong to `err`.
int run_validate(const Options& options, Streams& streams);
int run_default(const Options& options, Streams& streams);
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
