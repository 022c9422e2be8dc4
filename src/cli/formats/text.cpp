// For users: one line per finding, in the style of compilers, and the line of the manifest with a
// mark below the text in question.
#include <ostream>
#include <string>
#include <string_view>

#include "cli/formats/formats.hpp"
#include "cli/report/source_line.hpp"
#include "cli/report/wording.hpp"

namespace dynamo::cli {
namespace {

constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kRed = "\x1b[1;31m";
constexpr std::string_view kYellow = "\x1b[1;33m";
constexpr std::string_view kGreen = "\x1b[32m";
constexpr std::string_view kDim = "\x1b[2m";
constexpr std::string_view kPlain = "\x1b[0m";

class TextReporter final : public Reporter {
 public:
  TextReporter(std::ostream& out, const ReporterOptions& options) : out_(out), options_(options) {}

  void object(const ObjectReport& report) override {
    if (report.findings.empty() && report.omitted_findings == 0 && report.exemption.empty() &&
        report.excused.empty()) {
      return;
    }
    if (report.findings.empty() && options_.quiet) return;
    text_.clear();
    if (written_) text_ += '\n';
    add_title(report);
    for (const Finding* const finding : report.findings_by_place()) add_finding(report, *finding);
    if (!options_.quiet) {
      for (const Finding& finding : report.excused) add_excused(report, finding);
    }
    if (report.omitted_findings > 0) {
      text_ += "… and " + count_of(report.omitted_findings, "more finding") + " of this object\n";
    }
    flush();
    after_object_ = true;
  }

  void fault(const InputFault& fault) override {
    text_.clear();
    if (after_object_) text_ += '\n';
    const Place place = fault.place();
    add_place(fault.file, place);
    add_label(Level::kError);
    append_printable(text_, fault.reason);
    text_ += '\n';
    if (fault.line > 0) add_line(Level::kError, place);
    flush();
    after_object_ = false;
  }

  void end(const Summary& summary) override {
    if (!options_.quiet) {
      text_.clear();
      if (written_) text_ += '\n';
      const bool failed = summary.invalid > 0 || summary.faults > 0 ||
                          summary.failing_warnings > 0 ||
                          (options_.warnings_as_errors && summary.warnings > 0);
      colour(failed ? kRed : summary.objects == 0 ? kYellow : kGreen);
      text_ += summary_line(summary, options_.warnings_as_errors);
      colour(kPlain);
      text_ += '\n';
      flush();
    }
    out_.flush();
  }

 private:
  void colour(std::string_view escape) {
    if (options_.colours) text_ += escape;
  }

  void flush() {
    out_ << text_;
    written_ = true;
  }

  void add_place(std::string_view file, const Place& place) {
    colour(kBold);
    append_printable(text_, where(file, place));
    text_ += ": ";
    colour(kPlain);
  }

  void add_label(Level level) {
    colour(level == Level::kError ? kRed : kYellow);
    text_ += level == Level::kError ? "error: " : "warning: ";
    colour(kPlain);
  }

  void add_title(const ObjectReport& report) {
    colour(kBold);
    append_printable(text_, display_name(report.file));
    text_ += ": ";
    append_printable(text_, object_title(report));
    colour(kPlain);
    if (report.operation == "UPDATE") text_ += ", as an update";
    text_ += ": ";
    const bool is_silent = report.findings.empty() && report.omitted_findings == 0;
    if (!is_silent || !report.excused.empty()) text_ += count_findings(report);
    if (!report.exemption.empty()) {
      if (!report.findings.empty()) text_ += "; ";
      text_ += exemption_text(report.exemption);
    }
    text_ += '\n';
  }

  void add_finding(const ObjectReport& report, const Finding& finding) {
    const Place& place = finding.place.line > 0 ? finding.place : report.place;
    add_place(report.file, place);
    add_label(finding.level);
    append_printable(text_, message(finding));
    text_ += '\n';
    // If the place is unknown, the object's first line would be misleading.
    if (finding.place.line > 0) add_line(finding.level, finding.place);
  }

  void add_excused(const ObjectReport& report, const Finding& finding) {
    add_place(report.file, finding.place.line > 0 ? finding.place : report.place);
    colour(kDim);
    text_ += "ignored: ";
    append_printable(text_, message(finding));
    text_ += "; because ";
    append_printable(text_, report.ignore.reason);
    colour(kPlain);
    text_ += '\n';
  }

  void add_line(Level level, const Place& place) {
    SourceLinePaint paint;
    if (options_.colours) {
      paint = {.dim = kDim, .mark = level == Level::kError ? kRed : kYellow, .plain = kPlain};
    }
    append_source_line(text_, place, paint);
  }

  std::ostream& out_;
  const ReporterOptions options_;
  std::string text_;  // reused
  bool written_ = false;
  bool after_object_ = false;  // an object was written last
};

}  // namespace

std::unique_ptr<Reporter> make_text_reporter(std::ostream& out, const ReporterOptions& options) {
  return std::make_unique<TextReporter>(out, options);
}

}  // namespace dynamo::cli
