// Reads the text of a policy and records every mistake with its location.
#include <algorithm>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "admission/policy.hpp"
#include "json/places.hpp"
#include "json/yaml.hpp"
#include "schema/catalog.hpp"
#include "schema/suggest.hpp"
#include "text/glob.hpp"
#include "text/names.hpp"
#include "text/timestamp.hpp"
#include "validators/catalog.hpp"
#include "validators/content/path_parts.hpp"
#include "validators/content/registry.hpp"
#include "validators/report.hpp"

namespace dynamo::admission {
namespace {

std::optional<validators::Severity> parse_severity(json::Value value) {
  // An unquoted `off` is false in YAML.
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
    if (text::matches_glob(glob, rule.id)) rules.set(validators::index_of(rule));
  }
  return rules;
}

// The resource names that a policy accepts: "gpu" for any vendor, or the Kubernetes name.
bool is_resource_name(std::string_view text) {
  if (text.find('/') != std::string_view::npos) return text::is_qualified_name(text);
  return text == "gpu" || text == "cpu" || text == "memory" || text == "ephemeral-storage" ||
         (text.starts_with("hugepages-") && text::is_qualified_name(text));
}

bool is_uri_scheme(std::string_view text) {
  constexpr std::size_t kLongest = 32;
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto can_follow = [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
  };
  return !text.empty() && text.size() <= kLongest && is_letter(text.front()) &&
         std::ranges::all_of(text, can_follow);
}

// A glob of Kubernetes' names; '/' separates a namespace from a name.
bool is_name_glob(std::string_view text, bool slash) {
  return std::ranges::all_of(text, [slash](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '*' ||
           c == '?' || (slash && c == '/');
  });
}

bool is_account_glob(std::string_view text) {
  return is_name_glob(text, false);
}

bool is_gateway_glob(std::string_view text) {
  return is_name_glob(text, true);
}

// The path without empty parts and "."; nullopt if it is not absolute or has "..".
std::optional<std::string> parse_host_path(std::string_view text) {
  if (!text.starts_with('/')) return std::nullopt;
  std::string path;
  for (validators::PathParts parts(text); const auto part = parts.next();) {
    if (*part == "..") return std::nullopt;
    path.append("/").append(*part);
  }
  return path.empty() ? "/" : path;
}

// Host names do not depend on case, and the API server accepts them in lower case only.
std::optional<std::string> parse_host_glob(std::string_view text) {
  std::string host(text);
  std::ranges::transform(host, host.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  if (!is_name_glob(host, false)) return std::nullopt;
  return host;
}

bool is_host_access(std::string_view text) {
  return std::ranges::find(api::kHostAccessNames, text) != api::kHostAccessNames.end();
}

// A text as it is written, if `holds` accepts it.
auto if_holds(bool (*holds)(std::string_view)) {
  return [holds](std::string_view text) {
    return holds(text) ? std::optional<std::string>(text) : std::nullopt;
  };
}

// "; did you mean X?", or nothing.
std::string did_you_mean(std::span<const std::string_view> words, std::string_view written) {
  const std::string_view suggestion = schema::nearest_word(words, written);
  return suggestion.empty() ? std::string{} : "; did you mean " + std::string(suggestion) + "?";
}

std::string nearest_rule(std::string_view written) {
  std::vector<std::string_view> ids;
  for (const validators::Rule& rule : validators::catalog()) ids.push_back(rule.id);
  return did_you_mean(ids, written);
}

std::string nearest_kind(std::string_view written) {
  std::vector<std::string_view> names;
  names.reserve(std::size(api::kKinds));
  for (const api::KindNames& kind : api::kKinds) names.push_back(kind.name);
  return did_you_mean(names, written);
}

// The nearest of several names, which are separated by a comma and a blank.
std::string nearest_of(std::string_view names, std::string_view written) {
  constexpr std::string_view kBetween = ", ";
  std::vector<std::string_view> words;
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(kBetween), names.size());
    words.push_back(names.substr(0, end));
    names.remove_prefix(std::min(end + kBetween.size(), names.size()));
  }
  return did_you_mean(words, written);
}

}  // namespace

class PolicyReader {
  // Each object may have to be matched with all statements.
  static constexpr std::size_t kMaxStatements = 1000;

 public:
  ReadPolicy read(std::string_view text) {
    places_ = json::CharacterPlaces(text);
    if (text.size() > kMaxPolicyBytes) {
      return refuse({0, 0,
                     "must be at most " + std::to_string(kMaxPolicyBytes) + " bytes; found " +
                         std::to_string(text.size())});
    }
    json::YamlReader reader{text};
    if (const auto read = reader.next(document_); read != json::YamlReader::ReadResult::kDocument) {
      return refuse(read == json::YamlReader::ReadResult::kError
                        ? error_of(reader.error())
                        : PolicyError{0, 0, "must hold a policy; found nothing"});
    }
    read_root(document_.root());
    json::Document rest;
    if (const auto next = reader.next(rest); next != json::YamlReader::ReadResult::kEnd) {
      errors_.push_back({reader.line(), 1, "must hold one document; found another"});
    }
    if (!errors_.empty()) return {std::nullopt, std::move(errors_)};
    policy_.prepare();
    return {std::move(policy_), {}};
  }

