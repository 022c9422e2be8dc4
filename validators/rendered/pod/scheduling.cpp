// Placement of a pod: tolerations, affinity, topology spread, and their selectors.
#include <algorithm>
#include <array>
#include <span>

#include "text/names.hpp"
#include "validators/rendered/pod/visit.hpp"
#include "validators/rendered/pod/vocabulary.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::pod {

using api::Context;

namespace {

using api::ErrorType;
using api::FieldPath;

constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";

constexpr std::string_view kKeyForm =
    "must be at most 63 letters, digits, '-', '_' and '.', after an optional domain and '/'";
constexpr std::string_view kValueForm =
    "must be at most 63 letters, digits, '-', '_' and '.', beginning and ending with a letter or "
    "digit";

bool takes_values(std::string_view op) {
  return op == "In" || op == "NotIn";
}
bool tests(std::string_view op) {
  return op == "Exists" || op == "DoesNotExist";
}

void check_key(json::Value requirement, const FieldPath& path, Report& report) {
  const std::string_view key = requirement["key"].string_or_empty();
  if (text::is_qualified_name(key)) return;
  report.add(ErrorType::kInvalid, path.child("key"), [&] { return found(kKeyForm, key); });
}

void check_values_of(json::Value requirement, const FieldPath& path, Report& report) {
  const FieldPath values = path.child("values");
  std::size_t index = 0;
  for (const json::Value value : requirement["values"].elements()) {
    const std::string_view text = value.string_or_empty();
    if (!text::is_label_value(text)) {
      report.add(ErrorType::kInvalid, values.index(index), [&] { return found(kValueForm, text); });
    }
    ++index;
  }
}

// Checks the number of values against the operator. Unknown operators are not checked.
void check_operator(json::Value requirement, std::span<const std::string_view> operators,
                    const FieldPath& path, Report& report) {
  const json::Value given = requirement["operator"];
  const std::string_view op = given.string_or_empty();
  const std::size_t values = list_size(requirement["values"]);
  const auto which = [&] { return about({requirement["key"].string_or_empty(), op}); };
  if (op.empty()) {
    report.add(ErrorType::kRequired, path.child("operator"), "must be set, such as \"In\"");
  } else if (std::ranges::find(operators, op) == operators.end()) {
    check_spelling(given, operators, path.child("operator"), report);
  } else if (takes_values(op) && values == 0) {
    report.add(
        ErrorType::kRequired, path.child("values"),
        [&] { return found("must hold a value for the operator", op, "add one"); }, which);
  } else if (tests(op) && values > 0) {
    report.add(
        ErrorType::kForbidden, path.child("values"),
        [&] {
          return found("must not be set for the operator", op, "remove the values, or use \"In\"");
        },
        which);
  } else if (!takes_values(op) && !tests(op) && values != 1) {
    report.add(
        ErrorType::kRequired, path.child("values"),
        [&] { return found("must hold one value for the operator", op); }, which);
  }
}

// {"key": "value"}, as in nodeSelector or matchLabels.
void check_label_map(json::Value labels, const FieldPath& path, Report& report) {
  for (const json::Member& label : labels.members()) {
    const std::string_view key = label.name;
    if (!text::is_qualified_name(key)) {
      report.add(ErrorType::kInvalid, path.key(key), [&] { return found(kKeyForm, key); });
    }
    const std::string_view text = label.value.string_or_empty();
    if (!text::is_label_value(text)) {
      report.add(ErrorType::kInvalid, path.key(key), [&] { return found(kValueForm, text); });
    }
  }
}

// matchLabels and matchExpressions.
void check_label_selector(json::Value selector, const FieldPath& path, Report& report) {
  if (!selector.is_object()) return;
  check_label_map(selector["matchLabels"], path.child("matchLabels"), report);
  const FieldPath expressions = path.child("matchExpressions");
  std::size_t index = 0;
  for (const json::Value requirement : selector["matchExpressions"].elements()) {
    const FieldPath at = expressions.index(index++);
    check_operator(requirement, kLabelOperators.words, at, report);
    check_key(requirement, at, report);
    check_values_of(requirement, at, report);
  }
}

// matchExpressions and matchFields of a node. With `check_values`, also refuses values that no node
// can have.
void check_node_term(json::Value term, bool check_values, const FieldPath& path, Report& report) {
  const FieldPath expressions = path.child("matchExpressions");
  std::size_t index = 0;
  for (const json::Value requirement : term["matchExpressions"].elements()) {
    const FieldPath at = expressions.index(index++);
    check_operator(requirement, kNodeOperators.words, at, report);
    check_key(requirement, at, report);
    if (check_values) check_values_of(requirement, at, report);
  }
  const FieldPath fields = path.child("matchFields");
  index = 0;
  for (const json::Value requirement : term["matchFields"].elements()) {
    const FieldPath at = fields.index(index++);
    const std::string_view op = requirement["operator"].string_or_empty();
    const std::string_view key = requirement["key"].string_or_empty();
    if (std::ranges::find(kNodeFieldOperators.words, op) == kNodeFieldOperators.words.end() ||
        list_size(requirement["values"]) != 1) {
      report.add(
          ErrorType::kInvalid, at,
          [&] { return found("must have the operator In or NotIn and one value", op); },
          [&] {
            return about({key, op});
          });
    }
    const std::string_view known = kNodeFields.words.front();
    if (key != known) {
      report.add(ErrorType::kInvalid, at.child("key"),
                 [&] { return found("must be " + quoted(known), key); });
    }
  }
}

void check_toleration(json::Value toleration, const FieldPath& path, Report& report) {
  const std::string_view key = toleration["key"].string_or_empty();
  const std::string_view op = toleration["operator"].string_or_empty();
  const std::string_view value = toleration["value"].string_or_empty();
  const std::string_view effect = toleration["effect"].string_or_empty();
  if (!key.empty() && !text::is_qualified_name(key)) {
    report.add(ErrorType::kInvalid, path.child("key"), found(kKeyForm, key));
  }
  // An unknown word has its own finding, and fixing that word is enough.
  const auto is_known = [](const Vocabulary& vocabulary, std::string_view word) {
    const auto has = [word](std::span<const std::string_view> words) {
      return std::ranges::find(words, word) != words.end();
    };
    return word.empty() || has(vocabulary.words) || has(vocabulary.announced);
  };
  if (key.empty() && op != "Exists" && is_known(kTolerationOperators, op)) {
    report.add(ErrorType::kInvalid, path.child("operator"),
               found("must be \"Exists\" when there is no key, which tolerates every taint", op,
                     "set the operator, or name the key of the taint"));
  }
  for (const auto& words : {kTolerationOperators.words, kTolerationOperators.announced}) {
    check_spelling(toleration["operator"], words, path.child("operator"), report);
  }
  check_spelling(toleration["effect"], kEffects.words, path.child("effect"), report);
  if (op == "Exists" && !value.empty()) {
    report.add(ErrorType::kInvalid, path.child("value"),
               found("must not be set for the operator Exists", value,
                     "remove it, or use the operator Equal"));
  } else if ((op.empty() || op == "Equal") && !text::is_label_value(value)) {
    report.add(ErrorType::kInvalid, path.child("value"),
               found("must be at most 63 letters, digits, '-', '_' and '.'", value));
  }
  if (!toleration["tolerationSeconds"].is_nothing() && effect != "NoExecute" &&
      is_known(kEffects, effect)) {
    report.add(ErrorType::kInvalid, path.child("effect"),
               found("must be \"NoExecute\" when tolerationSeconds is set", effect,
                     "set it, or remove tolerationSeconds"));
  }
}

void check_tolerations(json::Value tolerations, const FieldPath& path, Report& report) {
  std::size_t index = 0;
  for (const json::Value toleration : tolerations.elements()) {
    check_toleration(toleration, path.index(index++), report);
  }
}

void check_weight(json::Value term, const FieldPath& path, Report& report) {
  constexpr std::int64_t kGreatest = 100;
  const auto weight = term["weight"].integer();
  if (!weight || (*weight >= 1 && *weight <= kGreatest)) return;
  report.add(ErrorType::kInvalid, path.child("weight"),
             "must be between 1 and 100; found " + std::to_string(*weight));
}

void check_node_affinity(json::Value affinity, const FieldPath& path, Report& report) {
  if (const json::Value required = affinity[kRequired]; required.is_object()) {
    const FieldPath at = path.child(kRequired);
    const FieldPath terms = at.child("nodeSelectorTerms");
    const json::Value list = required["nodeSelectorTerms"];
    if (list_size(list) == 0) {
      report.add(ErrorType::kRequired, terms,
                 "must hold a term; found none, which no node would match; remove the affinity or "
                 "add one");
    }
    std::size_t index = 0;
    for (const json::Value term : list.elements()) {
      check_node_term(term, true, terms.index(index++), report);
    }
  }
  const FieldPath preferred = path.child(kPreferred);
  std::size_t index = 0;
  for (const json::Value weighted : affinity[kPreferred].elements()) {
    const FieldPath at = preferred.index(index++);
    check_weight(weighted, at, report);
    check_node_term(weighted["preference"], false, at.child("preference"), report);
  }
}

void check_topology_key(json::Value term, const FieldPath& path, Report& report) {
  const std::string_view key = term["topologyKey"].string_or_empty();
  if (key.empty()) {
    report.add(ErrorType::kRequired, path.child("topologyKey"),
               "must name a label of nodes, such as kubernetes.io/hostname");
  } else if (!text::is_qualified_name(key)) {
    report.add(ErrorType::kInvalid, path.child("topologyKey"),
               found("must be the key of a label", key));
  }
}

void check_pod_term(json::Value term, const FieldPath& path, Report& report) {
  check_label_selector(term["labelSelector"], path.child("labelSelector"), report);
  check_label_selector(term["namespaceSelector"], path.child("namespaceSelector"), report);
  const FieldPath namespaces = path.child("namespaces");
  std::size_t index = 0;
  for (const json::Value name : term["namespaces"].elements()) {
    const std::string_view text = name.string_or_empty();
    if (!text::is_dns_label(text)) {
      report.add(ErrorType::kInvalid, namespaces.index(index),
                 [&] { return found(kDnsLabelForm, text); });
    }
    ++index;
  }
  check_topology_key(term, path, report);
}

void check_pod_affinity(json::Value affinity, const FieldPath& path, Report& report) {
  const FieldPath required = path.child(kRequired);
  std::size_t index = 0;
  for (const json::Value term : affinity[kRequired].elements()) {
    check_pod_term(term, required.index(index++), report);
  }
  const FieldPath preferred = path.child(kPreferred);
  index = 0;
  for (const json::Value weighted : affinity[kPreferred].elements()) {
    const FieldPath at = preferred.index(index++);
    check_weight(weighted, at, report);
    check_pod_term(weighted["podAffinityTerm"], at.child("podAffinityTerm"), report);
  }
}

void check_affinity(json::Value affinity, const FieldPath& path, Report& report) {
  if (!affinity.is_object()) return;
  check_node_affinity(affinity["nodeAffinity"], path.child("nodeAffinity"), report);
  check_pod_affinity(affinity["podAffinity"], path.child("podAffinity"), report);
  check_pod_affinity(affinity["podAntiAffinity"], path.child("podAntiAffinity"), report);
}

void check_constraint(json::Value constraint, const FieldPath& path, Report& report) {
  for (const std::string_view field : {"maxSkew", "minDomains"}) {
    const auto number = constraint[field].integer();
    if (number && *number < 1) {
      report.add(ErrorType::kInvalid, path.child(field),
                 "must be 1 or more; found " + std::to_string(*number));
    }
  }
  if (constraint["topologyKey"].string_or_empty().empty()) {
    report.add(ErrorType::kRequired, path.child("topologyKey"),
               "must name a label of nodes, such as kubernetes.io/hostname");
  }
  const std::string_view action = constraint["whenUnsatisfiable"].string_or_empty();
  check_spelling(constraint["whenUnsatisfiable"], kSpreadActions.words,
                 path.child("whenUnsatisfiable"), report);
  for (const std::string_view field : {"nodeAffinityPolicy", "nodeTaintsPolicy"}) {
    check_spelling(constraint[field], kInclusionPolicies.words, path.child(field), report);
  }
  if (!constraint["minDomains"].is_nothing() && action == "ScheduleAnyway") {
    report.add(ErrorType::kInvalid, path.child("minDomains"),
               found("must stand with whenUnsatisfiable: DoNotSchedule", action, "remove it"));
  }
  if (list_size(constraint["matchLabelKeys"]) > 0 && constraint["labelSelector"].is_nothing()) {
    report.add(ErrorType::kForbidden, path.child("matchLabelKeys"),
               "must stand with a labelSelector; found none");
  }
  check_label_selector(constraint["labelSelector"], path.child("labelSelector"), report);
}

// Reports repeated pairs of topologyKey and action.
void check_repeated_constraints(json::Value list, const FieldPath& path, Report& report) {
  constexpr std::size_t kMax = 16;
  struct Kind {
    std::string_view key;
    std::string_view action;
    bool operator==(const Kind&) const = default;
  };
  std::array<Kind, kMax> kinds;
  std::size_t count = 0;
  for (const json::Value constraint : list.elements()) {
    if (count == kMax) return;
    const Kind kind{constraint["topologyKey"].string_or_empty(),
                    constraint["whenUnsatisfiable"].string_or_empty()};
    const auto last = kinds.begin() + static_cast<std::ptrdiff_t>(count);
    if (std::find(kinds.begin(), last, kind) != last) {
      report.add(ErrorType::kDuplicate, path.index(count),
                 found("must not repeat topologyKey and whenUnsatisfiable of another", kind.key,
                       "make one constraint of the two"));
    }
    kinds[count++] = kind;
  }
}

void check_pod(const RenderedPod& pod, Report& report) {
  const json::Value user = pod.pod->user;
  // Calls `check` with the path of a field that is set.
  const auto with = [&](std::string_view name, auto check) {
    const json::Value value = user[name];
    if (value.size() == 0) return;
    const render::OriginPath at(*pod.path, pod.pod->field(name));
    check(value, at.path(), report);
  };
  with("tolerations", &check_tolerations);
  with("affinity", &check_affinity);
  with("nodeSelector", &check_label_map);
  with("topologySpreadConstraints", [](json::Value list, const FieldPath& path, Report& to) {
    std::size_t index = 0;
    for (const json::Value constraint : list.elements()) {
      check_constraint(constraint, path.index(index++), to);
    }
    check_repeated_constraints(list, path, to);
  });
  with("schedulingGates", [](json::Value, const FieldPath& path, Report& to) {
    to.also_warn(path,
                 "must be empty in a template: every pod waits until something removes its gates, "
                 "and the operator does not; remove them");
  });
}

void scheduling(const Context& context, const RenderedObject& rendered, Report& report) {
  for (const RenderedPod& pod : rendered.changed_pods()) check_pod(pod, report);
  if (context.kind != api::Kind::kGraphDeploymentRequest) return;
  const json::Value profiling = rendered.object.spec()["profilingConfig"];
  constexpr FieldPath kSpec{"spec"};
  const FieldPath path = kSpec.child("profilingConfig");
  check_tolerations(profiling["tolerations"], path.child("tolerations"), report);
}

}  // namespace

extern constexpr Rule kSchedulingRule{
    .id = "pod.scheduling",
    .kinds = kinds::kPodsAndRequests,
    .function = &scheduling,
    .field = "E.tolerations, E.affinity, E.nodeSelector, E.topologySpreadConstraints",
};

}  // namespace dynamo::validators::pod
