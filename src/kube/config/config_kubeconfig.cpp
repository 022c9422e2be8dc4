#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "json/document.hpp"
#include "json/writer.hpp"
#include "json/yaml.hpp"
#include "kube/config/config.hpp"
#include "kube/config/config_server.hpp"
#include "kube/config/credentials_files.hpp"
#include "kube/config/exec_plugin.hpp"
#include "kube/config/tls.hpp"
#include "text/base64.hpp"

namespace dynamo::kube {
namespace {

constexpr std::size_t kMaxKubeconfigBytes = std::size_t{4} << 20U;

// One of the kubeconfig files.
struct File {
  std::string path;
  std::string directory;
  json::Document document;
};

// An entry of a list such as `users`, with its name in messages.
struct Entry {
  json::Value value;
  std::string field;  // "FILE: users[\"dev\"].user"
  const File* file = nullptr;
};

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

std::string resolved(std::string_view path, const File& file) {
  if (path.empty() || path.starts_with('/')) return std::string(path);
  return file.directory + std::string(path);
}

Result<std::optional<File>> read_one(const std::string& path) {
  auto text = read_file_if_any(path, kMaxKubeconfigBytes, "");
  if (!text) return text.error();
  if (!*text) return std::optional<File>();
  File file{path, directory_of(path), {}};
  json::YamlReader reader(**text);
  const auto read = reader.next(file.document);
  if (read == json::YamlReader::ReadResult::kError)
    return config_error(path, reader.error().message());
  if (read == json::YamlReader::ReadResult::kEnd) return config_error(path, "must not be empty");
  if (!file.document.root().is_object()) {
    return config_error(path, "must be a kubeconfig, an object with clusters, users and contexts");
  }
  json::Document more;
  if (reader.next(more) != json::YamlReader::ReadResult::kEnd) {
    return config_error(path, "must hold one document, has more");
  }
  return std::optional<File>(std::move(file));
}

class Kubeconfig {
 public:
  static Result<Kubeconfig> read(std::string_view paths) {
    Kubeconfig all;
    all.paths_ = paths;
    while (!paths.empty()) {
      const std::size_t colon = std::min(paths.find(':'), paths.size());
      const std::string path(paths.substr(0, colon));
      paths.remove_prefix(std::min(colon + 1, paths.size()));
      if (path.empty()) continue;
      auto file = read_one(path);
      if (!file) return file.error();
      if (*file) all.files_.push_back(std::move(**file));
    }
    if (all.files_.empty()) {
      return config_error(all.paths_.empty() ? "kubeconfig" : all.paths_, "must exist");
    }
    return all;
  }

  // The current context and the file that names it.
  std::pair<std::string, std::string> current_context() const {
    for (const File& file : files_) {
      const auto name = file.document.root()["current-context"].string_or_empty();
      if (!name.empty()) return {std::string(name), file.path};
    }
    return {};
  }

  // `list` such as "users", `member` such as "user".
  Result<Entry> find(std::string_view list, std::string_view member, const std::string& name,
                     std::string_view asked_by) const {
    for (const File& file : files_) {
      for (const json::Value each : file.document.root()[list].elements()) {
        if (each["name"].string() != std::string_view(name)) continue;
        Entry entry;
        entry.field =
            file.path + ": " + std::string(list) + "[" + name + "]." + std::string(member);
        entry.file = &file;
        entry.value = each[member];
        if (!entry.value.is_nothing() && !entry.value.is_object()) {
          return config_error(entry.field, "must be an object");
        }
        return entry;
      }
    }
    return config_error(asked_by, "names " + std::string(member) + " \"" + name +
                                      "\", which must be among " + std::string(list) +
                                      ", and is not");
  }

  const std::string& paths() const { return paths_; }

