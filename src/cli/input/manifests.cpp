#include "cli/input/manifests.hpp"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <span>
#include <utility>

#include "api/kind.hpp"
#include "cli/input/manifests_kind.hpp"
#include "cli/input/templates.hpp"
#include "json/scan.hpp"
#include "json/writer.hpp"
#include "json/yaml.hpp"

namespace dynamo::cli {
namespace {

using Action = KindCheck::Action;

json::YamlOptions yaml_options(std::uint32_t lines_in_front) {
  json::YamlOptions options;
  options.lines_in_front = lines_in_front;  // messages name lines of the whole input
  options.max_bytes = kLongestDocument;
  options.max_depth = kDeepestDocument;
  options.max_nodes = kMaxNodes;
  options.keep_duplicate_keys = true;  // the schema check reports which fields they are
  return options;
}

bool ends_yaml_document(std::string_view line) {
  constexpr std::string_view kEnd = "...";
  return line.starts_with(kEnd) && (line.size() == kEnd.size() || line[kEnd.size()] <= ' ');
}

// The last line, including its line break.
std::string_view last_line(std::string_view document) {
  const std::size_t feed =
      document.size() < 2 ? std::string_view::npos : document.rfind('\n', document.size() - 2);
  return document.substr(feed + 1);  // npos + 1 is 0
}

// Whether only blank lines and comments precede "---" in the document.
bool begins_with_separator(std::string_view document) {
  while (!document.empty()) {
    const std::size_t end = std::min(document.find('\n'), document.size() - 1) + 1;
    const std::string_view line = document.substr(0, end);
    const std::size_t first = line.find_first_not_of(" \t\r\n");
    if (first != std::string_view::npos && line[first] != '#') return line.starts_with("---");
    document.remove_prefix(end);
  }
  return false;
}

// The value of a line `name: value` that begins at column 1, if it is plain or simply quoted and
// the line contains nothing else; nullopt for anything that needs full parsing.
std::optional<std::string_view> simple_value(std::string_view line, std::string_view name) {
  line.remove_prefix(name.size() + 1);
  const std::size_t first = line.find_first_not_of(' ');
  if (first == 0 || first == std::string_view::npos) return std::nullopt;
  line.remove_prefix(first);
  if (const std::size_t comment = line.find(" #"); comment != std::string_view::npos) {
    line = line.substr(0, comment);
  }
  line = line.substr(0, line.find_last_not_of(" \r") + 1);
  if (line.size() >= 2 && (line.front() == '"' || line.front() == '\'') &&
      line.back() == line.front()) {
    line = line.substr(1, line.size() - 2);
  }
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '/' || c == '-';
  };
  if (line.empty() || !std::ranges::all_of(line, is_plain)) return std::nullopt;
  return line;
}

// Finds the only line at column 1 that begins with `name:`; false if there are several, or if its
// value is not simple.
bool find_simple_member(std::string_view document, std::string_view name, std::string_view& value) {
  bool found = false;
  for (std::size_t start = 0; start < document.size();) {
    const std::size_t end = std::min(document.find('\n', start), document.size());
    const std::string_view line = document.substr(start, end - start);
    start = end + 1;
    if (!line.starts_with(name) || line.size() <= name.size() || line[name.size()] != ':') continue;
    const auto simple = simple_value(line, name);
    if (found || !simple) return false;
    value = *simple;
    found = true;
  }
  return found;
}

// Whether any text may be the name of our group, in any notation: literal, with escapes, over two
// lines, or in base64. A line that looks like a member may be part of a text.
bool can_name_our_group(std::string_view document) {
  if (document.find(api::kGroup) != std::string_view::npos) return true;
  for (const std::string_view tag : {"!!binary", "!<"}) {
    if (document.find(tag) != std::string_view::npos) return true;
  }
  constexpr std::string_view kOfCharacters = "xuU\r\n";
  for (std::size_t at = document.find('\\'); at != std::string_view::npos;
       at = document.find('\\', at + 1)) {
    if (kOfCharacters.find(document.substr(at + 1, 1)) != std::string_view::npos) return true;
  }
  return false;
}

// The line with that number, from 1; empty after the end.
std::string_view line_of(std::string_view text, std::uint32_t number) {
  for (std::uint32_t line = 1; line < number && !text.empty(); ++line) {
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  }
  return text.substr(0, text.find('\n'));
}

// Classifies a broken text and chooses the message: the line itself explains the most common
// mistakes.
OtherDocument broken_yaml(const json::YamlError& error, std::string_view text) {
  const std::string_view line = line_of(text, error.where.line);
  OtherDocument broken{OtherContent::kNoManifest, {{}, error.where.line, error.where.column, {}}};
  if (error.is_limit) {
    broken.fault.reason = error.reason;
    return broken;
  }
  if (const std::string_view advice = template_advice(line); !advice.empty()) {
    broken.what = OtherContent::kTemplate;
    broken.fault.reason = advice;
    return broken;
  }
  if (has_template_statement(text)) broken.what = OtherContent::kTemplate;
  broken.fault.reason = error.reason;
  return broken;
}

}  // namespace

