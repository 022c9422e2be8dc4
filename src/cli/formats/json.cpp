// For programs: one document, written incrementally, one object per line.
#include <ostream>
#include <string>
#include <string_view>

#include "cli/formats/formats.hpp"
#include "cli/formats/program_writer.hpp"
#include "cli/options/options.hpp"
#include "cli/report/wording.hpp"
#include "json/report_writer.hpp"

namespace dynamo::cli {
namespace {

std::int64_t number(std::size_t value) {
  return static_cast<std::int64_t>(value);
}

class JsonReporter final : public Reporter {
 public:
  JsonReporter(std::ostream& out, const ReporterOptions& options) : out_(out), options_(options) {}

  void begin() override {
    text_ = "{\n";
    text_ += "\"formatVersion\":1,\n\"tool\":";
    json::ReportWriter writer(text_);
    write_program(writer);
    text_ += ",\n\"results\":[";
    out_ << text_;
  }

  void object(const ObjectReport& report) override {
    next_result();
    json::ReportWriter writer(text_);
    writer.start_object().member("result", "object").member("file", report.file);
    add_place(writer, report.place);
    writer.member("kind", report.kind)
        .member("namespace", report.namespace_name)
        .member("name", report.name)
        .member("operation", report.operation)
        .key("exemption");
    if (report.exemption.empty()) {
      writer.null();
    } else {
      writer.string(report.exemption);
    }
    writer.key("valid").boolean(report.is_valid());
    writer.key("findings").start_array();
    for (const Finding* const each : report.findings_by_place()) add_finding(writer, *each);
    writer.end_array();
    writer.key("omittedFindings").integer(number(report.omitted_findings));
    writer.key("ignoredFindings").start_array();
    for (const Finding& finding : report.excused) add_finding(writer, finding);
    writer.end_array().member("ignoreReason", report.ignore.reason).end_object();
    out_ << text_;
  }

  void fault(const InputFault& fault) override {
    next_result();
    json::ReportWriter writer(text_);
    writer.start_object().member("result", "fault").member("file", fault.file);
    add_place(writer, fault.place());
    writer.member("reason", fault.reason).member("text", fault.text).end_object();
    out_ << text_;
  }

  void end(const Summary& summary) override {
    text_ = any_ ? "\n],\n\"summary\":" : "],\n\"summary\":";
    json::ReportWriter writer(text_);
    writer.start_object();
    writer.key("files").integer(number(summary.files));
    writer.key("objects").integer(number(summary.objects));
    writer.key("invalid").integer(number(summary.invalid));
    writer.key("errors").integer(number(summary.errors));
    writer.key("warnings").integer(number(summary.warnings));
    writer.key("warningsAsErrors").boolean(options_.warnings_as_errors);
    writer.key("ignored").integer(number(summary.ignored));
    writer.key("faults").integer(number(summary.faults));
    writer.key("otherVersions").integer(number(summary.other_versions));
    writer.key("noManifests").integer(number(summary.no_manifests));
    writer.key("templates").integer(number(summary.templates + summary.encrypted));
    writer.key("patches").integer(number(summary.patches));
    writer.key("chartTemplates").integer(number(summary.chart_templates));
    add_unchecked(writer, summary);
    writer.key("ignoredFindings").integer(number(summary.excused));
    writer.key("baselineFindings").integer(number(summary.known));
    writer.key("skippedFindings").integer(number(summary.unselected));
    writer.key("repeated").integer(number(summary.repeated));
    writer.key("silencedBy").start_array();
    for (const std::string& setting : options_.silenced_by) writer.string(setting);
    writer.end_array();
    writer.key("milliseconds").integer(summary.elapsed.count());
    writer.end_object();
    text_ += "\n}\n";
    out_ << text_;
    out_.flush();
  }

 private:
  void next_result() {
    text_ = any_ ? ",\n" : "\n";
    any_ = true;
  }

  static void add_unchecked(json::ReportWriter& writer, const Summary& summary) {
    writer.key("unchecked").start_array();
    for (const auto& [why, files] : summary.unchecked) {
      writer.start_object().member("reason", name_of(why)).key("files").start_array();
      for (const std::string& file : files) writer.string(file);
      writer.end_array().end_object();
    }
    writer.end_array();
  }

  static void add_place(json::ReportWriter& writer, const Place& place) {
    writer.key("line").integer(place.line);
    writer.key("column").integer(number(shown_column(place)));
  }

  static void add_finding(json::ReportWriter& writer, const Finding& finding) {
    writer.start_object()
        .member("level", finding.level == Level::kError ? "error" : "warning")
        .member("rule", finding.rule)
        .member("field", finding.field)
        .member("type", finding.type)
        .member("detail", finding.detail)
        .member("message", message(finding));
    add_place(writer, finding.place);
    writer.key("length").integer(number(shown_length(finding.place)));
    writer.member("text", finding.place.text).end_object();
  }

  std::ostream& out_;
  const ReporterOptions options_;
  std::string text_;  // reused
  bool any_ = false;
};

}  // namespace

std::unique_ptr<Reporter> make_json_reporter(std::ostream& out, const ReporterOptions& options) {
  return std::make_unique<JsonReporter>(out, options);
}

}  // namespace dynamo::cli
