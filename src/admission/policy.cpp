#include "admission/policy.hpp"

#include <algorithm>
#include <utility>

#include "api/glob.hpp"
#include "api/timestamp.hpp"
#include "json/yaml.hpp"
#include "schema/catalog.hpp"
#include "validators/catalog.hpp"
#include "validators/report.hpp"

namespace dynamo::admission {
namespace {

bool covered(const std::vector<std::string>& globs, std::string_view text) {
  return globs.empty() || std::ranges::any_of(globs, [&](const std::string& glob) {
           return api::matches_glob(glob, text);
         });
}

std::optional<validators::Severity> parse_severity(json::Value value) {
  // Without quotes `off` is false in YAML.
  if (value.boolean() == false) return validators::Severity::kOff;
  const std::string_view text = value.string_or_empty();
  if (text == "deny") return validators::Severity::kDeny;
  if (text == "warn") return validators::Severity::kWarn;
  if (text == "off") return validators::Severity::kOff;
  return std::nullopt;
}

std::optional<api::Kind> parse_kind(std::string_view text) {
  const auto at = std::ranges::find_if(api::kKinds, [&](const api::KindNames& names) {
    return text == names.name || text == names.singular || text == names.short_name;
  });
  if (at == api::kKinds.end()) return std::nullopt;
  return at->kind;
}

validators::RuleSet matching_rules(std::string_view glob) {
  validators::RuleSet rules;
  for (const validators::Rule& rule : validators::catalog()) {
    if (api::matches_glob(glob, rule.id)) rules.set(validators::index_of(rule));
  }
  return rules;
}

}  // namespace

bool PolicyScope::covers(const PolicySubject& subject) const {
  const bool right_kind = kinds.empty() || std::ranges::find(kinds, subject.kind) != kinds.end();
  return right_kind && covered(namespaces, subject.namespace_name) && covered(names, subject.name);
}

std::string PolicyExemption::describe() const {
  return "held by " + holder + " until " + expires_text + ": " + reason;
}

std::string PolicyError::message() const {
  if (line == 0) return reason;
  return "line " + std::to_string(line) + ", column " + std::to_string(column) + ": " + reason;
}

const validators::Severities& Policy::severities_for(const PolicySubject& subject,
                                                     validators::Severities& storage) const {
  bool covered_once = false;
  for (const PolicySeverity& statement : severities_) {
    if (!statement.scope.covers(subject)) continue;
    if (!covered_once) storage = validators::default_severities();
    covered_once = true;
    const std::size_t rules = validators::catalog().size();
    for (std::size_t rule = 0; rule < rules; ++rule) {
      if (statement.scope.rules.test(rule)) storage.set(rule, statement.severity);
    }
  }
  return covered_once ? storage : validators::default_severities();
}

const PolicyExemption* Policy::find_exemption(const PolicySubject& subject, std::string_view rule,
                                              std::chrono::system_clock::time_point now) const {
  const validators::Rule* row = validators::find_rule(rule);
  if (row == nullptr) return nullptr;
  const auto at = std::ranges::find_if(exemptions_, [&](const PolicyExemption& exemption) {
    return exemption.scope.rules.test(validators::index_of(*row)) && exemption.active(now) &&
           exemption.scope.covers(subject);
  });
  return at == exemptions_.end() ? nullptr : &*at;
}

// Walks the document and notes every mistake with its place.
class PolicyReader {
 public:
  ReadPolicy read(std::string_view text) {
    if (text.size() > kMaxPolicyBytes) {
      return refuse({0, 0,
                     "must be at most " + std::to_string(kMaxPolicyBytes) + " bytes; found " +
                         std::to_string(text.size())});
    }
    json::YamlReader reader{text};
    if (const auto read = reader.next(document_); read != json::YamlReader::Read::kDocument) {
      return refuse(read == json::YamlReader::Read::kError
                        ? PolicyError{reader.error().where.line, reader.error().where.column,
                                      reader.error().reason}
                        : PolicyError{0, 0, "must hold a policy; found nothing"});
    }
    read_root(document_.root());
    json::Document rest;
    if (const auto next = reader.next(rest); next != json::YamlReader::Read::kEnd) {
      errors_.push_back({reader.line(), 1, "must hold one document; found another"});
    }
    if (!errors_.empty()) return {std::nullopt, std::move(errors_)};
    return {std::move(policy_), {}};
  }

 private:
  static ReadPolicy refuse(PolicyError error) { return {std::nullopt, {std::move(error)}}; }

  void add_error(json::Value where, std::string reason) {
    const json::Location place = document_.location(where).value_or(json::Location{});
    errors_.push_back({place.line, place.column, std::move(reason)});
  }

  // Calls `field(name, value)` for each member; it answers whether it knows the name.
  template <typename Field>
  bool read_object(json::Value value, std::string_view what, std::string_view known, Field field) {
    if (!value.is_object()) {
      add_error(value, std::string(what) + " must be a mapping; found " +
                           std::string(json::type_name(value.type())));
      return false;
    }
    for (const json::Member member : value.members()) {
      if (field(member.name, member.value)) continue;
      add_error(member.value, "unknown field " + validators::quoted(member.name) + " in " +
                                  std::string(what) + "; known are " + std::string(known));
    }
    return true;
  }