bool is_surely_of_another_kind(std::string_view document) {
  std::string_view api_version;
  std::string_view kind;
  return find_simple_member(document, "apiVersion", api_version) &&
         find_simple_member(document, "kind", kind) &&
         check_kind(api_version, kind).what == Action::kIgnore && !can_name_our_group(document);
}

// Reads one slice.
class ManifestReader::Run {
 public:
  Run(ManifestReader& reader, const Slice& slice, ManifestVisitor& visitor)
      : reader_(reader),
        text_(slice.text),
        lines_(slice.text, slice.lines_before),
        visitor_(visitor) {}

  void yaml() {
    // The YAML reader splits at the same places; so it never reads what is skipped here.
    for (std::size_t start = 0; start < text_.size();) {
      const std::size_t end = end_of_yaml_document(start);
      const std::string_view document = text_.substr(start, end - start);
      is_dropped_ = follows_end_ && !begins_with_separator(document);
      follows_end_ = ends_yaml_document(last_line(document));
      if (is_surely_of_another_kind(document)) {
        visitor_.other({});
        line_ += static_cast<std::uint32_t>(std::ranges::count(document, '\n'));
      } else {
        yaml_document(document);
      }
      start = end;
    }
  }

  void json() {
    for (std::size_t at = 0;;) {
      at = skip_between_values(text_, at);
      if (at == text_.size()) break;
      at = json_value(at);
    }
  }

 private:
  // Before the next separator, or after the next "..." line.
  std::size_t end_of_yaml_document(std::size_t start) const {
    for (std::size_t at = start; at < text_.size();) {
      const std::size_t feed = text_.find('\n', at);
      const std::size_t next = feed == std::string_view::npos ? text_.size() : feed + 1;
      const std::string_view line = text_.substr(at, next - at);
      if (at != start && line.starts_with("---")) return at;
      if (ends_yaml_document(line)) return next;
      at = next;
    }
    return text_.size();
  }

  void yaml_document(std::string_view text) {
    const std::uint32_t lines_in_front = lines_.lines_before() + line_;
    ytt_advice_ = ytt_advice(text);
    json::YamlReader reader(text, yaml_options(lines_in_front));
    Lines lines(text, lines_in_front);
    line_ += static_cast<std::uint32_t>(std::ranges::count(text, '\n'));
    for (;;) {
      const auto read = reader.next(reader_.document_);
      if (read == json::YamlReader::ReadResult::kEnd) return;
      if (read == json::YamlReader::ReadResult::kError) {
        broken(broken_yaml(reader.error(), text), names_an_api_version(text), lines);
        continue;
      }
      Locator locator(lines, reader_.document_);
      document(reader_.document_.root(), locator);
    }
  }

  // Reads the value that should begin at this offset. Returns where to continue.
  std::size_t json_value(std::size_t at) {
    const std::string_view rest = text_.substr(at);
    if (rest.front() != '{' && rest.front() != '[') {
      if (!broken_json(at, "expected a JSON object")) return text_.size();
      if (!can_read_again(at, 0)) return text_.size();
      return std::min(next_value_line(text_, at), text_.size());
    }
    const auto length = json::find_end_of_container(rest);
    const std::string_view value = rest.substr(0, length.value_or(rest.size()));
    if (value.size() > kLongestDocument) {
      fault(lines_.at(at),
            "the document is longer than " + std::to_string(kLongestDocument) + " bytes; split it");
      return at + value.size();
    }
    if (const auto error = parse(value)) {
      if (!broken_json(at + error->offset, reason_of(*error, at, value))) return text_.size();
      if (!can_read_again(at, value.size())) return text_.size();
      // An unclosed value swallows the next one: continue at the line where parsing stopped.
      const std::size_t behind = at + value.size();
      const std::size_t near = error->offset == 0 ? at + 1 : at + error->offset - 1;
      return std::min(next_value_line(text_, near), length ? behind : text_.size());
    }
    const json::Value root = reader_.document_.root();
    if (root.node()->span > kMaxNodes) {
      fault(lines_.at(at), "more than " + std::to_string(kMaxNodes) + " values in one document");
    } else {
      Locator locator(lines_, root, at);
      document(root, locator);
    }
    return at + value.size();
  }

