// Address of the API server and our identity: from a kubeconfig, or from the environment of a pod.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/object/error.hpp"
#include "runtime/clock.hpp"

namespace dynamo::kube {

// PEM text, or a file that contains it and is reread when it changes; both empty if absent.
struct PemSource {
  std::string data;
  std::string file;
  std::string origin;  // its name in messages: "FILE" or "KUBECONFIG: FIELD"
  bool empty() const { return data.empty() && file.empty(); }
};

// A program that provides credentials (client.authentication.k8s.io).
struct ExecConfig {
  std::string api_version;  // v1 or v1beta1, with the group
  std::string command;      // with a slash: a path; otherwise searched in PATH
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;  // in addition to our own
  std::string install_hint;
  // The JSON of spec.cluster that the program receives; empty: none.
  std::string cluster_info;
  std::string origin;  // "KUBECONFIG: FIELD"
};

// Contains secrets: never print it. Only load_kubeconfig(), load_in_cluster() and tests create one;
// their checks are not repeated later.
struct ConnectionConfig {
  bool tls = true;   // false only for loopback
  std::string host;  // name or address, without brackets
  std::string port;  // decimal
  // prefix of every path, such as "/k8s/clusters/c-1"; without a trailing slash
  std::string prefix;
  std::string server_name;  // the name that the server's certificate must contain; empty: `host`
  PemSource ca;             // empty: the system's roots
  PemSource client_certificate;
  PemSource client_key;
  std::string token;
  std::string token_file;  // takes precedence over `token`
  std::optional<ExecConfig> exec;
  // Namespace of the context or of the pod; empty if neither specifies one.
  std::string namespace_name;
  // Name of the context; empty in the cluster.
  std::string context;

  // "https://10.96.0.1:443", for messages.
  std::string address() const;
};

// Reads one kubeconfig, or several separated by colons as in KUBECONFIG. Of several entries with
// one name the first is used. Missing files are skipped if at least one exists. An empty `context`
// means the current one. Paths are relative to the directory of their file. Errors are of kind
// kConfig and name file and field; insecure and unsupported settings are errors, never ignored.
// `clock` is used to check the validity of the client's certificate. Referenced files are read, so
// that a missing one is reported immediately. An error about a whole file ends with `source`, the
// origin of the path: "from KUBECONFIG".
Result<ConnectionConfig> load_kubeconfig(std::string_view path, std::string_view context,
                                         const runtime::Clock& clock, std::string_view source = {});

// Where a pod finds its service account.
inline constexpr std::string_view kServiceAccountDirectory =
    "/var/run/secrets/kubernetes.io/serviceaccount";

// `directory` contains token, ca.crt and namespace; `host` and `port` are the values of
// KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT.
Result<ConnectionConfig> load_in_cluster(std::string_view directory, std::string_view host,
                                         std::string_view port);

}  // namespace dynamo::kube
