#include "cli/input/templates.hpp"

#include <algorithm>
#include <array>

namespace dynamo::cli {
namespace {

constexpr std::string_view kHelmAdvice =
    "this is a template, not yet a manifest; render it first: helm template CHART | kubectl dynamo "
    "validate -f -";
constexpr std::string_view kEnvsubstAdvice =
    "this is a template, not yet a manifest; render it first: envsubst < FILE | kubectl dynamo "
    "validate -f -";

constexpr std::string_view kFluxAdvice =
    "this is a template, not yet a manifest; render it first, with a tool that knows this form of "
    "a variable: flux envsubst < FILE | kubectl dynamo validate -f -";
constexpr std::string_view kOtherAdvice =
    "this is a template, not yet a manifest; render it first, and pipe the result into kubectl "
    "dynamo validate -f -";
constexpr std::string_view kSopsAdvice =
    "this file is encrypted by SOPS; decrypt it first: sops --decrypt FILE | kubectl dynamo "
    "validate -f -";

// True if the text contains both delimiters in order.
bool encloses(std::string_view text, std::string_view begin, std::string_view end) {
  const std::size_t at = text.find(begin);
  return at != std::string_view::npos &&
         text.find(end, at + begin.size()) != std::string_view::npos;
}

// The line before its comment. A # inside quotes also counts as a comment.
std::string_view without_comment(std::string_view line) {
  for (std::size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1)) {
    if (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t') return line.substr(0, at);
  }
  return line;
}

bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_of_name(char c) {
  return begins_name(c) || (c >= '0' && c <= '9');
}

// The offset of the brace that closes the one at `at`, or of the end of the line before it.
// Defaults may contain variables: ${A:-${B}}.
std::size_t closing_brace(std::string_view text, std::size_t at) {
  std::size_t open = 1;
  for (; at < text.size() && text[at] != '\n'; ++at) {
    if (text[at] == '{' && text[at - 1] == '$') ++open;
    if (text[at] == '}' && --open == 0) return at;
  }
  return at < text.size() ? at : std::string_view::npos;
}

// True if the text contains a name, with dots, dashes and slashes, between these delimiters.
bool encloses_name(std::string_view text, std::string_view begin, std::string_view end) {
  constexpr std::string_view kOthers = ".-/ ";
  for (std::size_t at = text.find(begin); at != std::string_view::npos;
       at = text.find(begin, at + begin.size())) {
    const std::size_t name = at + begin.size();
    constexpr std::size_t kLongestName = 256;
    const std::string_view rest = text.substr(name, kLongestName);
    const std::size_t length = rest.find(end);
    if (length == std::string_view::npos) continue;
    const std::string_view inside = rest.substr(0, length);
    const bool is_name = std::ranges::all_of(inside, [kOthers](char c) {
      return is_of_name(c) || kOthers.find(c) != std::string_view::npos;
    });
    const std::size_t first = inside.find_first_not_of(' ');
    if (is_name && first != std::string_view::npos &&
        (begins_name(inside[first]) || inside[first] == '.')) {
      return true;
    }
  }
  return false;
}

bool is_capital(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// __NAME__.
bool encloses_capitals(std::string_view text) {
  constexpr std::string_view kMark = "__";
  const std::size_t at = text.find(kMark);
  if (at == std::string_view::npos) return false;
  const std::string_view name = text.substr(at + kMark.size());
  const std::size_t end = name.find(kMark);
  return end != std::string_view::npos && end > 0 && begins_name(name.front()) &&
         std::ranges::all_of(name.substr(0, end), is_capital);
}

// $NAME in capitals, or in any case if it is the whole text.
bool has_plain_variable(std::string_view text) {
  for (std::size_t at = text.find('$'); at != std::string_view::npos; at = text.find('$', at + 1)) {
    const std::string_view name = text.substr(at + 1);
    if (name.empty() || !begins_name(name.front())) continue;
    const bool is_whole = at == 0 && std::ranges::all_of(name, is_of_name);
    if (is_whole || (name.size() > 1 && is_capital(name[0]) && is_capital(name[1]))) return true;
  }
  return false;
}

// The text that a place marks, without quotes.
std::string_view token_at(const Place& place) {
  if (place.column == 0) return {};
  const std::string_view text = place.text;
  std::string_view token =
      text.substr(std::min<std::size_t>(place.column - 1, text.size()), place.length);
  if (token.size() > 1 && (token.front() == '"' || token.front() == '\'') &&
      token.back() == token.front()) {
    token = token.substr(1, token.size() - 2);
  }
  return token;
}

// A value as SOPS writes it.
bool is_encrypted(json::Value value) {
  return value.string_or_empty().starts_with("ENC[");
}

bool has_encrypted_value(json::Value value) {
  if (is_encrypted(value)) return true;
  for (const json::Value element : value.elements()) {
    if (has_encrypted_value(element)) return true;
  }
  for (const json::Member member : value.members()) {
    if (has_encrypted_value(member.value)) return true;
  }
  return false;
}

// Fields whose variables or expressions may be intended, for a shell, the container or an engine.
bool can_hold_anything(std::string_view name) {
  constexpr std::array<std::string_view, 9> kNames{"command",     "args",        "value",
                                                   "annotations", "config",      "script",
                                                   "status",      "description", "subPathExpr"};
  return std::ranges::find(kNames, name) != kNames.end();
}

}  // namespace

std::string_view template_advice(std::string_view line) {
  line = without_comment(line);
  if (line.find("{{") != std::string_view::npos || line.find("{%") != std::string_view::npos) {
    return kHelmAdvice;
  }
  if (line.find("<%") != std::string_view::npos) return kOtherAdvice;
  return expression_advice(line);
}

bool has_template_statement(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos) continue;
    const std::string_view begin = line.substr(first, 2);
    if (begin == "{{" || begin == "{%" || begin == "<%") return true;
  }
  return false;
}