  // For the first value of an input, adds how kubectl reads its opening brace.
  std::string reason_of(const json::ParseError& error, std::size_t at, std::string_view value) {
    std::string reason{error.reason};
    const bool is_first = lines_.lines_before() == 0 && skip_between_values(text_, 0) == at;
    if (!is_first) return reason;
    json::YamlReader reader(value, yaml_options(0));
    if (reader.next(reader_.document_) != json::YamlReader::ReadResult::kDocument) return reason;
    return "a text that begins with { is JSON for kubectl up to 1.32, and this is YAML alone: " +
           std::move(reason) + "; correct it, or put a line with --- in front, which makes it YAML";
  }

  // After a mistake reading continues at the next line that may begin a value, within the broken
  // text: a text full of mistakes would be read once for each of them.
  bool can_read_again(std::size_t at, std::size_t bytes) {
    constexpr std::size_t kMaxMistakes = 1000;
    constexpr std::size_t kMaxTimes = 64;
    constexpr std::size_t kAlways = std::size_t{1} << 20U;
    read_again_ += bytes;
    if (++mistakes_ < kMaxMistakes && read_again_ <= kMaxTimes * text_.size() + kAlways)
      return true;
    fault(lines_.at(at), "there are too many mistakes to read on; fix the reported ones first");
    return false;
  }

  std::optional<json::ParseError> parse(std::string_view value) {
    std::string& text = reader_.text_;
    text.assign(value);
    text.append(json::kParsePadding, '\0');
    json::ParseOptions options;
    options.max_depth = kDeepestDocument;
    return reader_.parser_.parse(std::span(text).first(value.size()), options, reader_.document_);
  }

  // Returns whether it was meant as a manifest.
  bool broken(OtherDocument document, bool is_manifest, Lines& lines) {
    Place place{document.fault.line + lines.lines_before(), document.fault.column, 0, {}};
    lines.show(place);
    document.fault = InputFault::at(place, std::move(document.fault.reason));
    if (document.what == OtherContent::kTemplate || !is_manifest) {
      visitor_.other(std::move(document));
      return false;
    }
    visitor_.fault(std::move(document.fault));
    return true;
  }

  // Text after a JSON mistake cannot be interpreted, so the whole text decides what it is.
  bool broken_json(std::size_t offset, std::string reason) {
    const Place place = lines_.at(offset);
    if (!is_manifest_) is_manifest_ = names_an_api_version(text_);
    return broken({OtherContent::kNoManifest,
                   {{}, place.line - lines_.lines_before(), place.column, std::move(reason)}},
                  *is_manifest_, lines_);
  }

  void document(json::Value object, Locator& locator) {
    if (has_encrypted_kind(object) && is_encrypted_or_template(object, locator, false)) return;
    const KindCheck verdict = check_kind(object);
    switch (verdict.what) {
      case Action::kValidate:
        if (is_encrypted_or_template(object, locator, true)) return;
        plain(object, *verdict.resource, locator);
        return;
      case Action::kIgnore:
        visitor_.other({});
        return;
      case Action::kForeign:
        visitor_.other({OtherContent::kForeign, fault_of(verdict, object, locator)});
        return;
      case Action::kNoManifest:
        visitor_.other({OtherContent::kNoManifest, fault_of(verdict, object, locator)});
        return;
      case Action::kOtherVersion:
        other_version(verdict, object, locator);
        return;
      case Action::kRefuse:
        visitor_.fault(fault_of(verdict, object, locator));
        return;
      case Action::kSplitList:
        list(object, locator);
        return;
    }
  }

  // An object of ours. SOPS removes its block when it decrypts, so the block is no unknown field.
  void plain(json::Value object, const schema::Resource& resource, Locator& locator) {
    if (encryption_advice(object).empty()) {
      visitor_.object({resource, object, locator, object, is_dropped_});
    } else if (const json::Value decrypted = without(object, {"sops"}, nullptr);
               decrypted.exists()) {
      visitor_.object({resource, decrypted, locator, object, is_dropped_});
    } else {
      fault(locator.of(object), "the object is too large to be read");
    }
  }

  // The caller passes on objects that are neither. An encrypted value outside the spec must not
  // hide the spec of an object of ours.
  bool is_encrypted_or_template(json::Value object, Locator& locator, bool is_ours) {
    const auto advice = encryption_advice(object);
    if (!advice.empty() && (!is_ours || has_encrypted_spec(object))) {
      visitor_.other({OtherContent::kEncrypted,
                      InputFault::at(locator.of(object, "sops", true), std::string(advice)),
                      {},
                      is_ours});
      return true;
    }
    if (const auto [value, how] = find_template_value(object); !how.empty()) {
      visitor_.other({OtherContent::kTemplate,
                      InputFault::at(locator.of(value, {}, false), std::string(how)),
                      {},
                      is_ours});
      return true;
    }
    if (!ytt_advice_.empty()) {
      visitor_.other({OtherContent::kTemplate,
                      InputFault::at(locator.of(object), std::string(ytt_advice_)),
                      {},
                      is_ours});
      return true;
    }
    return false;
  }

