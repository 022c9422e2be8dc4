// The form of the object's name, and its length with the parts that are appended to it.
#include <algorithm>

#include "render/component/names.hpp"
#include "render/document/origin.hpp"
#include "render/document/well_known.hpp"
#include "text/names.hpp"
#include "validators/rendered/pod/visit.hpp"
#include "validators/rendered/proof.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::naming {

using api::Context;

namespace {

using api::ErrorType;
using api::FieldPath;
using render::Component;

constexpr FieldPath kMetadata{"metadata"};
constexpr FieldPath kName = kMetadata.child("name");
constexpr FieldPath kSpec{"spec"};
constexpr FieldPath kOverrides = kSpec.child("deploymentOverrides");
constexpr std::size_t kLongestLabel = 63;

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

std::string too_long(std::string_view rule, std::size_t longest, std::size_t found,
                     std::string_view fix) {
  std::string text(rule);
  text += " has at most " + std::to_string(longest) + " characters; found " +
          std::to_string(found) + "; ";
  return text += fix;
}

// Later operators shorten the graph's name so that the longest service fits Grove's limit, but not
// below this length.
constexpr std::size_t kShortestGraphName = 8;

// The share of Grove's limit that the service alone uses.
std::size_t grove_budget(const Component& component) {
  return render::grove_name_length(component) - component.graph_name.size();
}

std::size_t shortened_length(const Component& component) {
  const std::size_t budget = grove_budget(component);
  const std::size_t left = render::kLongestGroveName - std::min(budget, render::kLongestGroveName);
  return std::min(component.graph_name.size(), std::max(left, kShortestGraphName)) + budget;
}

// Whether the graph gets the objects for discovery. Annotations of services do not count.
api::Fact discovers_through_kubernetes(const Context& context, const RenderedObject& object) {
  const json::Value given =
      object.object.metadata().annotation(render::annotation::kDiscoveryBackend);
  if (!given.is_string()) return context.facts.kubernetes_discovery;
  return given.string_or_empty() == "kubernetes" ? api::Fact::kYes : api::Fact::kNo;
}

void check_grove(const Context& context, const RenderedPod& pod, Report& report) {
  const Component& component = *pod.component;
  const bool fails_later = shortened_length(component) > render::kLongestGroveName;
  const std::size_t length = render::grove_name_length(component);
  if (length <= render::kLongestGroveName) return;
  const bool certain = runs_through_grove(context, component) == api::Fact::kYes;
  const Severity outcome =
      fails_later ? Severity::kDeny : severity_of(OperatorBehaviour::kGroveNameLength, context);
  // The number of nodes may be lowered without changing the finding.
  add_finding(report, if_certain(certain, outcome), ErrorType::kTooLong, kName,
              "must be shorter, as what Grove makes of it and of service " +
                  quoted(component.service_name) + " has at most " +
                  std::to_string(render::kLongestGroveName) + " characters; found " +
                  std::to_string(component.graph_name.size()) + " and " +
                  std::to_string(component.service_name.size()) +
                  "; shorten either; for several nodes the service counts twice, and 4 more");
}

bool all_in_global_namespace(const RenderedObject& object) {
  return std::ranges::all_of(object.pods, [](const RenderedPod& pod) {
    return pod.component->service.is_in_global_dynamo_namespace();
  });
}

// Whether a Service with the component's name is certainly created: without Grove always, with
// Grove for frontends, and for all components if they discover each other through the API server.
bool gets_service(const Context& context, const Component& component) {
  return runs_through_grove(context, component) == api::Fact::kNo ||
         component.type == render::ComponentType::kFrontend ||
         render::discovery_of(component) == render::DiscoveryBackend::kKubernetes;
}

bool has_second_services(const Context& context, const Component& component) {
  if (runs_through_grove(context, component) != api::Fact::kNo) return false;
  if (render::workload_of(component) == render::Workload::kNone) return false;
  return component.type == render::ComponentType::kFrontend ||
         render::discovery_of(component) != render::DiscoveryBackend::kEtcd;
}

void dot_or_digit(const Context& context, const RenderedObject& object, Report& report) {
  constexpr int kDigitsFrom = 36;
  const std::string_view name = object.object.metadata().name();
  if (name.empty()) return;
  const bool has_service = std::ranges::any_of(
      object.pods, [&](const RenderedPod& pod) { return gets_service(context, *pod.component); });
  if (name.find('.') != std::string_view::npos) {
    add_finding(report,
                if_certain(has_service, severity_of(OperatorBehaviour::kDotInName, context)),
                ErrorType::kInvalid, kName,
                pod::found("must not contain '.', as Services and endpoints are named after it",
                           name, "use '-'"));
  }
  const std::optional<int> minor = context.facts.kubernetes_minor;
  if (is_digit(name.front()) && (!minor || *minor < kDigitsFrom)) {
    const bool certain = minor.has_value() && has_service;
    add_finding(
        report, if_certain(certain, severity_of(OperatorBehaviour::kDigitInName, context)),
        ErrorType::kInvalid, kName,
        pod::found("must begin with a letter, as Services have this name and Kubernetes takes "
                   "digits there only from 1.36",
                   name, "put a letter in front"));
  }
}

void namespace_scope(const Context& context, const api::Object& now, const api::Object*,
                     Report& report) {
  constexpr std::string_view kUnwatched = "ephemeral";
  if (context.settings.is_namespace_restricted()) return;
  const std::string_view own = now.value()["metadata"]["namespace"].string_or_empty();
  const std::string_view space = own.empty() ? context.namespace_name : own;
  if (space.find(kUnwatched) == std::string_view::npos) return;
  report.add(ErrorType::kForbidden, kMetadata.child("namespace"),
             pod::found("must not contain \"ephemeral\", as an operator for the whole cluster "
                        "leaves such namespaces alone and makes nothing of the object",
                        space, "use another namespace, or an operator for this one"));
}

void job_length(const Context& context, const api::Object& now, const api::Object*,
                Report& report) {
  const std::string_view name = now.metadata().name();
  const bool request = context.kind == api::Kind::kGraphDeploymentRequest;
  const std::size_t length =
      (request ? render::profiling_job_name(name) : render::checkpoint_job_name(name)).size();
  if (length > kLongestLabel) {
    add_finding(
        report,
        request ? Severity::kDeny : severity_of(OperatorBehaviour::kJobOfCheckpoint, context),
        ErrorType::kTooLong, kName,
        too_long("must be shorter, as its job \"" +
                     std::string(request ? "profile" : "checkpoint") + "-NAME\"",
                 kLongestLabel, length, "shorten the name"));
  }
  if (!request) return;
  const json::Value overrides = now.spec()["deploymentOverrides"];
  const std::string_view graph = overrides["name"].string_or_empty();
  if (graph.empty()) return;
  const bool takes = text::is_dns_label(graph) && !is_digit(graph.front());
  if (!takes) {
    report.also_warn(kOverrides.child("name"),
                     pod::found("must be a name that a graph can have: at most 63 lower case "
                                "letters, digits and '-', beginning with a letter",
                                graph));
    return;
  }
  const std::string_view given = overrides["namespace"].string_or_empty();
  const std::string_view space = given.empty() ? context.namespace_name : given;
  const std::size_t label = space.size() + 1 + graph.size();
  if (label <= kLongestLabel) return;
  report.also_warn(kOverrides.child("name"),
                   too_long("must be shorter, as the label \"NAMESPACE-NAME\"", kLongestLabel,
                            label, "shorten the name"));
}

void label_length(const Context& context, const RenderedObject& object, Report& report) {
  const std::string_view name = object.object.metadata().name();
  if (name.empty() || object.pods.empty()) return;
  if (name.size() > kLongestLabel) {
    report.add(ErrorType::kTooLong, kName,
               too_long("must be shorter, as the label of its pods", kLongestLabel, name.size(),
                        "shorten the name"));
  } else if (const std::size_t length = context.namespace_name.size() + 1 + name.size();
             length > kLongestLabel && !all_in_global_namespace(object)) {
    report.add(ErrorType::kTooLong, kName,
               too_long("must be shorter, as the label \"NAMESPACE-NAME\" of its pods",
                        kLongestLabel, length, "shorten the name"));
  }
  const api::Fact discovery = discovers_through_kubernetes(context, object);
  if (discovery == api::Fact::kNo) return;
  const std::size_t account = render::discovery_account_name(name).size();
  if (account <= kLongestLabel) return;
  const Severity outcome = severity_of(OperatorBehaviour::kDiscoveryAccountLength, context);
  add_finding(report, if_certain(discovery == api::Fact::kYes, outcome), ErrorType::kTooLong, kName,
              too_long("must be shorter, as the label \"NAME-k8s-service-discovery\"",
                       kLongestLabel, account, "shorten the name to 41 characters"));
}

void grove_length(const Context& context, const RenderedObject& object, Report& report) {
  const RenderedPod* worst = nullptr;
  for (const RenderedPod& pod : object.pods) {
    if (pod.component->object_name.empty()) return;
    if (runs_through_grove(context, *pod.component) == api::Fact::kNo) return;
    const bool longer = worst == nullptr || render::grove_name_length(*worst->component) <
                                                render::grove_name_length(*pod.component);
    if (longer) worst = &pod;
  }
  // On an update each service is checked separately, so that a fix of one service is not refused
  // because of another.
  if (worst == nullptr) return;
  if (context.operation != api::Operation::kUpdate) return check_grove(context, *worst, report);
  for (const RenderedPod& pod : object.pods) check_grove(context, pod, report);
}

// The length of the suffix that later operators append to the names of a graph's workers if Grove
// does not run them: "-7375dad2".
constexpr std::size_t kHashLength = 9;

Severity outcome_of_hash(const Context& context, const Component& component) {
  if (!component.in_graph || !render::is_worker_like(component.type)) return Severity::kOff;
  const api::Fact grove = runs_through_grove(context, component);
  if (grove == api::Fact::kYes) return Severity::kOff;
  return if_certain(grove == api::Fact::kNo, severity_of(OperatorBehaviour::kHashInName, context));
}

void service_length(const Context& context, const RenderedPod& pod, Report& report) {
  const Component& component = *pod.component;
  if (component.object_name.empty()) return;
  const FieldPath& path = component.in_graph ? *pod.path : kName;
  const std::string_view what = component.in_graph
                                    ? "must be shorter, as the Service \"GRAPH-service\""
                                    : "must be shorter, as the Service of that name";
  const std::string_view fix =
      component.in_graph ? "shorten the name of the service or of the graph" : "shorten the name";
  const std::size_t length = render::component_name(component).size();
  if (length > kLongestLabel) {
    return report.add(ErrorType::kTooLong, path, too_long(what, kLongestLabel, length, fix));
  }
  const Severity of_hash = outcome_of_hash(context, component);
  if (length + kHashLength > kLongestLabel && of_hash != Severity::kOff) {
    return add_finding(
        report, of_hash, ErrorType::kTooLong, path,
        too_long("must be shorter, as the label and the Service \"GRAPH-service-HASH\" of "
                 "later operators",
                 kLongestLabel, length + kHashLength, fix));
  }
  const std::size_t second = render::debug_name(component).size();
  if (second <= kLongestLabel || !has_second_services(context, component)) return;
  report.also_warn(path,
                   too_long("must be shorter, as the Service with \"-p\" and \"-d\" behind it",
                            kLongestLabel, second, fix));
}

void leader_worker_set_length(const Context& context, const RenderedPod& pod, Report& report) {
  const Component& component = *pod.component;
  const api::Fact runs = runs_through_leader_worker_set(context, component);
  if (component.object_name.empty() || runs == api::Fact::kNo) return;
  // If Grove may run it, the rule for Grove reports it.
  if (runs_through_grove(context, component) != api::Fact::kNo) return;
  const std::int64_t replicas = component.service.effective_replicas();
  const auto length_of = [&](std::int64_t replica) {
    return render::leader_worker_set_name(component, replica).size();
  };
  // The number of replicas decides only whether this is reported, so an update that lowers it is
  // not refused.
  const FieldPath& path = component.in_graph ? *pod.path : kName;
  constexpr std::size_t kLongest = render::kLongestLeaderWorkerSetName;
  if (length_of(0) > kLongest) {
    return add_finding(
        report, runs == api::Fact::kYes, ErrorType::kTooLong, path,
        too_long("must be shorter, as the LeaderWorkerSet named after it, with \"-0\" behind "
                 "it,",
                 kLongest, length_of(0), "shorten the name"));
  }
  const Severity of_hash = outcome_of_hash(context, component);
  if (length_of(0) + kHashLength > kLongest && of_hash != Severity::kOff) {
    return add_finding(
        report, if_certain(runs == api::Fact::kYes, of_hash), ErrorType::kTooLong, path,
        too_long("must be shorter, as the LeaderWorkerSet of later operators, with a hash "
                 "and \"-0\" behind it,",
                 kLongest, length_of(0) + kHashLength, "shorten the name"));
  }
  if (length_of(std::max<std::int64_t>(replicas, 1) - 1) <= kLongest) return;
  std::int64_t fitting = 1;
  while (length_of(fitting) <= kLongest) fitting *= 10;
  // A warning: the other replicas run, and an autoscaler should continue instead of stopping early.
  report.also_warn(path,
                   "must be shorter for so many replicas, as LeaderWorkerSets have their "
                   "number behind it, and at most " +
                       std::to_string(kLongest) + " characters; the name has room for " +
                       std::to_string(fitting) + " replicas; shorten it, or lower replicas");
}

}  // namespace