std::string_view find_variable(std::string_view text) {
  constexpr std::string_view kBegin = "${";
  for (std::size_t at = text.find(kBegin); at != std::string_view::npos;
       at = text.find(kBegin, at + kBegin.size())) {
    std::size_t end = at + kBegin.size();
    if (end < text.size() && text[end] == '#') ++end;  // ${#NAME}, its length
    const std::size_t name = end;
    if (name >= text.size() || !begins_name(text[name])) continue;
    while (end < text.size() && is_of_name(text[end])) ++end;
    // A default or a function: ${NAME:-x}, ${NAME/a/b}, ${NAME^^}, ${NAME%x}, ${NAME:0:5}.
    constexpr std::string_view kOperators = ":-=?+/^,%#@.[";
    if (end < text.size() && kOperators.find(text[end]) != std::string_view::npos) {
      end = closing_brace(text, end);
      // Nothing that begins on this line is closed on it.
      if (end == std::string_view::npos) return {};
      if (text[end] == '\n') {
        at = end - kBegin.size();
        continue;
      }
    }
    if (end < text.size() && text[end] == '}') return text.substr(at, end + 1 - at);
  }
  return {};
}

std::string_view expression_advice(std::string_view token) {
  if (encloses(token, "{{", "}}") || encloses(token, "{%", "%}")) return kHelmAdvice;
  const std::string_view variable = find_variable(token);
  if (variable.empty()) return {};
  return std::ranges::all_of(variable.substr(2, variable.size() - 3), is_of_name) ? kEnvsubstAdvice
                                                                                  : kFluxAdvice;
}

