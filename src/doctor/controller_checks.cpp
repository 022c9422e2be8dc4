#include "doctor/check_groups.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "admission/namespace_lease.hpp"
#include "cluster/lease_record.hpp"
#include "cluster/reconciler_lease.hpp"

namespace dynamo::doctor {
namespace {

struct Leader {
  std::string lease;  // "NS/NAME"
  std::string holder;
  std::string scope;  // the only namespace it covers; empty: the whole cluster
  std::string mode;   // of a reconciler
  bool is_operator = false;

  std::string in_words() const {
    return (is_operator ? "the operator's leader \"" : "dynamo-reconciler \"") + holder +
           "\" (Lease " + lease + ")";
  }
};

std::string in_words(std::string_view scope) {
  return scope.empty() ? "the whole cluster" : "namespace " + std::string(scope);
}

Leader leader_of(const kube::Object& object, const Evidence& evidence) {
  Leader leader;
  const std::string_view space = object.namespace_name();
  leader.lease = std::string(space) + "/" + std::string(object.name());
  leader.holder = cluster::read_lease(object.root()["spec"]).holder;
  const bool is_configured = leader.lease == evidence.operator_lease;
  leader.is_operator = is_configured || object.name() == cluster::kOperatorLease;
  if (is_configured) {
    leader.scope = evidence.restricted_namespace;
    return leader;
  }
  if (leader.is_operator) {
    if (space != cluster::kOperatorLeaseNamespace) leader.scope = space;
    return leader;
  }
  const json::Value annotations = object.root()["metadata"]["annotations"];
  leader.scope = annotations[cluster::kScopeAnnotation].string_or_empty();
  leader.mode = annotations[cluster::kModeAnnotation].string_or_empty();
  return leader;
}

// A single read can only use the renewal time, written with the holder's clock.
struct Leaders {
  std::vector<Leader> live;    // by that time
  std::vector<Leader> silent;  // expired by that time, and not released
  std::vector<Leader> vacant;  // of reconcilers: expired or released
};

Leaders leaders_of(const Evidence& evidence) {
  Leaders leaders;
  for (const kube::Object& object : evidence.leader_leases.value) {
    const cluster::LeaseRecord lease = cluster::read_lease(object.root()["spec"]);
    Leader leader = leader_of(object, evidence);
    const bool is_held = !lease.holder.empty();
    if (is_held && admission::is_live(lease.view(), evidence.now)) {
      leaders.live.push_back(std::move(leader));
      continue;
    }
    if (!leader.is_operator) leaders.vacant.push_back(leader);
    if (is_held) leaders.silent.push_back(std::move(leader));
  }
  return leaders;
}

// Finds a controller that writes the same objects as a reconciler in replacement mode: an operator,
// or another such reconciler. Controllers of different scopes are separated by a marker Lease.
const Leader* rival_of(const Leader& one, const std::vector<Leader>& leaders) {
  const auto found = std::ranges::find_if(leaders, [&one](const Leader& other) {
    const bool writes_the_same = other.is_operator || other.mode == cluster::kReplacementMode;
    return &other != &one && writes_the_same && other.scope == one.scope;
  });
  return found == leaders.end() ? nullptr : &*found;
}

// The clock of that Lease's holder may be wrong.
std::string doubt_about(const Leader* silent) {
  if (silent == nullptr) return "";
  return "; by its renewTime " + silent->in_words() +
         " no longer runs, which holds if the clock there is right: it runs if renewTime still "
         "changes";
}

void say_of_replacement(const Leader& leader, const Leaders& leaders, Findings& findings) {
  const std::string subject = leader.in_words();
  const std::string place = in_words(leader.scope);
  const Leader* const rival = rival_of(leader, leaders.live);
  if (rival == nullptr) {
    return findings.ok(subject, "runs the controllers of " + place +
                                    ", and no other live leader does" +
                                    doubt_about(rival_of(leader, leaders.silent)));
  }
  if (rival->is_operator) {
    return findings.failed(
        subject,
        "must be alone in running the controllers of " + place + "; found " + rival->in_words() +
            ", which is live: as long as it is, the reconciler does not run its own",
        "stop the operator (scale its Deployment to 0), or run the reconciler with --mode "
        "companion");
  }
  findings.failed(
      subject,
      "must be alone in running the controllers of " + place + "; found " + rival->in_words() +
          ": both write the same objects",
      "stop one of the two, or restrict each to a namespace of its own with dynamo-reconciler's "
      "--restrictedNamespace");
}

void say_of_companion(const Leader& leader, const std::vector<Leader>& leaders,
                      Findings& findings) {
  const auto accompanied = std::ranges::find_if(leaders, [&leader](const Leader& other) {
    return other.is_operator && (other.scope.empty() || other.scope == leader.scope);
  });
  findings.ok(leader.in_words(), accompanied == leaders.end()
                                     ? "validates only, next to an operator without a known live "
                                       "leader"
                                     : "validates only, next to " + accompanied->in_words());
}

// A reconciler has replaced the operator in this scope, and no controller runs there now.
void say_of_vacant(const Leader& vacant, const Leaders& leaders, Findings& findings) {
  const auto covers = [&vacant](const Leader& other) {
    const bool runs_controllers = other.is_operator || other.mode == cluster::kReplacementMode;
    return runs_controllers && (other.scope.empty() || other.scope == vacant.scope);
  };
  if (vacant.mode != cluster::kReplacementMode || std::ranges::any_of(leaders.live, covers)) return;
  findings.failed(
      "Lease " + vacant.lease,
      "must have a live leader: dynamo-reconciler runs the controllers of " +
          in_words(vacant.scope) + "; found " +
          (vacant.holder.empty()
               ? "none, the last one gave the Lease back"
               : "\"" + vacant.holder + "\", which by its renewTime no longer renews") +
          ": graphs are stored, and no controller acts on them",
      "start dynamo-reconciler, or read its log; delete the Lease if it was uninstalled");
}

// Without a reconciler the operator must lead, unless it uses another Lease, or one in a namespace
// that a restricted server cannot read.
void say_of_none(const Evidence& evidence, const Leaders& leaders, Findings& findings) {
  constexpr std::string_view kNone = "no dynamo-reconciler leads here";
  const auto led = std::ranges::find_if(leaders.live, &Leader::is_operator);
  if (led != leaders.live.end()) {
    return findings.ok("controllers", std::string(kNone) + "; " + led->in_words() + " does");
  }
  if (!evidence.restricted_namespace.empty()) return findings.ok("controllers", std::string(kNone));
  std::string text = "must have a live leader, of the operator or of dynamo-reconciler; found none";
  if (!evidence.lists_leases) text += " by its usual name (this account may not list all Leases)";
  findings.warning("controllers", text + ": objects are validated, and no controller acts on them",
                   "start one; name its Lease with --operator-lease or --reconciler-lease if it is "
                   "there under another name");
}

}  // namespace

void controllers_apart(const Evidence& evidence, Findings& findings) {
  if (!evidence.leader_leases.has_value()) {
    return findings.skipped("controllers", evidence.leader_leases.problem);
  }
  const Leaders leaders = leaders_of(evidence);
  bool any = false;
  for (const Leader& each : leaders.live) {
    if (each.is_operator) continue;
    any = true;
    if (each.mode == cluster::kReplacementMode) {
      say_of_replacement(each, leaders, findings);
    } else if (each.mode == cluster::kCompanionMode) {
      say_of_companion(each, leaders.live, findings);
    } else {
      findings.skipped(each.in_words(), "its Lease does not say in which mode it runs",
                       "upgrade it, and ask again");
    }
  }
  for (const Leader& each : leaders.vacant) say_of_vacant(each, leaders, findings);
  if (!any && !findings.has_trouble()) say_of_none(evidence, leaders, findings);
}

}  // namespace dynamo::doctor
