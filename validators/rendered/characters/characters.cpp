// Characters in names and values that are invisible or easily confused with others. They come from
// text pasted from chats, web pages and word processors. The rules check spec, labels, and the
// annotations of the operator: other annotations hold prose and the state of tools.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "schema/properties.hpp"
#include "schema/table.hpp"
#include "text/lookalike.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::characters {
namespace {

using api::FieldPath;
using schema::Schema;
using text::Suspect;
using text::SuspectKind;

// The deepest nesting of an API object; deeper values are not read.
constexpr int kDeepest = 64;

// The tape holds all names and values of a subtree consecutively.
bool has_suspects_below(json::Value value) {
  if (!value.exists()) return false;
  const std::span<const json::Node> nodes{value.node(), value.node()->span};
  return std::ranges::any_of(nodes, [](const json::Node& node) {
    return node.type == static_cast<std::uint32_t>(json::Type::kString) &&
           !text::is_plain({node.text, node.length});
  });
}

// The position of the character, counted from 1 for the message.
std::size_t position_of(const Suspect& suspect, std::string_view text) {
  const std::string_view before = text.substr(0, suspect.offset);
  return 1 + static_cast<std::size_t>(std::ranges::count_if(
                 before, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

bool is_blank(char32_t code) {
  constexpr char32_t kNoBreakSpace = 0x00A0;
  constexpr char32_t kFirst = 0x2000;
  constexpr char32_t kLast = 0x200A;
  constexpr char32_t kNarrow = 0x202F;
  constexpr char32_t kMathematical = 0x205F;
  constexpr char32_t kIdeographic = 0x3000;
  return code == kNoBreakSpace || (code >= kFirst && code <= kLast) || code == kNarrow ||
         code == kMathematical || code == kIdeographic;
}

// The message does not repeat the text, which may be a secret.
std::string detail_of(const Suspect& suspect, std::string_view text, bool in_name) {
  const std::string_view where = in_name ? " of the name" : " of the value";
  const std::string found = "found " + describe(suspect) + ", as character " +
                            std::to_string(position_of(suspect, text)) + std::string(where);
  if (suspect.kind == SuspectKind::kLookalike) {
    return "must be the ASCII character; " + found + "; type it again";
  }
  return "must have no invisible character; " + found +
         (is_blank(suspect.code) ? "; write a plain blank" : "; remove it");
}

class CharacterChecker {
 public:
  CharacterChecker(SuspectKind kind, Report& report) : kind_(kind), report_(report) {}

  void read(json::Value value, const FieldPath& path, const Schema* schema, int depth = 0) {
    if (depth == kDeepest) return;
    if (const auto text = value.string()) return check(*text, path, false);
    if (value.is_array()) {
      std::size_t index = 0;
      for (const json::Value element : value.elements()) {
        const std::size_t at = index++;
        if (!has_suspects_below(element)) continue;
        read(element, path.index(at), schema == nullptr ? nullptr : schema->each, depth + 1);
      }
      return;
    }
    for (const json::Member member : value.members()) {
      if (!text::is_plain(member.name)) check(member.name, of(path, schema, member.name), true);
      if (!has_suspects_below(member.value)) continue;
      const schema::Property* const property =
          schema == nullptr ? nullptr : schema::find_property(*schema, member.name);
      const Schema* const each = schema == nullptr ? nullptr : schema->each;
      read(member.value, of(path, schema, member.name),
           property == nullptr ? each : property->schema, depth + 1);
    }
  }

 private:
  static FieldPath of(const FieldPath& path, const Schema* schema, std::string_view name) {
    const bool is_map = schema != nullptr && schema->each != nullptr;
    const bool is_plain = name.find_first_of(".[]") == std::string_view::npos;
    return is_map || !is_plain ? path.key(name) : path.child(name);
  }

  void check(std::string_view text, const FieldPath& path, bool in_name) {
    const std::optional<Suspect> suspect = text::find_suspect(text, kind_);
    if (!suspect) return;
    report_.add(api::ErrorType::kInvalid, path, [&] { return detail_of(*suspect, text, in_name); });
  }

  const SuspectKind kind_;
  Report& report_;
};

void read_object(const api::Context& context, const api::Object& now, SuspectKind kind,
                 Report& report) {
  if (context.is_plain) return;
  CharacterChecker checker(kind, report);
  constexpr FieldPath kMetadata{"metadata"};
  const json::Value metadata = now.value()["metadata"];
  if (const json::Value labels = metadata["labels"]; has_suspects_below(labels)) {
    const FieldPath path = kMetadata.child("labels");
    static constexpr Schema kText{.type = schema::Type::kString};
    static constexpr Schema kTexts{.type = schema::Type::kObject, .each = &kText};
    checker.read(labels, path, &kTexts);
  }
  const FieldPath path = kMetadata.child("annotations");
  for (const json::Member annotation : metadata["annotations"].members()) {
    // Others hold descriptions and the state of tools.
    if (!annotation.name.starts_with("nvidia.com/")) continue;
    checker.read(annotation.value, path.key(annotation.name), nullptr);
  }
  if (!has_suspects_below(now.spec())) return;
  const schema::Resource* const resource = schema::find_resource(api::names(context.kind).name);
  const schema::Property* const spec =
      resource == nullptr ? nullptr : schema::find_property(*resource->schema, "spec");
  checker.read(now.spec(), FieldPath("spec"), spec == nullptr ? nullptr : spec->schema);
}

void invisible(const api::Context& context, const api::Object& now, const api::Object*,
               Report& report) {
  read_object(context, now, SuspectKind::kInvisible, report);
}

void lookalike(const api::Context& context, const api::Object& now, const api::Object*,
               Report& report) {
  read_object(context, now, SuspectKind::kLookalike, report);
}

}  // namespace

extern constexpr Rule kInvisibleRule{
    .id = "text.invisible",
    .kinds = kinds::kAll,
    .severity = Severity::kWarn,
    .function = &invisible,
    .field = "spec, metadata.labels, metadata.annotations",
};

extern constexpr Rule kLookalikeRule{
    .id = "text.lookalike",
    .kinds = kinds::kAll,
    .severity = Severity::kWarn,
    .function = &lookalike,
    .field = "spec, metadata.labels, metadata.annotations",
};

}  // namespace dynamo::validators::characters
