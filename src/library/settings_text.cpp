#include "library/settings_text.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "admission/settings.hpp"
#include "json/document.hpp"
#include "json/yaml.hpp"
#include "text/quoted.hpp"

namespace dynamo::library {
namespace {

constexpr std::string_view kKnown =
    "operator-version, operator-service-account, restricted-namespace, enforcement";

std::string quoted(std::string_view text) {
  return text::quoted(text, 80);
}

std::optional<api::ServiceAccount> parse_service_account(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos || slash == 0 || slash + 1 == text.size() ||
      text.find('/', slash + 1) != std::string_view::npos) {
    return std::nullopt;
  }
  return api::ServiceAccount{std::string(text.substr(0, slash)),
                             std::string(text.substr(slash + 1))};
}

// Applies one setting; returns "" or what must hold.
std::string apply(std::string_view name, json::Value value, EvaluatorSettings& out) {
  if (!value.is_string() || value.string_or_empty().empty()) {
    return std::string(name) + " must be a string that is not empty; found " +
           std::string(value.is_string() ? "nothing" : json::type_name(value.type()));
  }
  const std::string_view text = value.string_or_empty();
  if (name == "operator-version") {
    out.settings.operator_version = admission::stamped_version(text);
  } else if (name == "restricted-namespace") {
    out.settings.restricted_namespace = text;
  } else if (name == "operator-service-account") {
    out.settings.operator_service_account = parse_service_account(text);
    if (!out.settings.operator_service_account) {
      return "operator-service-account must be NAMESPACE/NAME; found " + quoted(text);
    }
  } else {
    if (text != "deny" && text != "audit") {
      return "enforcement must be deny or audit; found " + quoted(text);
    }
    out.enforcement =
        text == "deny" ? admission::Enforcement::kDeny : admission::Enforcement::kAudit;
  }
  return "";
}

bool is_known(std::string_view name) {
  return name == "operator-version" || name == "operator-service-account" ||
         name == "restricted-namespace" || name == "enforcement";
}

}  // namespace

EvaluatorSettings default_settings() {
  EvaluatorSettings defaults;
  defaults.settings.operator_version = admission::stamped_version("");
  return defaults;
}

std::string read_settings(std::string_view text, EvaluatorSettings& settings) {
  settings = default_settings();
  json::YamlReader reader{text};
  json::Document document;
  const auto read = reader.next(document);
  if (read == json::YamlReader::ReadResult::kEnd) return "";
  if (read == json::YamlReader::ReadResult::kError) return reader.error().message();
  if (!document.root().is_object()) {
    return "must be an object; found " + std::string(json::type_name(document.root().type()));
  }
  for (const json::Member member : document.root().members()) {
    std::string reason = is_known(member.name) ? apply(member.name, member.value, settings)
                                               : "unknown setting " + quoted(member.name) +
                                                     "; known are " + std::string(kKnown);
    if (reason.empty()) continue;
    const auto place = document.location(member.value);
    return (place ? "line " + std::to_string(place->line) + ": " : "") + reason;
  }
  json::Document rest;
  if (reader.next(rest) != json::YamlReader::ReadResult::kEnd)
    return "must be one document; found more";
  return "";
}

}  // namespace dynamo::library
