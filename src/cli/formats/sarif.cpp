// SARIF 2.1.0 (OASIS), for code scanning: results as they come, then the tool with the rules that
// they name.
#include <algorithm>
#include <array>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/formats/formats.hpp"
#include "cli/formats/uri.hpp"
#include "cli/options/options.hpp"
#include "cli/report/rule_book.hpp"
#include "cli/report/wording.hpp"
#include "json/report_writer.hpp"
#include "runtime/build_info.hpp"

namespace dynamo::cli {
namespace {

constexpr std::string_view kSchemaUri = "https://json.schemastore.org/sarif-2.1.0.json";
constexpr std::string_view kBase = "%SRCROOT%";

std::string sentence(std::string_view text) {
  std::string whole{text};
  // Field names keep their case.
  const std::string_view word = text.substr(0, text.find_first_of(" ,"));
  if (std::all_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; }) &&
      !whole.empty()) {
    whole.front() = static_cast<char>(whole.front() - 'a' + 'A');
  }
  if (!whole.ends_with('.')) whole += '.';
  return whole;
}

template <typename Words>
std::string join(const Words& words) {
  std::string text;
  for (const std::string_view word : words) text += (text.empty() ? "" : ", ") + std::string(word);
  return text;
}

void add_text(json::ReportWriter& writer, std::string_view name, std::string_view text) {
  writer.key(name).start_object().member("text", text).end_object();
}

// FNV-1a: a finding's long-term identity must not depend on the machine or the library.
class Fingerprint {
 public:
  void add(std::string_view text) {
    for (const char c : text) add_byte(static_cast<unsigned char>(c));
    add_byte(0xFF);  // terminates a text: it does not occur in UTF-8
  }

  std::string hex() const {
    constexpr std::string_view kHex = "0123456789abcdef";
    std::string digits;
    for (unsigned shift = 64; shift > 0; shift -= 4) digits += kHex[(hash_ >> (shift - 4)) & 0xFU];
    return digits;
  }

 private:
  void add_byte(unsigned char byte) { hash_ = (hash_ ^ byte) * 0x100000001b3U; }

  std::uint64_t hash_ = 0xcbf29ce484222325U;
};

class SarifReporter final : public Reporter {
 public:
  SarifReporter(std::ostream& out, const ReporterOptions& options) : out_(out), options_(options) {}

  void begin() override {
    text_ = "{\n\"$schema\":";
    json::ReportWriter(text_).string(kSchemaUri);
    text_ += ",\n\"version\":\"2.1.0\",\n\"runs\":[{\n";
    text_ += "\"columnKind\":\"unicodeCodePoints\",\n\"results\":[";
    out_ << text_;
  }

  void object(const ObjectReport& report) override {
    text_.clear();
    repeated_.clear();
    for (const Finding* const each : report.findings_by_place()) {
      const Finding& finding = *each;
      text_ += any_ ? ",\n" : "\n";
      any_ = true;
      json::ReportWriter writer(text_);
      add_result(writer, report, finding);
    }
    out_ << text_;
  }

  // Faults are notifications of the run, not results; they are written at its end.
  void fault(const InputFault& fault) override {
    if (!faults_.empty()) faults_ += ",";
    faults_ += '\n';
    json::ReportWriter writer(faults_);
    writer.start_object().member("level", "error");
    add_text(writer, "message", printable(fault.reason));
    writer.key("locations").start_array().start_object().key("physicalLocation").start_object();
    add_artifact(writer, fault.file);
    if (fault.line > 0) {
      writer.key("region").start_object().key("startLine").integer(fault.line);
      const Place place = fault.place();
      if (fault.column > 0) {
        writer.key("startColumn").integer(static_cast<std::int64_t>(shown_column(place)));
      }
      writer.end_object();
    }
    writer.end_object().end_object().end_array().end_object();
  }

  void end(const Summary& summary) override {
    text_ = any_ ? "\n],\n" : "],\n";
    text_ += "\"invocations\":[";
    json::ReportWriter writer(text_);
    writer.start_object().key("executionSuccessful").boolean(summary.faults == 0);
    for (const std::string& text : unchecked_texts(summary)) {
      if (!faults_.empty()) faults_ += ",";
      faults_ += '\n';
      json::ReportWriter notification(faults_);
      notification.start_object().member("level", "warning");
      add_text(notification, "message", text);
      notification.end_object();
    }
    if (!faults_.empty()) {
      writer.key("toolExecutionNotifications").raw("[" + faults_ + "\n]");
    }
    if (!options_.silenced_by.empty()) add_silencing(writer);
    writer.end_object();
    text_ += "],\n";
    add_tool();
    text_ += "\n}]\n}\n";
    out_ << text_;
    out_.flush();
  }

 private:
  static std::string printable(std::string_view text) {
    std::string shown;
    append_printable(shown, text);
    return shown;
  }

  void add_silencing(json::ReportWriter& writer) const {
    writer.key("toolConfigurationNotifications").start_array();
    for (const std::string& setting : options_.silenced_by) {
      writer.start_object().member("level", "warning");
      add_text(writer, "message", setting + " (" + std::string(kSilencedNote) + ")");
      writer.end_object();
    }
    writer.end_array();
  }