 private:
  PolicyError error_of(const json::YamlError& error) const {
    const json::Location where = places_.of(error.where);
    return {where.line, where.column, error.reason};
  }

  static ReadPolicy refuse(PolicyError error) { return {std::nullopt, {std::move(error)}}; }

  // From here on columns count characters.
  json::Location location_of(json::Value value) const {
    return places_.of(document_.location(value).value_or(json::Location{}));
  }

  void add_error(json::Value where, std::string reason) {
    const json::Location place = location_of(where);
    errors_.push_back({place.line, place.column, std::move(reason)});
  }

  // Calls `field(name, value)` for each member; it returns whether it knows the name.
  template <typename Field>
  bool read_object(json::Value value, std::string_view what, std::string_view known, Field field) {
    if (!value.is_object()) {
      add_error(value, std::string(what) + " must be an object; found " +
                           std::string(json::type_name(value.type())));
      return false;
    }
    for (const json::Member member : value.members()) {
      if (field(member.name, member.value)) continue;
      add_error(json::name_of(member), "unknown field " + validators::quoted(member.name) + " in " +
                                           std::string(what) + nearest_of(known, member.name) +
                                           "; known are " + std::string(known));
    }
    return true;
  }

  void read_root(json::Value root) {
    bool has_version = false;
    const bool is_object =
        read_object(root, "a policy", "version, severities, exemptions, parameters, honourIgnores",
                    [&](std::string_view name, json::Value value) {
                      if (name == "version") {
                        has_version = true;
                        if (value.integer() != 1) add_error(value, "version must be 1");
                      } else if (name == "severities") {
                        read_list(value, name, [&](json::Value item) { read_severity(item); });
                      } else if (name == "exemptions") {
                        read_list(value, name, [&](json::Value item) { read_exemption(item); });
                      } else if (name == "parameters") {
                        read_list(value, name, [&](json::Value item) { read_parameters(item); });
                      } else if (name == "honourIgnores") {
                        read_honour_ignores(value);
                      } else {
                        return false;
                      }
                      return true;
                    });
    if (is_object && !has_version && !has_misspelt(root, "version")) {
      add_error(root, "version is missing; write version: 1");
    }
  }

  void read_honour_ignores(json::Value value) {
    const std::optional<bool> honours = value.boolean();
    if (!honours) add_error(value, "honourIgnores must be true or false");
    policy_.honours_ignores_ = honours.value_or(false);
  }

  template <typename Item>
  void read_list(json::Value value, std::string_view name, Item item) {
    if (value.is_nothing()) return;
    if (!value.is_array()) {
      return add_error(value, std::string(name) + " must be a list; found " +
                                  std::string(json::type_name(value.type())));
    }
    if (value.size() > kMaxStatements) {
      return add_error(value, std::string(name) + " must hold at most " +
                                  std::to_string(kMaxStatements) + " statements; found " +
                                  std::to_string(value.size()));
    }
    for (const json::Value element : value.elements()) item(element);
  }

  bool read_rules(std::string_view name, json::Value value, PolicyRules& rules) {
    if (name != "rules") return false;
    rules.globs = read_texts(value, name);
    std::size_t at = 0;
    for (const std::string& glob : rules.globs) {
      const validators::RuleSet matched = matching_rules(glob);
      if (schema::find_check(glob) != nullptr) {
        add_error(element(value, at), validators::quoted(glob) +
                                          " is checked by the API server itself; a policy "
                                          "cannot change it");
      } else if (matched.none()) {
        add_error(element(value, at), "no rule is called " + validators::quoted(glob) +
                                          nearest_rule(glob) +
                                          "; `kubectl dynamo rules` lists them");
      }
      rules.matched |= matched;
      ++at;
    }
    for (std::size_t rule = 0; rule < validators::catalog().size(); ++rule) {
      if (rules.matched.test(rule)) rules.indices.push_back(static_cast<std::uint16_t>(rule));
    }
    return true;
  }

  // Removes the rules that cannot be weakened from a statement that would weaken them. A glob that
  // matches no other rule is a mistake; other globs just skip these rules.
  void keep_unbending(json::Value item, PolicyRules& rules) {
    const validators::RuleSet& unbending = validators::protected_rules();
    std::size_t at = 0;
    for (const std::string& glob : rules.globs) {
      const validators::RuleSet matched = matching_rules(glob);
      if (matched.any() && (matched & ~unbending).none()) {
        add_error(element(item["rules"], at),
                  validators::quoted(glob) +
                      " cannot be softened: the other rules do not validate what it denies, so "
                      "it always denies; remove it");
      }
      ++at;
    }
    rules.matched &= ~unbending;
    std::erase_if(rules.indices, [&](std::uint16_t rule) { return unbending.test(rule); });
  }

