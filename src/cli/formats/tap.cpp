// TAP: one test point per object and per input that could not be read. Version 13, since prove(1)
// refuses later versions; the output means the same in version 14.
#include <ostream>
#include <string>
#include <string_view>

#include "cli/formats/formats.hpp"
#include "cli/report/wording.hpp"
#include "json/writer.hpp"

namespace dynamo::cli {
namespace {

// The description after the dash, in which # and \ must be escaped.
void append_description(std::string& out, std::string_view text) {
  std::string printable;
  append_printable(printable, text);
  for (const char c : printable) {
    if (c == '#' || c == '\\') out += '\\';
    out += c;
  }
}

// A YAML value, quoted so that every reader parses the same text.
void append_value(std::string& out, std::string_view name, std::string_view text,
                  std::string_view indent) {
  std::string printable;
  append_printable(printable, text);
  out += indent;
  out += name;
  out += ": ";
  json::append_quoted(out, printable);
  out += '\n';
}

class TapReporter final : public Reporter {
 public:
  TapReporter(std::ostream& out, const ReporterOptions& options) : out_(out), options_(options) {}

  void begin() override {
    out_ << "TAP version 13\n";
    for (const std::string& setting : options_.silenced_by) {
      out_ << "# warning: " << setting << " (" << kSilencedNote << ")\n";
    }
  }

  void object(const ObjectReport& report) override {
    const bool passed = !fails(report, options_.warnings_as_errors);
    start_point(passed);
    append_description(text_,
                       where(report.file, report.place.line, 0) + ": " + object_title(report));
    if (passed && !report.exemption.empty()) {
      text_ += " # SKIP ";
      append_description(text_, exemption_text(report.exemption));
    }
    text_ += '\n';
    if (!report.findings.empty()) add_findings(report);
    out_ << text_;
  }

  void fault(const InputFault& fault) override {
    start_point(false);
    append_description(text_, where(fault.file, 0, 0) + ": can be read");
    text_ += "\n  ---\n";
    append_value(text_, "message", fault.reason, "  ");
    append_value(text_, "at", where(fault), "  ");
    text_ += "  ...\n";
    out_ << text_;
  }

  void end(const Summary& summary) override {
    text_ = "1.." + std::to_string(points_);
    if (points_ == 0) text_ += " # SKIP nothing of nvidia.com/v1alpha1 to validate";
    text_ += "\n# ";
    append_printable(text_, summary_line(summary, options_.warnings_as_errors));
    text_ += '\n';
    for (const std::string& text : unchecked_texts(summary)) text_ += "# warning: " + text + '\n';
    out_ << text_;
    out_.flush();
  }

 private:
  void start_point(bool passed) {
    ++points_;
    text_ = passed ? "ok " : "not ok ";
    text_ += std::to_string(points_) + " - ";
  }

  void add_findings(const ObjectReport& report) {
    text_ += "  ---\n";
    append_value(text_, "operation", report.operation, "  ");
    text_ += "  findings:\n";
    for (const Finding* const each : report.findings_by_place()) {
      const Finding& finding = *each;
      append_value(text_, "- level", finding.level == Level::kError ? "error" : "warning", "    ");
      append_value(text_, "message", message(finding), "      ");
      const Place& place = finding.place.line > 0 ? finding.place : report.place;
      append_value(text_, "at", where(report.file, place), "      ");
    }
    if (report.omitted_findings > 0) {
      append_value(text_, "omitted", std::to_string(report.omitted_findings), "  ");
    }
    text_ += "  ...\n";
  }

  std::ostream& out_;
  const ReporterOptions options_;
  std::string text_;  // reused
  std::size_t points_ = 0;
};

}  // namespace

std::unique_ptr<Reporter> make_tap_reporter(std::ostream& out, const ReporterOptions& options) {
  return std::make_unique<TapReporter>(out, options);
}

}  // namespace dynamo::cli
