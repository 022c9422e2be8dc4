#include "admission/policy_check.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "text/glob.hpp"
#include "validators/catalog.hpp"
#include "validators/content/uri.hpp"
#include "validators/report.hpp"

namespace dynamo::admission {
namespace {

bool has_wildcard(std::string_view glob) {
  return glob.find_first_of("*?") != std::string_view::npos;
}

// Whether `outer` matches everything that `inner` matches. Matches `outer` against the text of
// `inner`: its * accepts wildcards like letters, but its ? could accept a * that means many
// characters.
bool includes(std::string_view outer, std::string_view inner) {
  if (outer == inner || outer == "*") return true;
  const bool one_for_many = outer.find('?') != std::string_view::npos && has_wildcard(inner);
  return !one_for_many && text::matches_glob(outer, inner);
}

// Statements are compared in pairs. For a policy that would need more comparisons the check is
// incomplete, which is harmless: it only finds statements without effect.
constexpr std::size_t kMaxComparisons = 500'000;

std::size_t comparisons(const PolicyScope& one, const PolicyScope& other) {
  return (one.namespaces.size() + 1) * (other.namespaces.size() + 1) +
         (one.names.size() + 1) * (other.names.size() + 1);
}

bool includes(const std::vector<std::string>& outer, const std::vector<std::string>& inner) {
  const auto in_outer = [&](std::string_view glob) {
    return std::ranges::any_of(outer,
                               [&](const std::string& each) { return includes(each, glob); });
  };
  if (outer.empty()) return true;
  return inner.empty() ? in_outer("*") : std::ranges::all_of(inner, in_outer);
}

bool includes(const std::vector<api::Kind>& outer, const std::vector<api::Kind>& inner) {
  const auto in_outer = [&](api::Kind kind) {
    return std::ranges::find(outer, kind) != outer.end();
  };
  if (outer.empty()) return true;
  if (!inner.empty()) return std::ranges::all_of(inner, in_outer);
  return std::ranges::all_of(api::kKinds,
                             [&](const api::KindNames& names) { return in_outer(names.kind); });
}

bool includes(const PolicyScope& outer, const PolicyScope& inner) {
  return includes(outer.namespaces, inner.namespaces) && includes(outer.names, inner.names) &&
         includes(outer.kinds, inner.kinds);
}

bool asked_of(const validators::Rule& rule, const PolicyScope& scope) {
  return scope.kinds.empty() ||
         std::ranges::any_of(scope.kinds, [&](api::Kind kind) { return rule.kinds.has(kind); });
}

std::string in_line(const json::Location& place) {
  return "line " + std::to_string(place.line);
}

class PolicyCheck {
 public:
  PolicyCheck(const Policy& policy, std::chrono::system_clock::time_point now)
      : policy_(policy), now_(now) {}

  std::vector<PolicyError> run() {
    for (std::size_t at = 0; at < policy_.severities().size(); ++at) check_severity(at);
    for (std::size_t at = 0; at < policy_.exemptions().size(); ++at) check_exemption(at);
    for (std::size_t at = 0; at < policy_.parameters().size(); ++at) check_parameters(at);
    std::ranges::stable_sort(warnings_, [](const PolicyError& left, const PolicyError& right) {
      return std::pair{left.line, left.column} < std::pair{right.line, right.column};
    });
    return std::move(warnings_);
  }

 private:
  // False if it does not, or if the limit of comparisons was reached.
  bool covers_all(const PolicyScope& outer, const PolicyScope& inner) {
    const std::size_t cost = comparisons(outer, inner);
    if (cost > left_) {
      left_ = 0;
      return false;
    }
    left_ -= cost;
    return includes(outer, inner);
  }

  void warn(const json::Location& place, std::string reason) {
    warnings_.push_back({place.line, place.column, std::move(reason)});
  }

  // Reports characters that no name in Kubernetes has.
  void check_globs(const json::Location& place, const std::vector<std::string>& globs,
                   std::string_view what, bool dots) {
    for (const std::string& glob : globs) {
      const bool possible = std::ranges::all_of(glob, [dots](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '*' ||
               c == '?' || (dots && c == '.');
      });
      if (possible) continue;
      warn(place, validators::quoted(glob) + " matches nothing: a " + std::string(what) +
                      " has lower case letters, digits and '-'" + (dots ? " and '.'" : "") +
                      " only");
    }
  }

  void check_scope(const json::Location& place, const PolicyScope& scope) {
    check_globs(place, scope.namespaces, "namespace", false);
    check_globs(place, scope.names, "name", true);
  }