  bool read_scope(std::string_view name, json::Value value, PolicyScope& scope) {
    if (name == "namespaces") {
      scope.namespaces = read_texts(value, name, EmptyList::kMeansAll);
    } else if (name == "names") {
      scope.names = read_texts(value, name, EmptyList::kMeansAll);
    } else if (name == "kinds") {
      std::size_t at = 0;
      for (const std::string& text : read_texts(value, name, EmptyList::kMeansAll)) {
        if (const auto kind = parse_kind(text)) {
          scope.kinds.push_back(*kind);
        } else {
          add_error(element(value, at), "no kind with rules is called " + validators::quoted(text) +
                                            nearest_kind(text));
        }
        ++at;
      }
    } else {
      return false;
    }
    return true;
  }

  // The element of a list, or the value itself if a single text is given instead of a list.
  static json::Value element(json::Value value, std::size_t index) {
    if (!value.is_array()) return value;
    for (const json::Value found : value.elements()) {
      if (index-- == 0) return found;
    }
    return value;
  }

  enum class EmptyList : std::uint8_t { kMistake, kMeansAll, kAllowsNone };

  // A list of texts, or one text.
  std::vector<std::string> read_texts(json::Value value, std::string_view name,
                                      EmptyList empty = EmptyList::kMistake) {
    std::vector<std::string> texts;
    const auto take = [&](json::Value item) {
      if (item.is_string() && !item.string_or_empty().empty()) {
        texts.emplace_back(item.string_or_empty());
      } else {
        add_error(item, std::string(name) + " must hold strings that are not empty");
      }
    };
    if (value.is_string()) {
      take(value);
    } else if (value.is_array() && (value.size() > 0 || empty == EmptyList::kAllowsNone)) {
      for (const json::Value item : value.elements()) take(item);
    } else {
      add_error(value, std::string(name) + " must be a string or a list of strings" +
                           (empty == EmptyList::kMeansAll ? "; leave it out to mean all" : ""));
    }
    return texts;
  }

