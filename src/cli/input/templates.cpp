#include "cli/input/templates.hpp"

#include <algorithm>

namespace dynamo::cli {
namespace {

constexpr std::string_view kHelmAdvice =
    "this is a template, not yet a manifest; render it first: helm template CHART | kubectl dynamo "
    "validate -f -";
constexpr std::string_view kEnvsubstAdvice =
    "this is a template, not yet a manifest; render it first: envsubst < FILE | kubectl dynamo "
    "validate -f -";

// True when the text holds what begins and ends like that.
bool encloses(std::string_view text, std::string_view begin, std::string_view end) {
  const std::size_t at = text.find(begin);
  return at != std::string_view::npos &&
         text.find(end, at + begin.size()) != std::string_view::npos;
}

// The line in front of its comment. One that stands in quotes is taken for a comment, too.
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

}  // namespace

std::string_view template_advice(std::string_view line) {
  line = without_comment(line);
  if (line.find("{{") != std::string_view::npos || line.find("{%") != std::string_view::npos) {
    return kHelmAdvice;
  }
  return find_variable(line).empty() ? std::string_view{} : kEnvsubstAdvice;
}

bool has_template_statement(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos) continue;
    const std::string_view begin = line.substr(first, 2);
    if (begin == "{{" || begin == "{%") return true;
  }
  return false;
}

std::string_view find_variable(std::string_view text) {
  constexpr std::string_view kBegin = "${";
  for (std::size_t at = text.find(kBegin); at != std::string_view::npos;
       at = text.find(kBegin, at + kBegin.size())) {
    const std::size_t name = at + kBegin.size();
    if (name >= text.size() || !begins_name(text[name])) continue;
    std::size_t end = name;
    while (end < text.size() && is_of_name(text[end])) ++end;
    // A default or the like: ${NAME:-x}, ${NAME:=x}, ${NAME-x}.
    constexpr std::string_view kOperators = ":-=?+";
    if (end < text.size() && kOperators.find(text[end]) != std::string_view::npos) {
      end = text.find_first_of("}\n", end);
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
  return find_variable(token).empty() ? std::string_view{} : kEnvsubstAdvice;
}

std::string_view expression_advice(const Place& place) {
  if (place.column == 0) return {};
  const std::string_view text = place.text;
  const std::size_t start = std::min<std::size_t>(place.column - 1, text.size());
  return expression_advice(text.substr(start, place.length));
}

TemplateFinding find_expression_in(const ObjectReport& report) {
  for (const Finding& finding : report.findings) {
    if (finding.level != Level::kError) continue;
    if (const auto advice = expression_advice(finding.place); !advice.empty()) {
      return {&finding, advice};
    }
  }
  return {};
}

}  // namespace dynamo::cli
