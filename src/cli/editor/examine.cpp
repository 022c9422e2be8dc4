#include "cli/editor/examine.hpp"

#include <algorithm>
#include <utility>

#include "api/kind.hpp"
#include "cli/editor/field_info.hpp"
#include "cli/input/templates.hpp"
#include "cli/input/whole_text.hpp"
#include "schema/properties.hpp"

namespace dynamo::cli {
namespace {

constexpr std::size_t kMaxDiagnostics = 1000;

class Examiner final : public ManifestVisitor {
 public:
  Examiner(std::string_view text, std::string_view name, ManifestValidator& validator,
           const FindingFilter& filter)
      : lines_(text, 0), name_(name), validator_(validator), filter_(filter) {}

  void object(const Manifest& manifest) override {
    ObjectReport report = validator_.validate(manifest, name_);
    if (const auto [finding, advice] = find_expression_in(report); finding != nullptr) {
      add(finding->place, Severity::kInformation, {}, {}, not_validated(advice));
      return;
    }
    FindingFilter filter = filter_;  // a copy, because it counts what it removes
    Summary ignored;
    filter.apply(report, ignored);
    for (const Finding* const finding : report.findings_by_place()) {
      const Place& place = finding->place.line == 0 ? report.place : finding->place;
      std::string message = finding->field;
      if (!message.empty()) message += ": ";
      if (!finding->type.empty()) message += finding->type + ": ";
      const bool is_error = finding->level == Level::kError;
      add(place, is_error ? Severity::kError : Severity::kWarning, finding->rule, finding->field,
          message + finding->detail);
    }
  }
  // An object of ours that is not validated is no mistake, but no diagnostic at all would look like
  // a pass.
  void other(OtherDocument document) override {
    const bool is_ours =
        document.what == OtherContent::kVersion || document.what == OtherContent::kEncrypted ||
        (document.what == OtherContent::kTemplate && names_our_group(lines_.text()));
    if (!is_ours) return;
    std::string why = std::move(document.fault.reason);
    // The parser may have failed on another line than the one with template syntax.
    if (document.what == OtherContent::kTemplate && !why.starts_with("this is a template")) {
      why = "this is a template, not yet a manifest; render it first";
    }
    add(place_of(document.fault), Severity::kInformation, {}, {}, not_validated(why));
  }
  void fault(InputFault fault) override {
    add(place_of(fault), Severity::kError, {}, {}, std::move(fault.reason));
  }

  std::vector<Diagnostic> take() { return std::move(found_); }

 private:
  using Severity = Diagnostic::Severity;

  static Place place_of(const InputFault& fault) {
    Place place;
    place.line = fault.line;
    place.column = fault.column;
    place.length = fault.length;
    return place;
  }

  static std::string not_validated(std::string_view why) {
    return "not validated: " + std::string(why);
  }

  void add(const Place& place, Severity severity, std::string_view rule, const std::string& field,
           std::string message) {
    if (found_.size() == kMaxDiagnostics) return;
    const std::size_t offset =
        place.line == 0 ? 0 : lines_.offset_of(place.line, std::max(place.column, 1U));
    const std::size_t length = std::min<std::size_t>(place.length, lines_.text().size() - offset);
    found_.push_back({offset, length, severity, rule, field, std::move(message)});
  }

  Lines lines_;
  std::string_view name_;
  ManifestValidator& validator_;
  const FindingFilter& filter_;
  std::vector<Diagnostic> found_;
};

// Traverses the document together with schema and texts; as deep as the document, whose reader
// limits the depth.
class HoverSearch final : public ManifestVisitor {
 public:
  HoverSearch(std::string_view text, std::size_t offset) : lines_(text, 0), offset_(offset) {}

  void object(const Manifest& manifest) override {
    if (!hover_.markdown.empty()) return;
    locator_ = &manifest.locator;
    members(manifest.written, FieldInfo::of_resource(manifest.resource));
  }
  void other(OtherDocument) override {}
  void fault(InputFault) override {}

  Hover take() { return std::move(hover_); }

 private:
  void value(json::Value value, const FieldInfo& words) {
    if (value.is_object()) members(value, words);
    for (const json::Value element : value.elements()) this->value(element, words.each());
  }

  void members(json::Value object, const FieldInfo& around) {
    const json::Node* name = object.node() + 1;
    for (const json::Member member : object.members()) {
      const json::Value named{name};
      name += 1 + (name + 1)->span;
      const FieldInfo words = around.member(member.name);
      const bool is_scalar = !member.value.is_object() && !member.value.is_array();
      if (holds(named) || (is_scalar && holds(member.value))) {
        hover_.markdown = words.markdown(member.name);
        return;
      }
      value(member.value, words);
      if (hover_.length != 0) return;
    }
  }

  bool holds(json::Value value) {
    Place place = locator_->of(value);
    if (place.line == 0) return false;
    const std::size_t start = lines_.offset_of(place.line, place.column);
    if (start > offset_) return false;
    lines_.show(place);
    if (place.length == 0 || offset_ > start + place.length) return false;
    hover_.offset = start;
    hover_.length = place.length;
    return true;
  }

  Lines lines_;
  std::size_t offset_;
  Locator* locator_ = nullptr;
  Hover hover_;
};

}  // namespace

bool names_our_group(std::string_view text) {
  return text.find(std::string(api::kGroup) + "/v") != std::string_view::npos;
}

std::vector<Diagnostic> examine(std::string_view text, std::string_view name,
                                ManifestValidator& validator, const FindingFilter& filter) {
  const std::size_t mark = length_of_mark(text);
  text.remove_prefix(mark);
  Examiner examiner(text, name, validator, filter);
  read_whole_text(text, name, examiner);
  std::vector<Diagnostic> found = examiner.take();
  for (Diagnostic& each : found) each.offset += mark;
  return found;
}

Hover hover_at(std::string_view text, std::string_view name, std::size_t offset) {
  const std::size_t mark = length_of_mark(text);
  text.remove_prefix(mark);
  HoverSearch search(text, offset - std::min(offset, mark));
  read_whole_text(text, name, search);
  Hover hover = search.take();
  hover.offset += mark;
  return hover;
}

}  // namespace dynamo::cli
