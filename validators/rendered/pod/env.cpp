// Variables of containers and the sources of their values. Messages never show values.
#include <array>

#include "text/names.hpp"
#include "validators/content/container_syntax.hpp"
#include "validators/rendered/pod/visit.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::pod {

using api::Context;

namespace {

using api::ErrorType;
using api::FieldPath;

// Since this minor version Kubernetes accepts variable names beyond letters, digits, '-', '_' and
// '.'.
constexpr int kRelaxedNamesSince = 32;

void check_name(const Context& context, const RenderedPod& pod, std::string_view name,
                const render::Origin& origin, Report& report) {
  if (is_strict_variable_name(name)) return;
  if (!is_variable_name(name)) {
    if (name.empty()) {
      add_at(report, ErrorType::kRequired, pod, origin, "must be set");
    } else {
      add_at(report, ErrorType::kInvalid, pod, origin,
             // The text after the sign is a value, which may be a secret.
             found("must be printable ASCII without '='", name.substr(0, name.find('=')),
                   "rename it"));
    }
    return;
  }
  const render::Workload workload = render::workload_of(*pod.component);
  const bool plain =
      workload == render::Workload::kDeployment || workload == render::Workload::kLeaderWorkerSet;
  if (plain && context.facts.kubernetes_minor.value_or(0) >= kRelaxedNamesSince) return;
  warn_at(report, pod, origin,
          found("must be letters, digits, '-', '_' and '.', not beginning with a digit, for "
                "Kubernetes before 1.32 and for Grove",
                name, "rename it"));
}

// Checks a `key` of a ConfigMap or Secret.
void check_key_reference(json::Value reference, const FieldPath& path, Report& report) {
  if (!reference.is_object()) return;
  const std::string_view name = reference["name"].string_or_empty();
  if (name.empty()) {
    report.add(ErrorType::kRequired, path.child("name"), "must be set");
  } else if (!text::is_dns_subdomain(name)) {
    report.add(ErrorType::kInvalid, path.child("name"), found(kDnsSubdomainForm, name));
  }
  const std::string_view key = reference["key"].string_or_empty();
  if (key.empty()) {
    report.add(ErrorType::kRequired, path.child("key"), "must be set");
  } else if (!is_config_key(key)) {
    report.add(ErrorType::kInvalid, path.child("key"),
               found("must be at most 253 letters, digits, '-', '_' and '.'", key));
  }
}

void check_field_reference(json::Value reference, const FieldPath& path, Report& report) {
  if (!reference.is_object()) return;
  const std::string_view field = reference["fieldPath"].string_or_empty();
  if (!is_variable_field_path(field)) {
    report.add(ErrorType::kNotSupported, path.child("fieldPath"),
               found("must be metadata.name, .namespace, .uid, .labels['KEY'] or "
                     ".annotations['KEY'], spec.nodeName, spec.serviceAccountName, status.hostIP "
                     "or status.podIP",
                     field));
  }
  const std::string_view version = reference["apiVersion"].string_or_empty();
  if (!version.empty() && version != "v1") {
    report.add(ErrorType::kInvalid, path.child("apiVersion"),
               found("must be \"v1\"", version, "remove it"));
  }
}

void check_resource_reference(json::Value reference, const FieldPath& path, Report& report) {
  if (!reference.is_object()) return;
  const std::string_view resource = reference["resource"].string_or_empty();
  if (is_container_resource(resource)) return;
  report.add(ErrorType::kNotSupported, path.child("resource"),
             found("must be limits.X or requests.X with cpu, memory, ephemeral-storage or "
                   "hugepages-SIZE",
                   resource));
}

// Checks a reference to an env file in a volume. Kubernetes before 1.34 drops the reference, which
// leaves the variable without a source.
void check_file_reference(const Context& context, const RenderedPod& pod, json::Value reference,
                          const FieldPath& path, Report& report) {
  constexpr int kReadFrom = 34;
  if (!reference.is_object()) return;
  const std::optional<int> minor = context.facts.kubernetes_minor;
  if (minor && *minor < kReadFrom) {
    return report.add(ErrorType::kNotSupported, path,
                      "must not be used before Kubernetes 1.34, which does not know it; found 1." +
                          std::to_string(*minor) + "; use another source");
  }
  const std::string_view name = reference["volumeName"].string_or_empty();
  // Later operators add the volumes that the main container mounts, and the names of some volumes
  // are unknown.
  const bool can_be_there =
      std::ranges::any_of(pod.pod->volumes,
                          [&](const render::Volume& volume) {
                            return volume.name == name || volume.name.empty();
                          }) ||
      std::ranges::find(pod.pod->main().mounts, name, &render::Mount::volume) !=
          pod.pod->main().mounts.end() ||
      pod.component->from_checkpoint;
  if (can_be_there) return;
  report.add(ErrorType::kNotFound, path.child("volumeName"),
             found("must be the name of a volume of the pod", name));
}

// The members that are not null: one source each.
std::size_t count_sources(json::Value sources) {
  std::size_t count = 0;
  for (const auto [name, value] : sources.members()) count += value.is_nothing() ? 0 : 1;
  return count;
}

void check_value_source(const Context& context, const RenderedPod& pod,
                        const render::Variable& variable, Report& report) {
  const json::Value source = variable.definition["valueFrom"];
  if (!source.is_object()) return;
  const render::OriginPath at(*pod.path, variable.origin);
  const FieldPath path = at.path().child("valueFrom");
  const std::size_t count = count_sources(source);
  if (count == 0) {
    report.add(ErrorType::kRequired, path,
               "must name a source: fieldRef, resourceFieldRef, configMapKeyRef or secretKeyRef; "
               "found none; remove valueFrom, or say where the value comes from");
    return;
  }
  if (!variable.literal().empty()) {
    report.add(ErrorType::kInvalid, path,
               "must not be set together with value; found both; remove one of them");
  }
  if (count > 1) {
    report.add(ErrorType::kInvalid, path, "must name one source; found several; remove the others");
  }
  check_key_reference(source["configMapKeyRef"], path.child("configMapKeyRef"), report);
  check_key_reference(source["secretKeyRef"], path.child("secretKeyRef"), report);
  check_field_reference(source["fieldRef"], path.child("fieldRef"), report);
  check_resource_reference(source["resourceFieldRef"], path.child("resourceFieldRef"), report);
  check_file_reference(context, pod, source["fileKeyRef"], path.child("fileKeyRef"), report);
}

// Checks a reference to a whole ConfigMap or Secret.
void check_reference(json::Value reference, const FieldPath& path, Report& report) {
  if (!reference.is_object()) return;
  const std::string_view name = reference["name"].string_or_empty();
  if (name.empty()) {
    report.add(ErrorType::kRequired, path.child("name"), "must be set");
  } else if (!text::is_dns_subdomain_prefix(name)) {
    report.add(ErrorType::kInvalid, path.child("name"), found(kDnsSubdomainForm, name));
  }
}

void check_env_from(const Context& context, const RenderedPod& pod,
                    const render::Container& container, Report& report) {
  std::size_t index = 0;
  for (const json::Value source : container.env_from.elements()) {
    const render::Origin origin = container.field("envFrom").at(index++);
    if (!source.is_object()) continue;
    const std::string_view prefix = source["prefix"].string_or_empty();
    if (!prefix.empty()) check_name(context, pod, prefix, origin.child("prefix"), report);
    const render::OriginPath at(*pod.path, origin);
    const bool of_config_map = !source["configMapRef"].is_nothing();
    const bool of_secret = !source["secretRef"].is_nothing();
    if (of_config_map && of_secret) {
      report.add(ErrorType::kInvalid, at.path(),
                 "must name one source; found configMapRef and secretRef; make two entries of it");
    } else if (count_sources(source) <= (prefix.empty() ? 0U : 1U)) {
      report.add(ErrorType::kRequired, at.path(),
                 "must name a source: configMapRef or secretRef; found none");
    }
    check_reference(source["configMapRef"], at.path().child("configMapRef"), report);
    check_reference(source["secretRef"], at.path().child("secretRef"), report);
  }
  const std::string_view secret = container.env_from_secret;
  if (!secret.empty() && !text::is_dns_subdomain_prefix(secret)) {
    add_at(report, ErrorType::kInvalid, pod,
           render::origin_in(render::Block::kService, "envFromSecret"),
           found(kDnsSubdomainForm, secret));
  }
}

// Checks one list as the user wrote it. The operator merges that of the main container by name.
void check_repeated(const RenderedPod& pod, json::Value list, const render::Origin& origin,
                    Report& report) {
  if (list_size(list) < 2) return;
  constexpr std::size_t kMax = 128;
  std::array<std::string_view, kMax> names;
  std::size_t count = 0;
  for (const json::Value variable : list.elements()) {
    if (count == kMax) break;
    names[count++] = variable["name"].string_or_empty();
  }
  for_each_repeated(
      count, [&](std::size_t at) { return names[at]; },
      [&](std::size_t at, std::size_t) {
        warn_at(report, pod, origin.at(at).child("name"),
                found("must be unique in the list", names[at],
                      "only the last entry of that name counts; remove the others"));
      });
}

void variables(const Context& context, const RenderedPod& pod, Report& report) {
  for_each_container(*pod.pod, [&](const render::Container& container) {
    for (const render::Variable& variable : container.variables) {
      if (!variable.definition.exists()) continue;
      check_name(context, pod, variable.name, variable.origin.child("name"), report);
      check_value_source(context, pod, variable, report);
    }
    check_env_from(context, pod, container, report);
    check_repeated(pod, container.user["env"], container.field("env"), report);
  });
  if (!pod.pod->main().is_main()) return;
  check_repeated(pod, pod.component->service.value()["envs"],
                 render::origin_in(render::Block::kService, "envs"), report);
}

}  // namespace

extern constexpr Rule kVariablesRule{
    .id = "pod.env",
    .kinds = kinds::kPods,
    .function = &variables,
    .field = "C.env, C.envFrom",
};

}  // namespace dynamo::validators::pod