extern constexpr Rule kDotOrDigitRule{
    .id = "dgd.name.dot-or-digit",
    .kinds = kinds::kServices,
    .function = &dot_or_digit,
    .field = "metadata.name",
};

extern constexpr Rule kGroveLengthRule{
    .id = "dgd.name.length.grove",
    .kinds = kinds::kGraphs,
    .function = &grove_length,
    .field = "metadata.name",
};

extern constexpr Rule kLabelLengthRule{
    .id = "dgd.name.length.label",
    .kinds = kinds::kGraphs,
    .function = &label_length,
    .field = "metadata.name",
};

extern constexpr Rule kServiceLengthRule{
    .id = "dgd.name.length.service",
    .kinds = kinds::kServices,
    .function = &service_length,
    .field = "P",
};

extern constexpr Rule kLeaderWorkerSetLengthRule{
    .id = "dgd.name.length.lws",
    .kinds = kinds::kServices,
    .function = &leader_worker_set_length,
    .field = "P",
};

extern constexpr Rule kJobLengthRule{
    .id = "job.name.length",
    .kinds = {api::Kind::kGraphDeploymentRequest, api::Kind::kCheckpoint},
    .function = &job_length,
    .field = "metadata.name",
};

extern constexpr Rule kNamespaceScopeRule{
    .id = "cross.namespace-scope",
    .kinds = kinds::kAll,
    .severity = Severity::kWarn,
    .function = &namespace_scope,
    .field = "metadata.namespace",
};

}  // namespace dynamo::validators::naming
