#include "cli/commands/policy_report.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "admission/ignores.hpp"
#include "admission/policy_check.hpp"
#include "api/kind.hpp"
#include "cli/input/locate.hpp"
#include "cli/report/source_line.hpp"
#include "cli/report/wording.hpp"
#include "json/report_writer.hpp"
#include "text/glob.hpp"
#include "text/timestamp.hpp"
#include "validators/catalog.hpp"
#include "validators/severities.hpp"

namespace dynamo::cli {
namespace {

using admission::Policy;
using admission::PolicyError;
using admission::PolicyExemption;
using admission::PolicyParameters;
using admission::PolicyRules;
using admission::PolicyScope;
using admission::PolicySeverity;
using validators::Rule;
using validators::Severity;

std::size_t matches(std::string_view glob) {
  std::size_t count = 0;
  for (const Rule& rule : validators::catalog()) count += text::matches_glob(glob, rule.id) ? 1 : 0;
  return count;
}

// Calls `visit(rule)` for each rule of the set, in catalog order.
template <typename Visit>
void for_each_rule(const validators::RuleSet& rules, Visit visit) {
  for (const Rule& rule : validators::catalog()) {
    if (rules.test(validators::index_of(rule))) visit(rule);
  }
}

std::int64_t days_left(const PolicyExemption& exemption,
                       std::chrono::system_clock::time_point now) {
  return std::chrono::floor<std::chrono::days>(exemption.expires - now).count();
}

class TextPage {
 public:
  explicit TextPage(const PolicyReport& report) : report_(report) {}

  std::string write() {
    if (report_.policy != nullptr) explain(*report_.policy);
    for (const PolicyError& error : report_.errors) add_message(error, "error");
    for (const PolicyError& warning : report_.warnings) add_message(warning, "warning");
    append_printable(text_, display_name(report_.file));
    if (report_.policy == nullptr) {
      text_ += ": cannot be used: " + count_of(report_.errors.size(), "mistake") + "\n";
      return std::move(text_);
    }
    const Policy& policy = *report_.policy;
    text_ += ": can be used: severities: " + std::to_string(policy.severities().size()) +
             ", exemptions: " + std::to_string(policy.exemptions().size()) +
             ", parameters: " + std::to_string(policy.parameters().size()) +
             "; warnings: " + std::to_string(report_.warnings.size()) + "\n";
    return std::move(text_);
  }

 private:
  void explain(const Policy& policy) {
    for (const PolicySeverity& statement : policy.severities()) explain(statement);
    for (const PolicyExemption& exemption : policy.exemptions()) explain(exemption);
    for (const PolicyParameters& statement : policy.parameters()) explain(statement);
    if (!policy.honours_ignores()) return;
    text_ +=
        "honourIgnores: authors may ignore warnings, and errors of rules on rendered objects,\n  "
        "by the annotation ";
    text_ += admission::kIgnoreAnnotation;
    text_ += " with a reason; each is reported and counted\n";
  }

  void begin(const json::Location& place, std::string_view what, const PolicyScope& scope) {
    text_ += "line " + std::to_string(place.line) + ": ";
    text_ += what;
    if (scope.is_everything()) text_ += ", of every object";
    if (!scope.kinds.empty()) {
      text_ += ", of ";
      bool first = true;
      for (const api::Kind kind : scope.kinds) {
        if (!first) text_ += " or ";
        first = false;
        text_ += api::names(kind).name;
      }
    }
    add_globs(", in namespace ", scope.namespaces);
    add_globs(", with the name ", scope.names);
    text_ += '\n';
  }

  void add_globs(std::string_view what, std::span<const std::string> globs) {
    if (globs.empty()) return;
    text_ += what;
    add_list(globs, " or ");
  }

  void add_list(std::span<const std::string> texts, std::string_view between) {
    bool first = true;
    for (const std::string& each : texts) {
      if (!first) text_ += between;
      first = false;
      append_printable(text_, each);
    }
  }

  void add_matches(const PolicyRules& rules) {
    for (const std::string& glob : rules.globs) {
      if (validators::find_rule(glob) != nullptr) continue;  // an id rather than a glob
      text_ += "  ";
      append_printable(text_, glob);
      text_ += " matches " + count_of(matches(glob), "rule") + "\n";
    }
  }

  // Rules that a glob matches and the statement cannot change.
  void add_unbending(const PolicyRules& rules) {
    for_each_rule(validators::protected_rules() & ~rules.matched, [&](const Rule& rule) {
      const auto matches_it = [&](const std::string& glob) {
        return text::matches_glob(glob, rule.id);
      };
      if (std::ranges::none_of(rules.globs, matches_it)) return;
      text_ += "  ";
      text_ += rule.id;
      text_ += ": always denies, as no other rule validates what it denies\n";
    });
  }

  void explain(const PolicySeverity& statement) {
    begin(statement.place, "severity " + std::string(to_string(statement.severity)),
          statement.scope);
    add_matches(statement.rules);
    add_unbending(statement.rules);
    std::size_t unchanged = 0;
    for_each_rule(statement.rules.matched, [&](const Rule& rule) {
      if (rule.severity == statement.severity) {
        ++unchanged;
        return;
      }
      text_ += "  ";
      text_ += rule.id;
      text_ += ": ";
      text_ += to_string(rule.severity);
      text_ += " -> ";
      text_ += to_string(statement.severity);
      text_ += '\n';
    });
    if (unchanged == 0) return;
    text_ += "  " + count_of(unchanged, "rule") + " with this severity by default\n";
  }