  std::string read_text(json::Value value, std::string_view name) {
    const std::string_view text = value.string_or_empty();
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
      add_error(value, std::string(name) + " must be a string that is not empty");
    }
    return std::string(text);
  }

  // A misspelt name was already reported.
  void require(json::Value statement, json::Value field, std::string_view name) {
    if (field.exists() || has_misspelt(statement, name)) return;
    add_error(statement, std::string(name) + " is missing");
  }

  static bool has_misspelt(json::Value object, std::string_view name) {
    for (const json::Member member : object.members()) {
      if (!schema::nearest_word(std::span(&name, 1), member.name).empty()) return true;
    }
    return false;
  }

  void read_severity(json::Value item) {
    PolicySeverity statement{};
    statement.place = location_of(item);
    const bool is_object =
        read_object(item, "a severity", "rules, severity, namespaces, names, kinds",
                    [&](std::string_view name, json::Value value) {
                      if (name != "severity") {
                        return read_rules(name, value, statement.rules) ||
                               read_scope(name, value, statement.scope);
                      }
                      if (const auto severity = parse_severity(value)) {
                        statement.severity = *severity;
                      } else {
                        constexpr std::array<std::string_view, 3> kWords{"deny", "warn", "off"};
                        add_error(value, "severity must be deny, warn or off" +
                                             did_you_mean(kWords, value.string_or_empty()));
                      }
                      return true;
                    });
    if (!is_object) return;
    require(item, item["rules"], "rules");
    require(item, item["severity"], "severity");
    if (statement.severity != validators::Severity::kDeny) keep_unbending(item, statement.rules);
    policy_.severities_.push_back(std::move(statement));
  }

  void read_exemption(json::Value item) {
    PolicyExemption exemption{};
    exemption.place = location_of(item);
    const bool is_object = read_object(
        item, "an exemption", "rules, namespaces, names, kinds, holder, reason, expires",
        [&](std::string_view name, json::Value value) {
          if (name == "holder") {
            exemption.holder = read_text(value, name);
          } else if (name == "reason") {
            exemption.reason = read_text(value, name);
          } else if (name == "expires") {
            exemption.expires_text = value.string_or_empty();
            if (const auto time = text::parse_day_or_timestamp(exemption.expires_text)) {
              exemption.expires = *time;
            } else {
              add_error(value,
                        "expires must be a day such as 2026-12-31, or a time such as "
                        "2026-12-31T12:00:00Z");
            }
          } else {
            return read_rules(name, value, exemption.rules) ||
                   read_scope(name, value, exemption.scope);
          }
          return true;
        });
    if (!is_object) return;
    for (const std::string_view name : {"rules", "holder", "reason", "expires"}) {
      require(item, item[name], name);
    }
    keep_unbending(item, exemption.rules);
    policy_.exemptions_.push_back(std::move(exemption));
  }

  // A list of texts that `accepts` describes; `normal` returns the form to store, or nullopt.
  template <typename Normal>
  std::vector<std::string> read_list_of(json::Value value, std::string_view name,
                                        std::string_view accepts, Normal normal,
                                        EmptyList empty = EmptyList::kMistake) {
    constexpr std::size_t kMax = 256;
    std::vector<std::string> texts = read_texts(value, name, empty);
    if (texts.size() > kMax) {
      add_error(value, std::string(name) + " must hold at most " + std::to_string(kMax) +
                           " texts; found " + std::to_string(texts.size()));
    }
    std::size_t at = 0;
    for (std::string& text : texts) {
      if (std::optional<std::string> found = normal(text)) {
        text = std::move(*found);
      } else {
        add_error(element(value, at), std::string(name) + " must hold " + std::string(accepts) +
                                          "; found " + validators::quoted(text));
      }
      ++at;
    }
    return texts;
  }

  bool read_parameter(std::string_view name, json::Value value, PolicyParameters& statement) {
    if (name == "allowedRegistries") {
      statement.allowed_registries = read_list_of(
          value, name, "registries such as nvcr.io/nvidia or docker.io/library, with their host",
          &validators::parse_registry);
    } else if (name == "maxReplicasPerService") {
      statement.max_replicas_per_service = value.integer();
      if (value.integer().value_or(0) < 1) {
        add_error(value, "maxReplicasPerService must be a whole number of at least 1");
      }
    } else if (name == "allowedLoraSchemes") {
      statement.allowed_lora_schemes =
          read_list_of(value, name, "schemes of URIs such as s3, in lower case and without ://",
                       if_holds(&is_uri_scheme));
    } else if (name == "requiredResourceLimits") {
      statement.required_resource_limits = read_list_of(
          value, name, "cpu, memory, ephemeral-storage, gpu, or names such as nvidia.com/gpu",
          if_holds(&is_resource_name));
    } else {
      return read_allow_list(name, value, statement);
    }
    return true;
  }

  // Lists that allow nothing when they are empty.
  bool read_allow_list(std::string_view name, json::Value value, PolicyParameters& statement) {
    const auto read = [&](auto& list, std::string_view accepts, auto normal) {
      list = read_list_of(value, name, accepts, normal, EmptyList::kAllowsNone);
      return true;
    };
    if (name == "allowedServiceAccounts") {
      return read(statement.allowed_service_accounts,
                  "names of service accounts such as default, or globs",
                  if_holds(&is_account_glob));
    }
    if (name == "allowedHostPaths") {
      return read(statement.allowed_host_paths,
                  "absolute paths such as /mnt/models, without \"..\"", &parse_host_path);
    }
    if (name == "allowedHostAccess") {
      return read(statement.allowed_host_access, "network, pid, ipc or privileged",
                  if_holds(&is_host_access));
    }
    if (name == "allowedIngressHosts") {
      return read(statement.allowed_ingress_hosts,
                  "host names such as chat.example.com, or globs such as *.example.com",
                  &parse_host_glob);
    }
    if (name == "allowedIstioGateways") {
      return read(statement.allowed_istio_gateways,
                  "gateways such as istio-system/public, or globs", if_holds(&is_gateway_glob));
    }
    return false;
  }

  void read_parameters(json::Value item) {
    PolicyParameters statement{};
    statement.place = location_of(item);
    bool gives_one = false;
    const bool is_object = read_object(
        item, "a statement of parameters",
        "allowedRegistries, maxReplicasPerService, allowedLoraSchemes, requiredResourceLimits, "
        "allowedServiceAccounts, allowedHostPaths, allowedHostAccess, allowedIngressHosts, "
        "allowedIstioGateways, namespaces, names, kinds",
        [&](std::string_view name, json::Value value) {
          if (read_scope(name, value, statement.scope)) return true;
          // An unknown name is reported as unknown, not as a missing parameter.
          gives_one = true;
          return read_parameter(name, value, statement);
        });
    if (!is_object) return;
    if (!gives_one) add_error(item, "must give a parameter, such as maxReplicasPerService");
    policy_.parameters_.push_back(std::move(statement));
  }

  json::CharacterPlaces places_;
  json::Document document_;
  Policy policy_;
  std::vector<PolicyError> errors_;
};

ReadPolicy read_policy(std::string_view text) {
  return PolicyReader{}.read(text);
}

}  // namespace dynamo::admission