  void read_root(json::Value root) {
    bool has_version = false;
    const bool is_object =
        read_object(root, "a policy", "version, severities, exemptions",
                    [&](std::string_view name, json::Value value) {
                      if (name == "version") {
                        has_version = true;
                        if (value.integer() != 1) add_error(value, "version must be 1");
                      } else if (name == "severities") {
                        read_list(value, name, [&](json::Value item) { read_severity(item); });
                      } else if (name == "exemptions") {
                        read_list(value, name, [&](json::Value item) { read_exemption(item); });
                      } else {
                        return false;
                      }
                      return true;
                    });
    if (is_object && !has_version) add_error(root, "version is missing; write version: 1");
  }

  template <typename Item>
  void read_list(json::Value value, std::string_view name, Item item) {
    if (value.is_nothing()) return;
    if (!value.is_array()) {
      return add_error(value, std::string(name) + " must be a list; found " +
                                  std::string(json::type_name(value.type())));
    }
    for (const json::Value element : value.elements()) item(element);
  }

  bool read_scope(std::string_view name, json::Value value, PolicyScope& scope) {
    if (name == "rules") {
      scope.rule_globs = read_texts(value, name);
      std::size_t at = 0;
      for (const std::string& glob : scope.rule_globs) {
        const validators::RuleSet rules = matching_rules(glob);
        if (schema::find_check(glob) != nullptr) {
          add_error(element(value, at), validators::quoted(glob) +
                                            " is checked by the API server itself; a policy "
                                            "cannot change it");
        } else if (rules.none()) {
          add_error(element(value, at), "no rule is called " + validators::quoted(glob) +
                                            "; `kubectl dynamo rules` lists them");
        }
        scope.rules |= rules;
        ++at;
      }
    } else if (name == "namespaces") {
      scope.namespaces = read_texts(value, name);
    } else if (name == "names") {
      scope.names = read_texts(value, name);
    } else if (name == "kinds") {
      std::size_t at = 0;
      for (const std::string& text : read_texts(value, name)) {
        if (const auto kind = parse_kind(text)) {
          scope.kinds.push_back(*kind);
        } else {
          add_error(element(value, at), "no kind with rules is called " + validators::quoted(text));
        }
        ++at;
      }
    } else {
      return false;
    }
    return true;
  }

  // The element of a list, or the value itself where one text stands for a list of one.
  static json::Value element(json::Value value, std::size_t index) {
    if (!value.is_array()) return value;
    for (const json::Value found : value.elements()) {
      if (index-- == 0) return found;
    }
    return value;
  }

  // A list of texts, or one text.
  std::vector<std::string> read_texts(json::Value value, std::string_view name) {
    std::vector<std::string> texts;
    const auto take = [&](json::Value item) {
      if (item.is_string() && !item.string_or_empty().empty()) {
        texts.emplace_back(item.string_or_empty());
      } else {
        add_error(item, std::string(name) + " must hold texts that are not empty");
      }
    };
    if (value.is_string()) {
      take(value);
    } else if (value.is_array() && value.size() > 0) {
      for (const json::Value item : value.elements()) take(item);
    } else {
      add_error(value, std::string(name) +
                           " must be a text or a list of texts; leave it out to "
                           "mean all");
    }
    return texts;
  }

  std::string read_text(json::Value value, std::string_view name) {
    const std::string_view text = value.string_or_empty();
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
      add_error(value, std::string(name) + " must be a text that is not empty");
    }
    return std::string(text);
  }

  void require(json::Value statement, json::Value field, std::string_view name) {
    if (!field.exists()) add_error(statement, std::string(name) + " is missing");
  }

  void read_severity(json::Value item) {
    PolicySeverity statement{};
    const bool is_object =
        read_object(item, "a severity", "rules, severity, namespaces, names, kinds",
                    [&](std::string_view name, json::Value value) {
                      if (name != "severity") return read_scope(name, value, statement.scope);
                      if (const auto severity = parse_severity(value)) {
                        statement.severity = *severity;
                      } else {
                        add_error(value, "severity must be deny, warn or off");
                      }
                      return true;
                    });
    if (!is_object) return;
    require(item, item["rules"], "rules");
    require(item, item["severity"], "severity");
    policy_.severities_.push_back(std::move(statement));
  }

  void read_exemption(json::Value item) {
    PolicyExemption exemption{};
    const bool is_object = read_object(
        item, "an exemption", "rules, namespaces, names, kinds, holder, reason, expires",
        [&](std::string_view name, json::Value value) {
          if (name == "holder") {
            exemption.holder = read_text(value, name);
          } else if (name == "reason") {
            exemption.reason = read_text(value, name);
          } else if (name == "expires") {
            exemption.expires_text = value.string_or_empty();
            if (const auto time = api::parse_day_or_timestamp(exemption.expires_text)) {
              exemption.expires = *time;
            } else {
              add_error(value,
                        "expires must be a day such as 2026-12-31, or a time such as "
                        "2026-12-31T12:00:00Z");
            }
          } else {
            return read_scope(name, value, exemption.scope);
          }
          return true;
        });
    if (!is_object) return;
    for (const std::string_view name : {"rules", "holder", "reason", "expires"}) {
      require(item, item[name], name);
    }
    policy_.exemptions_.push_back(std::move(exemption));
  }

  json::Document document_;
  Policy policy_;
  std::vector<PolicyError> errors_;
};

ReadPolicy read_policy(std::string_view text) {
  return PolicyReader{}.read(text);
}

}  // namespace dynamo::admission
