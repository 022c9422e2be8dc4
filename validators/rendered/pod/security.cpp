// Security contexts of pods and containers.
#include <algorithm>
#include <limits>
#include <optional>

#include "validators/content/container_syntax.hpp"
#include "validators/rendered/pod/visit.hpp"
#include "validators/rendered/pod/vocabulary.hpp"
#include "validators/rendered/proof.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::pod {

using api::Context;

namespace {

using api::ErrorType;
using api::FieldPath;

// The minor version that introduced user namespaces. Earlier API servers drop hostUsers and
// procMount unread.
constexpr int kUsersSince = 33;

bool users_are_read(const Context& context) {
  return context.facts.kubernetes_minor.value_or(0) >= kUsersSince;
}

// Later versions may allow pods with user namespaces to share the host network.
constexpr int kLastWithoutHostNetworkUsers = 35;

void check_id(json::Value id, const FieldPath& path, Report& report) {
  constexpr std::int64_t kGreatest = std::numeric_limits<std::int32_t>::max();
  const auto number = id.integer();
  if (!number || (*number >= 0 && *number <= kGreatest)) return;
  report.add(ErrorType::kInvalid, path,
             "must be between 0 and 2147483647; found " + std::to_string(*number));
}

// Checks a seccomp or AppArmor profile.
void check_profile(json::Value profile, const FieldPath& path, bool relative, Report& report) {
  if (!profile.is_object()) return;
  const std::string_view type = profile["type"].string_or_empty();
  const json::Value local = profile["localhostProfile"];
  if (type.empty()) {
    report.add(ErrorType::kRequired, path.child("type"), "must be set, such as RuntimeDefault");
  }
  check_spelling(profile["type"], kProfileTypes.words, path.child("type"), report);
  const FieldPath local_path = path.child("localhostProfile");
  if (type == "Localhost") {
    const std::string_view name = local.string_or_empty();
    if (name.empty() && (local.is_nothing() || !relative)) {
      report.add(ErrorType::kRequired, local_path, "must be set for the type Localhost");
    } else if (relative && (name.starts_with('/') || has_parent_part(name))) {
      report.add(ErrorType::kInvalid, local_path,
                 found("must be a relative path without \"..\"", name));
    }
  } else if (!local.is_nothing() &&
             std::ranges::find(kProfileTypes.words, type) != kProfileTypes.words.end()) {
    report.add(ErrorType::kInvalid, local_path,
               found("must stand with the type Localhost only", type, "remove it"));
  }
}

struct Sysctl {
  std::string_view name;
  bool of_network = false;
  bool of_ipc = false;
};

Sysctl sysctl_of(std::string_view name) {
  const auto in = [&](std::string_view dotted, std::string_view slashed) {
    return name.starts_with(dotted) || name.starts_with(slashed);
  };
  return {name, in("net.", "net/"),
          in("kernel.shm", "kernel/shm") || in("kernel.msg", "kernel/msg") ||
              in("fs.mqueue.", "fs/mqueue/") || name == "kernel.sem" || name == "kernel/sem"};
}

// Whether the name consists of lower case letters, digits, '-' and '_', in parts separated by '.'
// or '/', each beginning and ending with a letter or digit.
bool is_sysctl_name(std::string_view name) {
  constexpr std::size_t kLongest = 253;
  const auto is_end = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  if (name.empty() || name.size() > kLongest) return false;
  bool at_start = true;
  char last = '.';
  for (const char c : name) {
    const bool separator = c == '.' || c == '/';
    if (!is_end(c) && !separator && c != '-' && c != '_') return false;
    if ((at_start && !is_end(c)) || (separator && !is_end(last))) return false;
    at_start = separator;
    last = c;
  }
  return is_end(last);
}

bool is_true(json::Value value) {
  return value.boolean().value_or(false);
}
bool is_false(json::Value value) {
  return value.boolean() == false;
}

void check_sysctls(const RenderedPod& pod, json::Value context, const FieldPath& path,
                   Report& report) {
  const bool host_network = is_true(pod.pod->user["hostNetwork"]);
  const bool host_ipc = is_true(pod.pod->user["hostIPC"]);
  const FieldPath sysctls = path.child("sysctls");
  std::size_t index = 0;
  for (const json::Value entry : context["sysctls"].elements()) {
    const FieldPath at = sysctls.index(index++);
    const Sysctl sysctl = sysctl_of(entry["name"].string_or_empty());
    const FieldPath name = at.child("name");
    if (sysctl.name.empty()) {
      report.add(ErrorType::kRequired, name, "must be set");
    } else if (!is_sysctl_name(sysctl.name)) {
      report.add(
          ErrorType::kInvalid, name,
          found("must be the name of a kernel parameter, such as net.core.somaxconn", sysctl.name));
    } else if (sysctl.of_network && host_network) {
      report.add(ErrorType::kInvalid, name,
                 found("must not be one of the network when hostNetwork is true", sysctl.name));
    } else if (sysctl.of_ipc) {
      if (host_ipc) {
        report.add(ErrorType::kInvalid, name,
                   found("must not be one of IPC when hostIPC is true", sysctl.name));
      }
      if (pod.pod->host_ipc) {
        add_finding(
            report, pod.pod->checkpoint_certain, ErrorType::kInvalid, name,
            found("must not be one of IPC for a service that restores checkpoints, which first "
                  "operators give the host's",
                  sysctl.name));
      }
    }
  }
}

void check_pod_context(const RenderedPod& pod, Report& report) {
  const json::Value context = pod.pod->user["securityContext"];
  if (!context.is_object()) return;
  const render::OriginPath at(*pod.path, pod.pod->field("securityContext"));
  const FieldPath& path = at.path();
  for (const std::string_view field : {"runAsUser", "runAsGroup", "fsGroup"}) {
    check_id(context[field], path.child(field), report);
  }
  const FieldPath groups = path.child("supplementalGroups");
  std::size_t index = 0;
  for (const json::Value group : context["supplementalGroups"].elements()) {
    check_id(group, groups.index(index++), report);
  }
  if (!pod.pod->checkpoint_seccomp) {
    check_profile(context["seccompProfile"], path.child("seccompProfile"), true, report);
  }
  check_profile(context["appArmorProfile"], path.child("appArmorProfile"), false, report);
  check_spelling(context["fsGroupChangePolicy"], kGroupChangePolicies.words,
                 path.child("fsGroupChangePolicy"), report);
  check_sysctls(pod, context, path, report);
}

// The host namespaces that the pod shares.
void check_host(const Context& context, const RenderedPod& pod, Report& report) {
  const json::Value user = pod.pod->user;
  const bool host_pid = is_true(user["hostPID"]);
  const bool shared = pod.pod->share_process_namespace || is_true(user["shareProcessNamespace"]);
  if (host_pid && shared) {
    add_at(report, ErrorType::kInvalid, pod, pod.pod->field("hostPID"),
           "must not be true when the containers share their processes; found both; remove one");
  }
  if (host_pid && !shared && render::has_debug_twin(*pod.component)) {
    add_at(report, ErrorType::kInvalid, pod, pod.pod->field("hostPID"),
           "must not be true where nvidia.com/enable-stealing-traffic-debug-mode is, as the "
           "containers of the twin that takes the traffic share their processes; found both; "
           "remove one");
  }
  if (!is_false(user["hostUsers"])) return;
  const render::Origin origin = pod.pod->field("hostUsers");
  const auto refuse = [&](std::string_view field) {
    const render::OriginPath at(*pod.path, origin);
    add_finding(
        report, users_are_read(context), ErrorType::kForbidden, at.path(),
        "must not be false when the pod has " + std::string(field) + "; found both; remove one",
        about({field}));
  };
  if (host_pid) refuse("hostPID");
  if (is_true(user["hostIPC"])) refuse("hostIPC");
  if (pod.pod->host_ipc) {
    add_finding_at(
        report, users_are_read(context) && pod.pod->checkpoint_certain, ErrorType::kForbidden, pod,
        origin,
        "must not be false for a service that restores checkpoints, which first operators give "
        "hostIPC; remove it");
  }
  if (!is_true(user["hostNetwork"])) return;
  const int minor = context.facts.kubernetes_minor.value_or(kLastWithoutHostNetworkUsers + 1);
  if (minor <= kLastWithoutHostNetworkUsers) return refuse("hostNetwork");
  warn_at(report, pod, origin,
          "must not be false when the pod has hostNetwork, unless the cluster allows it; remove "
          "one");
}

void check_capabilities(json::Value capabilities, bool no_escalation, const FieldPath& path,
                        Report& report) {
  for (const std::string_view list : {"add", "drop"}) {
    const FieldPath at = path.child(list);
    std::size_t index = 0;
    for (const json::Value entry : capabilities[list].elements()) {
      const FieldPath where = at.index(index++);
      const std::string_view name = entry.string_or_empty();
      if (!name.starts_with("CAP_")) continue;
      if (list == "add" && no_escalation && name == "CAP_SYS_ADMIN") {
        report.add(ErrorType::kInvalid, where,
                   "must not be CAP_SYS_ADMIN when allowPrivilegeEscalation is false; remove one");
      } else {
        report.also_warn(where, found("must be written without CAP_, which the runtime puts in "
                                      "front",
                                      name, "remove CAP_"));
      }
    }
  }
}

void check_container(const Context& context, const RenderedPod& pod,
                     const render::Container& container, Report& report) {
  const json::Value own = container.user["securityContext"];
  if (!own.is_object()) return;
  const render::OriginPath at(*pod.path, container.field("securityContext"));
  const FieldPath& path = at.path();
  check_id(own["runAsUser"], path.child("runAsUser"), report);
  check_id(own["runAsGroup"], path.child("runAsGroup"), report);
  check_profile(own["seccompProfile"], path.child("seccompProfile"), true, report);
  check_profile(own["appArmorProfile"], path.child("appArmorProfile"), false, report);
  const bool no_escalation = is_false(own["allowPrivilegeEscalation"]);
  const FieldPath escalation = path.child("allowPrivilegeEscalation");
  if (no_escalation && is_true(own["privileged"])) {
    report.add(ErrorType::kInvalid, escalation,
               "must not be false for a privileged container; found both; remove one");
  }
  if (no_escalation && container.privileged) {
    add_finding(
        report, container.privileged_certain, ErrorType::kInvalid, escalation,
        "must not be false for a service that restores checkpoints, whose main container first "
        "operators make privileged; remove it");
  }
  check_capabilities(own["capabilities"], no_escalation, path.child("capabilities"), report);
  if (own["procMount"].string_or_empty() == "Unmasked" && !is_false(pod.pod->user["hostUsers"])) {
    add_finding(report, users_are_read(context), ErrorType::kInvalid, path.child("procMount"),
                "must not be Unmasked unless hostUsers is false; remove it");
  }
}

// Reports a container that must not run as root but whose user is root.
void check_root(const RenderedPod& pod, const render::Container& container, Report& report) {
  const json::Value own = container.user["securityContext"];
  const json::Value shared = pod.pod->user["securityContext"];
  const auto effective = [&](std::string_view field) {
    return own[field].is_nothing() ? shared[field] : own[field];
  };
  if (!is_true(effective("runAsNonRoot")) || effective("runAsUser").integer() != 0) return;
  const render::Origin origin = own["runAsUser"].is_nothing() ? pod.pod->field("securityContext")
                                                              : container.field("securityContext");
  warn_at(report, pod, origin,
          "must not have runAsUser 0 when runAsNonRoot is true: the kubelet refuses to start the "
          "container; remove one");
}

void security(const Context& context, const RenderedPod& pod, Report& report) {
  // The controller of a checkpoint replaces the pod's security context.
  if (pod.pod->block != render::Block::kTemplate) check_pod_context(pod, report);
  check_host(context, pod, report);
  for_each_container(*pod.pod, [&](const render::Container& container) {
    check_container(context, pod, container, report);
    check_root(pod, container, report);
  });
}

}  // namespace

extern constexpr Rule kSecurityRule{
    .id = "pod.security",
    .kinds = kinds::kPods,
    .function = &security,
    .field = "E.securityContext, C.securityContext",
};

}  // namespace dynamo::validators::pod
