// Access to nodes and service accounts.
#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "text/glob.hpp"
#include "validators/content/path_parts.hpp"
#include "validators/rendered/pod/visit.hpp"
#include "validators/rendered/policy/parameters.hpp"
#include "validators/rendered/policy/words.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::policy {

using api::Context;

namespace {

using api::ErrorType;
using api::HostAccess;

// Capabilities that container runtimes grant by default, and IPC_LOCK, with which a process pins
// its own memory for RDMA.
constexpr std::array<std::string_view, 15> kHarmlessCapabilities{
    "AUDIT_WRITE", "CHOWN",   "DAC_OVERRIDE", "FOWNER",     "FSETID",
    "IPC_LOCK",    "KILL",    "MKNOD",        "SETFCAP",    "NET_BIND_SERVICE",
    "SETGID",      "SETPCAP", "SETUID",       "SYS_CHROOT", "NET_RAW"};

bool is_below(std::string_view path, std::string_view allowed) {
  PathParts parts(path);
  for (PathParts prefix(allowed); const auto part = prefix.next();) {
    if (parts.next() != part) return false;
  }
  while (const auto part = parts.next()) {
    if (*part == "..") return false;
  }
  return true;
}

void check_account(const RenderedPod& pod, std::string_view field,
                   std::span<const std::string> allowed, Report& report) {
  const std::string_view account = pod.pod->user[field].string_or_empty();
  if (account.empty() || matches_any(allowed, account)) return;
  add_at(report, ErrorType::kForbidden, pod, pod.pod->field(field),
         refusal(allowed, "allowedServiceAccounts", account));
}

void check_path(const RenderedPod& pod, std::size_t index, json::Value volume,
                std::span<const std::string> allowed, Report& report) {
  const json::Value source = volume["hostPath"];
  if (source.is_nothing()) return;
  const std::string_view path = source["path"].string_or_empty();
  const auto includes = [path](const std::string& prefix) { return is_below(path, prefix); };
  if (path.starts_with('/') && std::ranges::any_of(allowed, includes)) return;
  add_at(report, ErrorType::kForbidden, pod, pod.pod->field("volumes").at(index).child("hostPath"),
         refusal(allowed, "allowedHostPaths", path), about({path}));
}

// Reports one kind of access at each field that requests it.
class AccessCheck {
 public:
  AccessCheck(const RenderedPod& pod, std::span<const std::string> allowed, Report& report)
      : pod_(pod), allowed_(allowed), report_(report) {}

  void run() {
    const json::Value spec = pod_.pod->user;
    check_flag(spec["hostNetwork"], pod_.pod->field("hostNetwork"), HostAccess::kNetwork);
    check_flag(spec["hostPID"], pod_.pod->field("hostPID"), HostAccess::kPid);
    check_flag(spec["hostIPC"], pod_.pod->field("hostIPC"), HostAccess::kIpc);
    check_host_process(spec["securityContext"], pod_.pod->field("securityContext"));
    pod::for_each_container(*pod_.pod, [this](const render::Container& container) {
      check_ports(container);
      check_security(container);
    });
  }

 private:
  void refuse(const render::Origin& origin, HostAccess access, std::string_view what) {
    if (std::ranges::find(allowed_, api::name(access)) != allowed_.end()) return;
    add_at(report_, ErrorType::kForbidden, pod_, origin,
           std::string("must not be used, as the policy forbids it; found ") + std::string(what) +
               "; remove it, or have " + quoted(api::name(access)) + " added to allowedHostAccess",
           about({what}));
  }

  void check_flag(json::Value flag, const render::Origin& origin, HostAccess access) {
    if (flag.boolean().value_or(false)) refuse(origin, access, "true");
  }

  void check_host_process(json::Value context, const render::Origin& origin) {
    check_flag(context["windowsOptions"]["hostProcess"], origin.child("windowsOptions"),
               HostAccess::kPrivileged);
  }

  void check_ports(const render::Container& container) {
    std::size_t index = 0;
    for (const json::Value port : container.user["ports"].elements()) {
      const std::int64_t number = port["hostPort"].integer().value_or(0);
      if (number != 0) {
        refuse(container.field("ports").at(index).child("hostPort"), HostAccess::kNetwork,
               std::to_string(number));
      }
      ++index;
    }
  }

  void check_security(const render::Container& container) {
    const json::Value context = container.user["securityContext"];
    if (context.is_nothing()) return;
    const render::Origin origin = container.field("securityContext");
    check_flag(context["privileged"], origin.child("privileged"), HostAccess::kPrivileged);
    check_host_process(context, origin);
    if (context["procMount"].string_or_empty() == "Unmasked") {
      refuse(origin.child("procMount"), HostAccess::kPrivileged, quoted("Unmasked"));
    }
    for (const json::Value added : context["capabilities"]["add"].elements()) {
      const std::string_view capability = added.string_or_empty();
      if (std::ranges::find(kHarmlessCapabilities, capability) != kHarmlessCapabilities.end()) {
        continue;
      }
      refuse(origin.child("capabilities"), HostAccess::kPrivileged, quoted(capability));
    }
  }

  const RenderedPod& pod_;
  const std::span<const std::string> allowed_;
  Report& report_;
};

void service_account(const Context& context, const RenderedObject& object, Report& report) {
  const api::Parameters* const parameters = parameters_for(context, object.object);
  if (parameters == nullptr || !parameters->allowed_service_accounts) return;
  for (const RenderedPod& pod : object.changed_pods()) {
    check_account(pod, "serviceAccountName", *parameters->allowed_service_accounts, report);
    // The API server takes the old name of the field where the new one is absent.
    check_account(pod, "serviceAccount", *parameters->allowed_service_accounts, report);
  }
}

void host_path(const Context& context, const RenderedObject& object, Report& report) {
  const api::Parameters* const parameters = parameters_for(context, object.object);
  if (parameters == nullptr || !parameters->allowed_host_paths) return;
  for (const RenderedPod& pod : object.changed_pods()) {
    std::size_t index = 0;
    for (const json::Value volume : pod.pod->user["volumes"].elements()) {
      check_path(pod, index++, volume, *parameters->allowed_host_paths, report);
    }
  }
}

void host_access(const Context& context, const RenderedObject& object, Report& report) {
  const api::Parameters* const parameters = parameters_for(context, object.object);
  if (parameters == nullptr || !parameters->allowed_host_access) return;
  for (const RenderedPod& pod : object.changed_pods()) {
    AccessCheck(pod, *parameters->allowed_host_access, report).run();
  }
}

}  // namespace

extern constexpr Rule kServiceAccountRule{
    .id = "policy.service-account",
    .kinds = kinds::kPods,
    .function = &service_account,
    .field = "P.extraPodSpec.serviceAccountName",
};

extern constexpr Rule kHostPathRule{
    .id = "policy.host-path",
    .kinds = kinds::kPods,
    .function = &host_path,
    .field = "P.extraPodSpec.volumes[N].hostPath",
};

extern constexpr Rule kHostAccessRule{
    .id = "policy.host-access",
    .kinds = kinds::kPods,
    .function = &host_access,
    .field =
        "P.extraPodSpec.hostNetwork, P.extraPodSpec.hostPID, P.extraPodSpec.hostIPC, "
        "C.securityContext",
};

}  // namespace dynamo::validators::policy
