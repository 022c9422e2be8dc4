#include <algorithm>
#include <array>
#include <span>

#include "api/kind.hpp"
#include "api/limits.hpp"
#include "cli/fix/fix.hpp"
#include "cli/fix/token.hpp"
#include "json/writer.hpp"
#include "json/yaml_scalar.hpp"
#include "schema/check_ids.hpp"
#include "schema/properties.hpp"
#include "schema/suggest.hpp"
#include "schema/wording.hpp"
#include "text/blanks.hpp"
#include "validators/rendered/pod/vocabulary.hpp"

namespace dynamo::cli {
namespace {

constexpr std::string_view kReplicasDefault = "dgd.default.replicas";

// The subject of a finding, in the object and in the text.
struct Target {
  std::string_view text;
  std::string_view field;
  const schema::Schema* around = nullptr;  // of the enclosing object; null: unknown
  const schema::Schema* schema = nullptr;  // of its value; null: unknown
  // The allowed words of a pod field; null: any.
  const validators::pod::Vocabulary* vocabulary = nullptr;
  json::Value parent;
  json::Value name;  // absent for an element of a list
  json::Value value;
  // Offsets in the text.
  std::size_t parent_at = 0;
  std::size_t name_at = 0;
  std::size_t value_at = 0;
  std::size_t first_member_at = 0;  // of the value: the name of its first member
};

// An edit and its effect; the finding supplies the rest of a fix.
struct ProposedFix {
  std::string title;
  Edit edit;
  FixEffect effect;
};

using FixFunction = std::optional<ProposedFix> (*)(const Target& target);

std::string in_json(std::string_view text) {
  std::string out;
  json::append_quoted(out, text);
  return out;
}

bool is_text(std::string_view plain) {
  return json::resolve_plain(plain).kind == json::YamlScalar::Kind::kString;
}

char to_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_scalar(json::Value value) {
  return value.is(json::Type::kInteger) || value.is(json::Type::kNumber) ||
         value.is(json::Type::kBoolean);
}

// `value: 8000` where a text is required: keeps the characters.
std::optional<ProposedFix> quote(const Target& target) {
  const bool wants_text =
      target.schema->type == schema::Type::kString || schema::is_quantity_schema(*target.schema);
  const auto token = token_at(target.text, target.value_at);
  if (!wants_text || !is_scalar(target.value) || !token) return std::nullopt;
  if (token->quote != '\0' || is_text(token->text)) return std::nullopt;
  const std::string quoted = in_json(token->text);
  return ProposedFix{"write it in quotes",
                     {token->offset, token->text.size(), quoted},
                     {FixEffect::Kind::kValue, target.value.node(), {}, quoted}};
}

// `replicas: "3"`: the text between the quotes has the same meaning without them.
std::optional<ProposedFix> unquote(const Target& target) {
  const bool wants_number = target.schema->type == schema::Type::kInteger;
  const bool wants_boolean = target.schema->type == schema::Type::kBoolean;
  const auto token = token_at(target.text, target.value_at);
  if (!token || token->quote == '\0' || target.value.string() != token->text) return std::nullopt;
  constexpr std::size_t kMaxDigits = 9;
  const std::string_view text = token->text;
  const bool is_number = text.find_first_not_of("0123456789") == std::string_view::npos &&
                         text.size() <= kMaxDigits && (text == "0" || text.front() != '0');
  const bool is_boolean = text == "true" || text == "false";
  if (!(wants_number && is_number) && !(wants_boolean && is_boolean)) return std::nullopt;
  return ProposedFix{"write it without quotes",
                     {token->offset - 1, text.size() + 2, std::string(text)},
                     {FixEffect::Kind::kValue, target.value.node(), {}, std::string(text)}};
}

std::optional<ProposedFix> fix_type(const Target& target) {
  if (target.schema == nullptr) return std::nullopt;
  if (auto quoted = quote(target)) return quoted;
  return unquote(target);
}

// Empty if the word is allowed, or would be with a feature gate.
std::string_view certain_word(const validators::pod::Vocabulary& vocabulary,
                              std::string_view written) {
  for (const auto& words : {vocabulary.words, vocabulary.announced}) {
    if (std::ranges::find(words, written) != words.end()) return {};
  }
  const std::string_view suggestion = schema::certain_word(vocabulary.words, written);
  const bool only_case = std::ranges::equal(suggestion, written, {}, &to_lower, &to_lower);
  return only_case || !vocabulary.has_other_names ? suggestion : std::string_view{};
}

std::string_view suggested_word(const Target& target) {
  const std::string_view written = target.value.string_or_empty();
  if (target.vocabulary != nullptr) return certain_word(*target.vocabulary, written);
  if (target.schema == nullptr || target.schema->limits == nullptr) return {};
  return schema::certain_word(target.schema->limits->enumeration, written);
}

std::optional<ProposedFix> fix_word(const Target& target) {
  const std::string_view suggestion = suggested_word(target);
  const auto token = token_at(target.text, target.value_at);
  if (suggestion.empty() || !token || target.value.string() != token->text) return std::nullopt;
  const bool needs_quotes = token->quote == '\0' && !is_text(suggestion);
  return ProposedFix{"write " + schema::quoted(suggestion),
                     {token->offset, token->text.size(),
                      needs_quotes ? in_json(suggestion) : std::string(suggestion)},
                     {FixEffect::Kind::kValue, target.value.node(), {}, in_json(suggestion)}};
}

std::optional<ProposedFix> rename(const Target& target) {
  if (target.around == nullptr || !target.name.exists()) return std::nullopt;
  const std::string_view suggestion =
      schema::certain_property(*target.around, target.name.string_or_empty());
  if (suggestion.empty() || target.parent[suggestion].exists()) return std::nullopt;
  const auto token = token_at(target.text, target.name_at);
  if (!token || target.name.string() != token->text) return std::nullopt;
  return ProposedFix{"rename it to " + schema::quoted(suggestion),
                     {token->offset, token->text.size(), std::string(suggestion)},
                     {FixEffect::Kind::kRename, target.name.node(), std::string(suggestion), {}}};
}

bool is_in_braces(const Target& target) {
  return target.parent_at < target.text.size() && target.text[target.parent_at] == '{';
}

std::optional<ProposedFix> remove(const Target& target) {
  if (!target.name.exists()) return std::nullopt;
  const auto token = token_at(target.text, target.name_at);
  if (!token || target.name.string() != token->text) return std::nullopt;
  const auto extent = is_in_braces(target)
                          ? flow_member(target.text, target.name_at, target.value_at)
                          : block_member(target.text, target.name_at, target.value.is_array());
  if (!extent) return std::nullopt;
  return ProposedFix{"remove it",
                     {extent->offset, extent->length, {}},
                     {FixEffect::Kind::kRemove, target.name.node(), {}, {}}};
}

// Inserts a member into {braces}: before the first member, in its layout.
std::optional<Edit> add_in_braces(const Target& target, std::string member) {
  const std::string_view text = target.text;
  if (target.value.size() == 0) return Edit{target.value_at + 1, 0, std::move(member)};
  const std::size_t first = target.first_member_at;
  if (first <= target.value_at) return std::nullopt;
  const std::string_view gap = text.substr(target.value_at + 1, first - target.value_at - 1);
  if (gap.find_first_not_of(text::kBlanks) != std::string_view::npos) return std::nullopt;
  const bool has_lines = gap.find('\n') != std::string_view::npos;
  return Edit{first, 0, std::move(member) + "," + (has_lines ? std::string(gap) : " ")};
}

// Before the other members: comments in between stay with them.
std::optional<Edit> add_in_block(const Target& target, std::string member) {
  const std::string_view text = target.text;
  const std::size_t end = line_end(text, target.name_at);
  const auto indent = indent_before(text, target.first_member_at);
  const auto token = token_at(text, target.name_at);
  if (!indent || !token || target.first_member_at < end) return std::nullopt;
  const std::size_t behind = token->offset + token->text.size() + (token->quote == '\0' ? 0U : 1U);
  const std::string_view rest = text.substr(behind, end - behind);
  const std::size_t colon = rest.find_first_not_of(" \t");
  if (colon == std::string_view::npos || rest[colon] != ':') return std::nullopt;
  const std::size_t more = rest.find_first_not_of(text::kBlanks, colon + 1);
  if (more != std::string_view::npos && rest[more] != '#') return std::nullopt;
  member.insert(0, *indent, ' ');
  member += line_break_of(text, target.name_at);
  return Edit{end, 0, std::move(member)};
}

// Inserts a member into an element of a block list: behind its name, which comes first.
std::optional<Edit> add_behind_name(const Target& target, std::string member) {
  const std::string_view text = target.text;
  const auto token = token_at(text, target.first_member_at);
  const std::size_t end = line_end(text, target.first_member_at);
  if (!token || token->text != "name" || !text.substr(0, end).ends_with('\n')) return std::nullopt;
  member.insert(0, target.first_member_at - line_start(text, target.first_member_at), ' ');
  member += line_break_of(text, target.first_member_at);
  return Edit{end, 0, std::move(member)};
}

// The finding is about the missing member; the target is the object that lacks it.
std::optional<ProposedFix> add_replicas(const Target& target) {
  if (!target.value.is_object() || target.value_at >= target.text.size()) return std::nullopt;
  const bool is_element = !target.name.exists();
  const std::size_t name_at = is_element ? target.first_member_at : target.name_at;
  auto effect = FixEffect::Kind::kAdd;
  std::optional<Edit> edit;
  if (target.text[target.value_at] == '{') {
    const bool quotes = target.text[name_at] == '"';
    edit = add_in_braces(target, quotes ? "\"replicas\": 1" : "replicas: 1");
  } else if (is_element) {
    edit = add_behind_name(target, "replicas: 1");
    effect = FixEffect::Kind::kAddBehindFirst;
  } else {
    edit = add_in_block(target, "replicas: 1");
  }
  if (!edit) return std::nullopt;
  return ProposedFix{"write the default, replicas: 1",
                     *std::move(edit),
                     {effect, target.value.node(), "replicas", "1"}};
}

struct FixRow {
  std::string_view rule;
  FixFunction propose;
  bool of_errors_only = false;  // as a warning the same finding may be about valid content
};

// clang-format off
constexpr auto kFixes = std::to_array<FixRow>({
    {schema::ids::kType,                   &fix_type},
    {schema::ids::kEnum,                   &fix_word},
    {schema::ids::kUnknownField,           &rename, true},
    {"pod.vocabulary",                     &fix_word, true},
    // These rules also report other mistakes: only misspelt words can be fixed.
    {"pod.dns",                            &fix_word, true},
    {"pod.env",                            &fix_word, true},
    {"pod.forbidden-in-template",          &fix_word, true},
    {"pod.lifecycle",                      &fix_word, true},
    {"pod.ports",                          &fix_word, true},
    {"pod.probe",                          &fix_word, true},
    {"pod.scheduling",                     &fix_word, true},
    {"pod.security",                       &fix_word, true},
    {"pod.volumes",                        &fix_word, true},
    {"service.autoscaling.deprecated",     &remove},
    {"service.dynamo-namespace.deprecated", &remove},
    {kReplicasDefault,                     &add_replicas},
});
// clang-format on

const FixRow* find_row(const Finding& finding) {
  const auto* const row = std::ranges::find(kFixes, finding.rule, &FixRow::rule);
  if (row == kFixes.end() || (row->of_errors_only && finding.level != Level::kError)) {
    return nullptr;
  }
  return row;
}

const schema::Schema* schema_below(const schema::Schema* schema, json::Value at,
                                   std::string_view name) {
  if (schema == nullptr) return nullptr;
  if (at.is_array()) return schema->each;
  const schema::Property* const property = schema::find_property(*schema, name);
  return property != nullptr ? property->schema : schema->each;
}

// Follows the field; nullopt if a step is missing.
std::optional<Target> find_target(const Manifest& manifest, std::string_view field) {
  Target target;
  target.schema = manifest.resource.schema;
  target.value = manifest.written;
  auto words = validators::pod::word_fields_of(manifest.resource.kind,
                                               schema::version_of(manifest.resource));
  while (!field.empty()) {
    const auto step = go_towards(target.value, field);
    if (!step) return std::nullopt;
    // A list shares the row of its elements.
    if (!target.value.is_array()) {
      const auto* const row = validators::pod::find_word_field(words, step->name.string_or_empty());
      target.vocabulary = row == nullptr ? nullptr : row->vocabulary;
      words = row == nullptr ? decltype(words){} : row->below;
    }
    target.around = target.schema;
    target.parent = target.value;
    target.schema = schema_below(target.schema, target.parent, step->name.string_or_empty());
    target.name = step->name;
    target.value = step->value;
  }
  return target;
}

std::optional<std::size_t> offset_of(json::Value value, Locator& locator, Lines& lines) {
  const Place place = locator.of(value);
  if (place.line == 0) return std::nullopt;
  return lines.offset_of(place.line, place.column);
}

bool find_in_text(Target& target, Locator& locator, Lines& lines) {
  target.text = lines.text();
  const auto value = offset_of(target.value, locator, lines);
  if (!value) return false;
  target.value_at = *value;
  if (const auto parent = offset_of(target.parent, locator, lines)) target.parent_at = *parent;
  if (const auto name = offset_of(target.name, locator, lines)) target.name_at = *name;
  if (target.value.is_object() && target.value.size() > 0) {
    const auto first = offset_of(json::Value{target.value.node() + 1}, locator, lines);
    if (first) target.first_member_at = *first;
  }
  return true;
}

constexpr std::string_view kReplicasField = ".replicas";

// Adds a finding if the service, or component, lacks the field. One that an adapter sets must not
// be in a manifest.
void add_missing(std::vector<Finding>& missing, json::Value written, json::Value stored,
                 std::string path) {
  const bool is_adapted = !written["scalingAdapter"].is_nothing();
  if (!written.is_object() || is_adapted || written["replicas"].exists()) return;
  if (stored["replicas"].integer() != 1) return;
  missing.push_back({Level::kWarning,
                     kReplicasDefault,
                     std::move(path) + std::string(kReplicasField),
                     {},
                     {},
                     {}});
}

}  // namespace

std::vector<std::string_view> fixed_rules() {
  std::vector<std::string_view> rules;
  rules.reserve(kFixes.size());
  for (const FixRow& row : kFixes) rules.push_back(row.rule);
  return rules;
}

std::vector<Finding> missing_defaults(json::Value written, json::Value stored) {
  std::vector<Finding> missing;
  const json::Value services = written["spec"]["services"];
  const json::Value components = written["spec"]["components"];
  if (services.size() > api::kMaxServices || components.size() > api::kMaxServices) return missing;
  for (const json::Member service : services.members()) {
    add_missing(missing, service.value, stored["spec"]["services"][service.name],
                "spec.services[" + std::string(service.name) + "]");
  }
  std::vector<json::Value> defaulted;
  for (const json::Value each : stored["spec"]["components"].elements()) defaulted.push_back(each);
  std::size_t index = 0;
  for (const json::Value component : components.elements()) {
    if (index == defaulted.size()) break;
    add_missing(missing, component, defaulted[index],
                "spec.components[" + std::to_string(index) + "]");
    ++index;
  }
  return missing;
}

std::optional<Fix> offer_fix(const Manifest& manifest, const Finding& finding, Lines& lines) {
  const FixRow* const row = find_row(finding);
  if (row == nullptr) return std::nullopt;
  std::string_view field = finding.field;
  if (row->rule == kReplicasDefault) field.remove_suffix(kReplicasField.size());
  auto target = find_target(manifest, field);
  if (!target || !find_in_text(*target, manifest.locator, lines)) return std::nullopt;
  target->field = finding.field;
  auto proposed = row->propose(*target);
  if (!proposed) return std::nullopt;
  const Place place = lines.at(proposed->edit.offset);
  return Fix{row->rule,
             finding.field,
             std::move(proposed->title),
             place.line,
             std::move(proposed->edit),
             std::move(proposed->effect)};
}

}  // namespace dynamo::cli
