// The streams of a command, its settings from the environment, and the exit codes.
#pragma once

#include <iosfwd>
#include <string>

namespace dynamo::cli {

// The exit codes of every command; scripts rely on them.
enum ExitCode : int {
  kExitValid = 0,  // everything is valid, or the requested output was printed
  kExitInvalid =
      // an object would be refused (or warns, with --warnings-as-errors), a policy is invalid, or
      // an object cannot be rendered completely
  1,
  kExitUnusable = 2,  // invalid command line, or an input that could not be read
  kExitDefect = 3,    // a bug in this program
};

// Cluster settings from the environment.
struct ClusterLocation {
  std::string kubeconfig;         // of KUBECONFIG, or in the home directory; empty: there is none
  std::string kubeconfig_source;  // for errors: "from KUBECONFIG", or "the default path"
  std::string service_host;       // KUBERNETES_SERVICE_HOST, which Kubernetes sets in pods
  std::string service_port;
};

// Input and output of a command. The streams are those of the process, or of a test.
struct Streams {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool no_color = false;    // NO_COLOR is not empty, or TERM is dumb
  bool is_dumb = false;     // TERM is dumb: the terminal has no escape sequences
  std::string workspace{};  // GITHUB_WORKSPACE; empty: not set
  ClusterLocation cluster{};
};

}  // namespace dynamo::cli