std::string_view placeholder_advice(std::string_view text) {
  constexpr std::string_view kBegins = "${<(@_#[";
  if (text.find_first_of(kBegins) == std::string_view::npos) return {};
  if (const auto advice = expression_advice(text); !advice.empty()) return advice;
  if (has_plain_variable(text)) return kEnvsubstAdvice;
  const bool is_other = encloses(text, "<%", "%>") || encloses_name(text, "$(", ")") ||
                        encloses_name(text, "((", "))") || encloses_name(text, "[[", "]]") ||
                        encloses_name(text, "@@", "@@") || encloses_name(text, "#{", "}") ||
                        encloses_capitals(text);
  return is_other ? kOtherAdvice : std::string_view{};
}

std::string_view expression_advice(const Place& place) {
  return expression_advice(token_at(place));
}

TemplateValue find_template_value(json::Value object) {
  if (object.is_string()) return {object, placeholder_advice(object.string_or_empty())};
  for (const json::Value element : object.elements()) {
    if (const auto found = find_template_value(element); !found.advice.empty()) return found;
  }
  for (const json::Member member : object.members()) {
    if (can_hold_anything(member.name)) continue;
    if (const auto advice = expression_advice(member.name); !advice.empty()) {
      return {member.value, advice};
    }
    if (const auto found = find_template_value(member.value); !found.advice.empty()) return found;
  }
  return {};
}

std::string_view ytt_advice(std::string_view text) {
  constexpr std::string_view kMark = "#@";
  std::size_t start = 0;  // of the line
  std::size_t searched_to = 0;
  for (std::size_t at = text.find(kMark); at != std::string_view::npos;
       at = text.find(kMark, at + kMark.size())) {
    const std::size_t feed = text.substr(searched_to, at - searched_to).rfind('\n');
    // Only a mark at the beginning of its line, or after a name, counts.
    if (feed == std::string_view::npos && searched_to != 0) continue;
    if (feed != std::string_view::npos) start = searched_to + feed + 1;
    searched_to = at;
    std::string_view before = text.substr(start, at - start);
    before = before.substr(0, before.find_last_not_of(" \t") + 1);
    const std::string_view rest = text.substr(at + 2);
    const bool is_value = before.ends_with(':') && rest.starts_with(' ');
    constexpr std::array<std::string_view, 10> kStatements{"overlay/", "data/",  "schema/", "yaml/",
                                                           "library/", " load(", " if ",    " for ",
                                                           " def ",    " end\n"};
    const bool is_statement = before.empty() && std::ranges::any_of(kStatements, [rest](auto each) {
                                return rest.starts_with(each);
                              });
    if (is_value || is_statement) return kOtherAdvice;
  }
  return {};
}

std::string_view encryption_advice(json::Value document) {
  const json::Value sops = document["sops"];
  const bool is_marked = sops.is_object() && (sops["mac"].exists() || sops["version"].exists() ||
                                              sops["lastmodified"].exists());
  if (!is_marked) return {};
  // The block alone, whose `mac` is always encrypted, must not hide a plain object.
  for (const json::Member member : document.members()) {
    if (member.name != "sops" && has_encrypted_value(member.value)) return kSopsAdvice;
  }
  return {};
}

bool has_encrypted_spec(json::Value document) {
  return has_encrypted_value(document["spec"]);
}

bool has_encrypted_kind(json::Value document) {
  return is_encrypted(document["apiVersion"]) || is_encrypted(document["kind"]);
}

TemplateFinding find_expression_in(const ObjectReport& report) {
  for (const Finding& finding : report.findings) {
    if (finding.level != Level::kError) continue;
    const std::string_view token = token_at(finding.place);
    // In a command a shell expands $NAME, and the kubelet $(NAME).
    const bool is_free = finding.field.find(".args") != std::string::npos ||
                         finding.field.find(".command") != std::string::npos ||
                         finding.field.find(".env[") != std::string::npos;
    const auto advice = is_free ? expression_advice(token) : placeholder_advice(token);
    if (!advice.empty()) return {&finding, advice};
  }
  return {};
}

}  // namespace dynamo::cli