  void check_rules(const json::Location& place, const PolicyRules& rules,
                   const PolicyScope& scope) {
    for (const std::string& glob : rules.globs) {
      const bool asked = std::ranges::any_of(validators::catalog(), [&](const auto& rule) {
        return text::matches_glob(glob, rule.id) && asked_of(rule, scope);
      });
      if (!asked) warn(place, validators::quoted(glob) + " matches no rule of these kinds");
    }
  }

  void check_severity(std::size_t at) {
    const PolicySeverity& statement = policy_.severities()[at];
    check_scope(statement.place, statement.scope);
    check_rules(statement.place, statement.rules, statement.scope);
    validators::RuleSet replaced;
    const PolicySeverity* last = nullptr;
    for (std::size_t later = at + 1; later < policy_.severities().size(); ++later) {
      const PolicySeverity& other = policy_.severities()[later];
      if ((other.rules.matched & statement.rules.matched).none()) continue;
      if (!covers_all(other.scope, statement.scope)) continue;
      replaced |= other.rules.matched;
      last = &other;
    }
    if (last == nullptr || (statement.rules.matched & ~replaced).any()) return;
    warn(statement.place,
         "has no effect: later statements, up to that in " + in_line(last->place) +
             ", set the severity of all its rules for all its objects; remove it or move it down");
  }

  void check_exemption(std::size_t at) {
    const PolicyExemption& exemption = policy_.exemptions()[at];
    check_scope(exemption.place, exemption.scope);
    check_rules(exemption.place, exemption.rules, exemption.scope);
    if (!exemption.is_active(now_)) {
      return warn(exemption.place, "the exemption of " + validators::quoted(exemption.holder) +
                                       " expired on " + exemption.expires_text + "; remove it");
    }
    for (std::size_t earlier = 0; earlier < at; ++earlier) {
      const PolicyExemption& other = policy_.exemptions()[earlier];
      if ((exemption.rules.matched & ~other.rules.matched).any()) continue;
      if (other.expires < exemption.expires || !covers_all(other.scope, exemption.scope)) continue;
      return warn(exemption.place, "has no effect: the exemption in " + in_line(other.place) +
                                       " covers all of it for as long; remove one of the two");
    }
  }

  void check_parameters(std::size_t at) {
    const PolicyParameters& statement = policy_.parameters()[at];
    check_scope(statement.place, statement.scope);
    for (const PolicyParameterRow& row : kPolicyParameters) {
      if (row.is_given(statement)) check_parameter(at, row);
    }
    check_schemes(statement);
  }

  void check_parameter(std::size_t at, const PolicyParameterRow& row) {
    const PolicyParameters& statement = policy_.parameters()[at];
    const validators::Rule* const rule = validators::find_rule(row.rule);
    if (rule != nullptr && !asked_of(*rule, statement.scope)) {
      return warn(statement.place,
                  std::string(row.name) + " has no effect: it concerns none of these kinds");
    }
    for (std::size_t later = at + 1; later < policy_.parameters().size(); ++later) {
      const PolicyParameters& other = policy_.parameters()[later];
      if (!row.is_given(other) || !covers_all(other.scope, statement.scope)) continue;
      return warn(statement.place, std::string(row.name) + " has no effect: the statement in " +
                                       in_line(other.place) +
                                       " gives it for all its objects; remove it or move it down");
    }
  }

  // A parameter cannot allow a scheme that the operator's own rule refuses.
  void check_schemes(const PolicyParameters& statement) {
    constexpr std::string_view kRule = "dm.lora.scheme";
    const validators::Rule* const rule = validators::find_rule(kRule);
    if (rule == nullptr || is_relaxed(*rule)) return;
    for (const std::string& scheme : statement.allowed_lora_schemes) {
      if (validators::is_model_source(scheme + ":///any")) continue;
      warn(statement.place, "the scheme " + validators::quoted(scheme) +
                                " has no effect: " + std::string(kRule) +
                                " refuses it; set its severity to warn or off too");
    }
  }

  bool is_relaxed(const validators::Rule& rule) const {
    return std::ranges::any_of(policy_.severities(), [&](const PolicySeverity& statement) {
      return statement.severity != validators::Severity::kDeny &&
             statement.rules.matched.test(validators::index_of(rule));
    });
  }

  const Policy& policy_;
  const std::chrono::system_clock::time_point now_;
  std::size_t left_ = kMaxComparisons;
  std::vector<PolicyError> warnings_;
};

}  // namespace

std::vector<PolicyError> policy_warnings(const Policy& policy,
                                         std::chrono::system_clock::time_point now) {
  return PolicyCheck(policy, now).run();
}

}  // namespace dynamo::admission