  // Counts each item of a list as an object that is not validated.
  void other_version(const KindCheck& verdict, json::Value object, Locator& locator) {
    const bool is_list =
        object["kind"].string_or_empty().ends_with("List") && object["items"].is_array();
    const std::string_view api_version = object["apiVersion"].string_or_empty();
    if (!is_list) {
      visitor_.other({OtherContent::kVersion, fault_of(verdict, object, locator), api_version});
      return;
    }
    for (const json::Value item : object["items"].elements()) {
      visitor_.other({OtherContent::kVersion,
                      InputFault::at(locator.of(item, {}, false), verdict.reason), api_version});
    }
  }

  static InputFault fault_of(const KindCheck& verdict, json::Value object, Locator& locator) {
    const Place place = verdict.field.empty()
                            ? locator.of(object)
                            : locator.of(object, verdict.field, verdict.is_misspelt);
    return InputFault::at(place, verdict.reason);
  }

  void list(json::Value object, Locator& locator) {
    const json::Value items = object["items"];
    if (!items.is_nothing() && !items.is_array()) {
      return fault(locator.of(object), "the items of a List must be a list; found " +
                                           std::string(json::type_name(items.type())));
    }
    const std::string_view kind = kind_of_items(object["kind"].string_or_empty());
    const schema::Resource* const resource =
        check_kind(object["apiVersion"].string_or_empty(), kind).resource;
    for (const json::Value item : items.elements()) {
      const bool is_complete =
          !item["apiVersion"].string_or_empty().empty() && !item["kind"].string_or_empty().empty();
      if (resource == nullptr || !item.is_object() || is_complete) {
        // Nested lists are no deeper than a document may be.
        document(item, locator);
      } else if (const json::Value whole = completed(item, *resource); whole.exists()) {
        visitor_.object({*resource, whole, locator, item, is_dropped_});
      } else {
        fault(locator.of(item), "the item of the List is too large to be read");
      }
    }
  }

  // The item with the apiVersion and kind of its list, as kubectl sends it to the API server;
  // absent if that exceeds the limits.
  json::Value completed(json::Value item, const schema::Resource& resource) {
    return without(item, {"apiVersion", "kind"}, &resource);
  }

  // The object without these members and, if a resource is given, with its apiVersion and kind;
  // absent if that exceeds the limits.
  json::Value without(json::Value object, std::initializer_list<std::string_view> dropped,
                      const schema::Resource* resource) {
    std::string& text = reader_.item_text_;
    text.clear();
    json::Writer writer(text);
    writer.start_object();
    if (resource != nullptr) {
      writer.member("apiVersion", resource->api_version).member("kind", resource->kind);
    }
    for (const json::Member member : object.members()) {
      if (std::ranges::find(dropped, member.name) != dropped.end()) continue;
      writer.key(member.name).value(member.value);
    }
    writer.end_object();
    const std::size_t length = text.size();
    text.append(json::kParsePadding, '\0');
    json::ParseOptions options;
    options.max_depth = kDeepestDocument;
    const auto error =
        reader_.parser_.parse(std::span(text).first(length), options, reader_.item_document_);
    return error ? json::Value() : reader_.item_document_.root();
  }

  // A fault of a whole document marks no text.
  void fault(Place place, std::string reason) {
    lines_.show(place);
    place.length = 0;
    place.characters = 0;
    place.text.clear();
    visitor_.fault(InputFault::at(place, std::move(reason)));
  }

  ManifestReader& reader_;
  std::string_view text_;
  Lines lines_;
  ManifestVisitor& visitor_;
  std::uint32_t line_ = 0;           // processed lines of the text
  bool follows_end_ = false;         // "..." ended the previous document
  bool is_dropped_ = false;          // see Manifest
  std::string_view ytt_advice_;      // of the current document
  std::optional<bool> is_manifest_;  // of broken JSON
  std::size_t mistakes_ = 0;
  std::size_t read_again_ = 0;  // bytes
};

void ManifestReader::read(const Slice& slice, ManifestVisitor& visitor) {
  Run run(*this, slice, visitor);
  if (slice.syntax == Syntax::kJson) {
    run.json();
  } else {
    run.yaml();
  }
  // Frees the memory of a large document instead of keeping it for all others.
  constexpr std::size_t kKeptNodes = 64 * 1024;
  constexpr std::size_t kKeptBytes = std::size_t{1} << 20U;
  if (document_.capacity() > kKeptNodes) document_.shrink_to(kKeptNodes);
  if (text_.capacity() > kKeptBytes) std::string().swap(text_);
  if (item_document_.capacity() > kKeptNodes) item_document_.shrink_to(kKeptNodes);
  if (item_text_.capacity() > kKeptBytes) std::string().swap(item_text_);
}

}  // namespace dynamo::cli