  void add_tool() {
    text_ += "\"tool\":{\"driver\":{\"name\":";
    json::ReportWriter(text_).string(kProgramName);
    text_ += ",\"semanticVersion\":";
    json::ReportWriter(text_).string(runtime::program_version());
    text_ += ",\"rules\":[";
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      text_ += i == 0 ? "\n" : ",\n";
      json::ReportWriter writer(text_);
      if (const RuleEntry* const entry = find_rule_entry(rules_[i]); entry != nullptr) {
        add_rule(writer, *entry);
      } else {
        writer.start_object().member("id", rules_[i]).end_object();
      }
    }
    text_ += "\n]}}";
  }

  // The index of the rule among those of this report.
  std::int64_t index_of(std::string_view rule) {
    const auto known = std::find(rules_.begin(), rules_.end(), rule);
    const auto index = known - rules_.begin();
    if (known == rules_.end()) rules_.push_back(rule);
    return index;
  }

  static void add_rule(json::ReportWriter& writer, const RuleEntry& entry) {
    const std::string_view level = entry.outcome == "deny"   ? "error"
                                   : entry.outcome == "warn" ? "warning"
                                                             : "none";
    std::string help = sentence(entry.summary);
    if (!entry.explanation.empty()) help += " " + entry.explanation;
    help += "\nField: " + join(entry.fields) + ". Kinds: " + join(entry.kinds) +
            ". Operations: " + join(entry.operations) + ".";
    if (entry.ratcheted) help += " An update is validated only on what it changes.";
    writer.start_object().member("id", entry.id);
    add_text(writer, "shortDescription", sentence(entry.summary));
    if (!entry.explanation.empty()) add_text(writer, "fullDescription", entry.explanation);
    add_text(writer, "help", help);
    writer.key("defaultConfiguration").start_object();
    if (level == "none") writer.key("enabled").boolean(false);
    writer.member("level", level).end_object();
    writer.key("properties").start_object().key("tags").start_array();
    writer.string("kubernetes").string(name(entry.source)).end_array();
    writer.member("problem.severity", level == "error" ? "error" : "warning");
    writer.end_object().end_object();
  }

  void add_artifact(json::ReportWriter& writer, std::string_view given) const {
    const std::string file = source_name(given, options_);
    const std::string uri = uri_of(file);
    writer.key("artifactLocation").start_object().member("uri", uri);
    if (!file.starts_with('/') && file != "-") writer.member("uriBaseId", kBase);
    writer.end_object();
  }

  static void add_region(json::ReportWriter& writer, const Place& place) {
    if (place.line == 0) return;
    writer.key("region").start_object().key("startLine").integer(place.line);
    if (place.column > 0) {
      writer.key("startColumn").integer(static_cast<std::int64_t>(shown_column(place)));
      if (place.length > 0) {
        writer.key("endColumn").integer(static_cast<std::int64_t>(shown_end(place)));
      }
    }
    if (!place.text.empty()) {
      std::string line;
      append_printable(line, place.text, true);
      writer.key("snippet").start_object().member("text", line).end_object();
    }
    writer.end_object();
  }

  void add_result(json::ReportWriter& writer, const ObjectReport& report, const Finding& finding) {
    const bool error =
        finding.level == Level::kError || options_.warnings_as_errors || report.warnings_fail;
    writer.start_object().member("ruleId", finding.rule);
    writer.key("ruleIndex").integer(index_of(finding.rule));
    writer.member("level", error ? "error" : "warning");
    add_text(writer, "message", printable(message(finding)));
    writer.key("locations").start_array().start_object();
    writer.key("physicalLocation").start_object();
    add_artifact(writer, report.file);
    add_region(writer, finding.place.line > 0 ? finding.place : report.place);
    writer.end_object();
    writer.key("logicalLocations").start_array().start_object();
    writer.member("name", printable(finding.field));
    writer.member("fullyQualifiedName", printable(object_title(report) + " " + finding.field));
    writer.member("kind", "property").end_object().end_array();
    writer.end_object().end_array();
    writer.key("partialFingerprints").start_object();
    writer.member("dynamoFinding/v1", fingerprint(report, finding)).end_object();
    writer.end_object();
  }

  // From the rule, the object and the field, but not from lines and values: stable while the file
  // around the finding changes. The second finding of one rule at one field gets ":1".
  std::string fingerprint(const ObjectReport& report, const Finding& finding) {
    const std::string file = source_name(report.file, options_);
    Fingerprint print;
    for (const std::string_view part :
         {finding.rule, std::string_view(file), std::string_view(report.kind),
          std::string_view(report.namespace_name), std::string_view(report.name),
          std::string_view(finding.field)}) {
      print.add(part);
    }
    std::string hex = print.hex();
    const auto before = std::count(repeated_.begin(), repeated_.end(), hex);
    repeated_.push_back(hex);
    return hex + ":" + std::to_string(before);
  }

  std::ostream& out_;
  const ReporterOptions options_;
  std::vector<std::string_view> rules_;  // in the order of the results that name them
  std::vector<std::string> repeated_;    // fingerprints of the current object
  std::string faults_;
  std::string text_;  // reused
  bool any_ = false;
};

}  // namespace

std::unique_ptr<Reporter> make_sarif_reporter(std::ostream& out, const ReporterOptions& options) {
  return std::make_unique<SarifReporter>(out, options);
}

}  // namespace dynamo::cli