 private:
  std::string paths_;
  std::deque<File> files_;  // entries point into it
};

// A member that must be a string if present; empty if absent.
Result<std::string> text_of(const Entry& entry, std::string_view name) {
  const json::Value value = entry.value[name];
  if (value.is_nothing()) return std::string();
  const auto text = value.string();
  if (!text) return config_error(entry.field + "." + std::string(name), "must be a string");
  return std::string(*text);
}

bool is_set(json::Value value) {
  if (value.is_nothing()) return false;
  if (const auto flag = value.boolean()) return *flag;
  if (const auto text = value.string()) return !text->empty();
  return !(value.is_array() || value.is_object()) || value.size() > 0;
}

// Unsupported fields, and what to use instead. Ignoring them would change our identity or trust.
struct UnsupportedField {
  std::string_view name;
  std::string_view instead;
};
constexpr UnsupportedField kUnsupportedClusterFields[] = {
    {"insecure-skip-tls-verify",
     "must not be set; give the CA of the server in certificate-authority-data"},
    {"proxy-url", "must not be set; proxies are not supported"},
};
constexpr UnsupportedField kUnsupportedUserFields[] = {
    {"username", "must not be set; API servers take no passwords any more"},
    {"password", "must not be set; API servers take no passwords any more"},
    {"auth-provider", "must not be set; use the exec plugin that took its place"},
    {"as", "must not be set; impersonation is not supported"},
    {"as-uid", "must not be set; impersonation is not supported"},
    {"as-groups", "must not be set; impersonation is not supported"},
    {"as-user-extra", "must not be set; impersonation is not supported"},
};

template <std::size_t Count>
Result<void> check_unsupported(const Entry& entry, const UnsupportedField (&fields)[Count]) {
  for (const UnsupportedField& each : fields) {
    if (!is_set(entry.value[each.name])) continue;
    return config_error(entry.field + "." + std::string(each.name), each.instead);
  }
  return {};
}

// `name` or `name`-data, which takes precedence.
Result<PemSource> pem_of(const Entry& entry, const std::string& name) {
  PemSource source;
  auto data = text_of(entry, name + "-data");
  if (!data) return data.error();
  auto file = text_of(entry, name);
  if (!file) return file.error();
  if (!data->empty()) {
    source.origin = entry.field + "." + name + "-data";
    auto pem = text::decode_base64(*data);
    if (!pem || pem->empty()) return config_error(source.origin, "must be base64 of PEM text");
    source.data = std::move(*pem);
  } else if (!file->empty()) {
    source.file = resolved(*file, *entry.file);
    source.origin = entry.field + "." + name + ": " + source.file;
    const std::string field = entry.field + "." + name;
    if (auto read = read_file(source.file, kMaxCredentialBytes, field); !read) return read.error();
  }
  return source;
}

Result<void> read_cluster(const Entry& cluster, ConnectionConfig& config) {
  if (auto good = check_unsupported(cluster, kUnsupportedClusterFields); !good) return good;
  auto server = text_of(cluster, "server");
  if (!server) return server.error();
  if (auto read = read_server(*server, cluster.field + ".server", config); !read) return read;
  auto name = text_of(cluster, "tls-server-name");
  if (!name) return name.error();
  config.server_name = std::move(*name);
  auto ca = pem_of(cluster, "certificate-authority");
  if (!ca) return ca.error();
  config.ca = std::move(*ca);
  return {};
}

// The JSON with the cluster for an exec plugin.
std::string cluster_info(const Entry& cluster, const ConnectionConfig& config) {
  std::string text;
  json::Writer out(text);
  out.start_object();
  out.member("server", cluster.value["server"].string_or_empty());
  if (!config.server_name.empty()) out.member("tls-server-name", config.server_name);
  std::string ca = config.ca.data;
  if (ca.empty() && !config.ca.file.empty()) {
    if (auto read = read_file(config.ca.file, kMaxCredentialBytes, "")) ca = std::move(*read);
  }
  if (!ca.empty()) out.member("certificate-authority-data", text::encode_base64(ca));
  for (const json::Value each : cluster.value["extensions"].elements()) {
    if (each["name"].string_or_empty() != "client.authentication.k8s.io/exec") continue;
    if (each["extension"].exists()) out.key("config").value(each["extension"]);
  }
  out.end_object();
  return text;
}

Result<void> read_exec_lists(const Entry& exec, ExecConfig& config) {
  const json::Value arguments = exec.value["args"];
  if (!arguments.is_nothing() && !arguments.is_array()) {
    return config_error(exec.field + ".args", "must be a list of strings");
  }
  for (const json::Value each : arguments.elements()) {
    const auto text = each.string();
    if (!text || text->find('\0') != std::string_view::npos) {
      return config_error(exec.field + ".args", "must be a list of strings");
    }
    config.arguments.emplace_back(*text);
  }
  const json::Value variables = exec.value["env"];
  if (!variables.is_nothing() && !variables.is_array()) {
    return config_error(exec.field + ".env", "must be a list of name and value");
  }
  for (const json::Value each : variables.elements()) {
    const auto name = each["name"].string();
    const auto value = each["value"].string();
    if (!name || name->empty() ||
        name->find_first_of(std::string_view("=\0", 2)) != std::string_view::npos || !value ||
        value->find('\0') != std::string_view::npos) {
      return config_error(exec.field + ".env", "must be a list of name and value");
    }
    config.environment.emplace_back(*name, *value);
  }
  return {};
}

Result<void> read_exec(const Entry& user, const Entry& cluster, ConnectionConfig& config) {
  Entry exec = user;
  exec.field = user.field + ".exec";
  exec.value = user.value["exec"];
  if (exec.value.is_nothing()) return {};
  if (!exec.value.is_object()) return config_error(exec.field, "must be an object");
  ExecConfig result;
  result.origin = exec.field;
  auto version = text_of(exec, "apiVersion");
  if (!version) return version.error();
  if (*version != "client.authentication.k8s.io/v1" &&
      *version != "client.authentication.k8s.io/v1beta1") {
    return config_error(exec.field + ".apiVersion",
                        "must be client.authentication.k8s.io/v1 or …/v1beta1");
  }
  result.api_version = std::move(*version);
  auto command = text_of(exec, "command");
  if (!command) return command.error();
  if (command->empty() || command->find('\0') != std::string::npos) {
    return config_error(exec.field + ".command", "must name a program");
  }
  const bool is_path = command->find('/') != std::string::npos;
  result.command = is_path ? resolved(*command, *exec.file) : std::move(*command);
  if (auto read = read_exec_lists(exec, result); !read) return read;
  auto hint = text_of(exec, "installHint");
  if (!hint) return hint.error();
  result.install_hint = std::move(*hint);
  if (exec.value["interactiveMode"].string_or_empty() == "Always") {
    return config_error(exec.field + ".interactiveMode",
                        "must be Never or IfAvailable; there is no terminal to ask on");
  }
  if (is_set(exec.value["provideClusterInfo"])) {
    result.cluster_info = cluster_info(cluster, config);
  }
  config.exec = std::move(result);
  return {};
}

Result<void> read_client_certificate(const Entry& user, ConnectionConfig& config) {
  auto certificate = pem_of(user, "client-certificate");
  if (!certificate) return certificate.error();
  auto key = pem_of(user, "client-key");
  if (!key) return key.error();
  if (certificate->empty() != key->empty()) {
    return config_error(user.field + (key->empty() ? ".client-key" : ".client-certificate"),
                        "must be set, or -data; certificate and key belong together");
  }
  config.client_certificate = std::move(*certificate);
  config.client_key = std::move(*key);
  return {};
}

Result<void> read_user(const Entry& user, const Entry& cluster, ConnectionConfig& config) {
  if (auto good = check_unsupported(user, kUnsupportedUserFields); !good) return good;
  auto token = text_of(user, "token");
  if (!token) return token.error();
  if (!std::ranges::all_of(*token, [](char each) { return each > ' ' && each < '\x7f'; })) {
    return config_error(user.field + ".token", "must consist of visible ASCII characters");
  }
  config.token = std::move(*token);
  auto token_file = text_of(user, "tokenFile");
  if (!token_file) return token_file.error();
  if (!token_file->empty()) {
    config.token_file = resolved(*token_file, *user.file);
    auto read = read_file(config.token_file, kMaxCredentialBytes, user.field + ".tokenFile");
    if (!read) return read.error();
  }
  if (auto read = read_client_certificate(user, config); !read) return read;
  return read_exec(user, cluster, config);
}

// Loads certificates and key once, so that errors are reported at the start.
Result<void> try_tls(const ConnectionConfig& config, const runtime::Clock& clock) {
  if (!config.tls) return {};
  TlsMaterial material;
  auto ca = read_pem(config.ca);
  auto certificate = read_pem(config.client_certificate);
  auto key = read_pem(config.client_key);
  for (const auto* each : {&ca, &certificate, &key}) {
    if (!*each) return each->error();
  }
  if (!config.ca.empty() && ca->empty()) {
    return config_error(config.ca.origin, "must hold a PEM certificate, has none");
  }
  material.ca_pem = std::move(*ca);
  material.ca_origin = config.ca.origin;
  material.certificate_pem = std::move(*certificate);
  material.certificate_origin = config.client_certificate.origin;
  material.key_pem = std::move(*key);
  material.key_origin = config.client_key.origin;
  auto context = build_client_context(material, clock.wall());
  if (!context) return context.error();
  return {};
}

}  // namespace

Result<ConnectionConfig> load_kubeconfig(std::string_view path, std::string_view context,
                                         const runtime::Clock& clock, std::string_view source) {
  auto all = Kubeconfig::read(path);
  if (!all) {
    kube::Error error = all.error();
    if (!source.empty()) error.text += " (" + std::string(source) + ')';
    return error;
  }

  ConnectionConfig config;
  std::string asked_by = "the context that was asked for";
  config.context = context;
  if (context.empty()) {
    auto [name, file] = all->current_context();
    if (name.empty()) {
      return config_error(all->paths() + ": current-context",
                          "must name a context, or one must be asked for");
    }
    config.context = std::move(name);
    asked_by = file + ": current-context";
  } else {
    asked_by = all->paths() + ": the context that was asked for";
  }
  auto chosen = all->find("contexts", "context", config.context, asked_by);
  if (!chosen) return chosen.error();
  auto cluster_name = text_of(*chosen, "cluster");
  if (!cluster_name) return cluster_name.error();
  auto user_name = text_of(*chosen, "user");
  if (!user_name) return user_name.error();
  auto namespace_name = text_of(*chosen, "namespace");
  if (!namespace_name) return namespace_name.error();
  config.namespace_name = std::move(*namespace_name);
  if (cluster_name->empty()) {
    return config_error(chosen->field + ".cluster", "must name a cluster");
  }
  auto cluster = all->find("clusters", "cluster", *cluster_name, chosen->field + ".cluster");
  if (!cluster) return cluster.error();
  if (auto read = read_cluster(*cluster, config); !read) return read.error();
  // A context without a user is anonymous, as behind `kubectl proxy`.
  if (!user_name->empty()) {
    auto user = all->find("users", "user", *user_name, chosen->field + ".user");
    if (!user) return user.error();
    if (auto read = read_user(*user, *cluster, config); !read) return read.error();
  }
  if (auto good = try_tls(config, clock); !good) return good.error();
  return config;
}

}  // namespace dynamo::kube