  void explain(const PolicyExemption& exemption) {
    begin(exemption.place, "exemption", exemption.scope);
    text_ += "  ";
    append_printable(text_, exemption.describe());
    text_ += '\n';
    const std::int64_t days = days_left(exemption, report_.now);
    if (!exemption.is_active(report_.now)) {
      text_ += "  expired\n";
    } else if (days == 0) {
      text_ += "  less than a day left\n";
    } else {
      text_ += "  " + count_of(static_cast<std::size_t>(days), "day") + " left\n";
    }
    add_matches(exemption.rules);
    add_unbending(exemption.rules);
    for_each_rule(exemption.rules.matched, [&](const Rule& rule) {
      text_ += "  ";
      text_ += rule.id;
      text_ += '\n';
    });
  }

  void explain(const PolicyParameters& statement) {
    begin(statement.place, "parameters", statement.scope);
    for (const admission::PolicyParameterRow& row : admission::kPolicyParameters) {
      if (!row.is_given(statement)) continue;
      text_ += "  ";
      text_ += row.name;
      text_ += ": ";
      const std::span<const std::string> texts = row.texts_of(statement);
      if (row.is_number()) {
        text_ += std::to_string(*statement.max_replicas_per_service);
      } else if (texts.empty()) {
        text_ += "none";
      } else {
        add_list(texts, ", ");
      }
      text_ += " [";
      text_ += row.rule;
      text_ += "]\n";
    }
  }

  void add_message(const PolicyError& message, std::string_view level) {
    append_printable(text_, where(report_.file, message.line, message.column));
    text_ += ": ";
    text_ += level;
    text_ += ": ";
    append_printable(text_, message.reason);
    text_ += '\n';
    append_source_line(text_, place_of_character(report_.text, message.line, message.column));
  }

  const PolicyReport& report_;
  std::string text_;
};

class JsonPage {
 public:
  explicit JsonPage(const PolicyReport& report) : report_(report) {}

  std::string write() {
    writer_.start_object().key("formatVersion").integer(1);
    writer_.member("file", report_.file);
    writer_.key("valid").boolean(report_.policy != nullptr);
    write_messages("errors", report_.errors);
    write_messages("warnings", report_.warnings);
    static const Policy nothing;
    const Policy& policy = report_.policy == nullptr ? nothing : *report_.policy;
    write_each("severities", policy.severities());
    write_each("exemptions", policy.exemptions());
    write_each("parameters", policy.parameters());
    writer_.key("honourIgnores").boolean(policy.honours_ignores());
    writer_.end_object();
    return text_ + '\n';
  }

 private:
  void write_messages(std::string_view key, const std::vector<PolicyError>& messages) {
    writer_.key(key).start_array();
    for (const PolicyError& message : messages) {
      writer_.start_object().key("line").integer(message.line);
      writer_.key("column").integer(message.column);
      writer_.member("reason", message.reason).end_object();
    }
    writer_.end_array();
  }

  template <typename Statement>
  void write_each(std::string_view key, const std::vector<Statement>& statements) {
    writer_.key(key).start_array();
    for (const Statement& statement : statements) {
      writer_.start_object().key("line").integer(statement.place.line);
      writer_.key("column").integer(statement.place.column);
      write(statement);
      write_texts("namespaces", statement.scope.namespaces);
      write_texts("names", statement.scope.names);
      writer_.key("kinds").start_array();
      for (const api::Kind kind : statement.scope.kinds) writer_.string(api::names(kind).name);
      writer_.end_array().end_object();
    }
    writer_.end_array();
  }

  void write_texts(std::string_view key, std::span<const std::string> texts) {
    writer_.key(key).start_array();
    for (const std::string& text : texts) writer_.string(text);
    writer_.end_array();
  }

  // With the default outcome of each rule.
  void write_rules(const PolicyRules& rules) {
    writer_.key("globs").start_array();
    for (const std::string& glob : rules.globs) {
      writer_.start_object().member("glob", glob).key("rules");
      writer_.integer(static_cast<std::int64_t>(matches(glob))).end_object();
    }
    writer_.end_array().key("rules").start_array();
    for_each_rule(rules.matched, [&](const Rule& rule) {
      writer_.start_object().member("id", rule.id).member("default", to_string(rule.severity));
      writer_.end_object();
    });
    writer_.end_array();
  }

  void write(const PolicySeverity& statement) {
    writer_.member("severity", to_string(statement.severity));
    write_rules(statement.rules);
  }

  void write(const PolicyExemption& exemption) {
    writer_.member("holder", exemption.holder).member("reason", exemption.reason);
    writer_.member("expires", text::format_timestamp(exemption.expires));
    writer_.key("expired").boolean(!exemption.is_active(report_.now));
    writer_.key("daysLeft").integer(std::max<std::int64_t>(0, days_left(exemption, report_.now)));
    write_rules(exemption.rules);
  }

  // A parameter that is not set is null.
  void write(const PolicyParameters& statement) {
    for (const admission::PolicyParameterRow& row : admission::kPolicyParameters) {
      if (!row.is_given(statement)) {
        writer_.key(row.name).null();
      } else if (row.is_number()) {
        writer_.key(row.name).integer(*statement.max_replicas_per_service);
      } else {
        write_texts(row.name, row.texts_of(statement));
      }
    }
  }

  const PolicyReport& report_;
  std::string text_;
  json::ReportWriter writer_{text_};
};

}  // namespace

std::string policy_as_text(const PolicyReport& report) {
  return TextPage(report).write();
}

std::string policy_as_json(const PolicyReport& report) {
  return JsonPage(report).write();
}

}  // namespace dynamo::cli
