// Workflow commands of GitHub Actions: annotations on the lines of a pull request.
#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>

#include "cli/formats/formats.hpp"
#include "cli/formats/uri.hpp"
#include "cli/report/wording.hpp"

namespace dynamo::cli {
namespace {

// Escapes characters that would end a command's text or, with `property`, one of its properties.
void append_escaped(std::string& out, char c, bool property) {
  if (c == '%') {
    out += "%25";
  } else if (c == ':' && property) {
    out += "%3A";
  } else if (c == ',' && property) {
    out += "%2C";
  } else {
    out += c;
  }
}

void append_escaped(std::string& out, std::string_view text, bool property) {
  std::string printable;
  while (true) {
    const std::size_t end = text.find('\n');
    printable.clear();
    append_printable(printable, text.substr(0, end));
    for (const char c : printable) append_escaped(out, c, property);
    if (end == std::string_view::npos) return;
    out += "%0A";
    text.remove_prefix(end + 1);
  }
}

class GithubReporter final : public Reporter {
 public:
  GithubReporter(std::ostream& out, const ReporterOptions& options)
      : out_(out), options_(options) {}

  void begin() override {
    text_.clear();
    for (const std::string& setting : options_.silenced_by) {
      text_ += "::warning title=configuration::";
      append_escaped(text_, setting + " (" + std::string(kSilencedNote) + ")", false);
      text_ += '\n';
    }
    out_ << text_;
  }

  void object(const ObjectReport& report) override {
    text_.clear();
    for (const Finding* const finding : report.findings_by_place()) {
      const Place& place = finding->place.line > 0 ? finding->place : report.place;
      start(report.warnings_fail ? Level::kError : finding->level, report.file, place);
      add_property("title", finding->rule);
      text_ += "::";
      append_escaped(text_, object_title(report) + ": " + message(*finding), false);
      text_ += '\n';
    }
    if (report.omitted_findings > 0) {
      start(report.is_valid() && !report.warnings_fail ? Level::kWarning : Level::kError,
            report.file, report.place);
      add_property("title", "more findings");
      text_ += "::";
      append_escaped(text_,
                     object_title(report) + ": " + count_of(report.omitted_findings, "finding") +
                         " more of this object",
                     false);
      text_ += '\n';
    }
    out_ << text_;
  }

  void fault(const InputFault& fault) override {
    text_.clear();
    start(Level::kError, fault.file, fault.place());
    add_property("title", "cannot be read");
    text_ += "::";
    append_escaped(text_, fault.reason, false);
    text_ += '\n';
    out_ << text_;
  }

  void end(const Summary& summary) override {
    text_.clear();
    for (const std::string& text : unchecked_texts(summary)) {
      text_ += "::warning title=not validated::";
      append_escaped(text_, text, false);
      text_ += '\n';
    }
    out_ << text_;
    out_ << summary_line(summary, options_.warnings_as_errors) << '\n';
    out_.flush();
  }

 private:
  void start(Level level, std::string_view file, const Place& place) {
    const bool error = level == Level::kError || options_.warnings_as_errors;
    text_ += error ? "::error" : "::warning";
    separator_ = ' ';
    if (file != "-") add_property("file", source_name(file, options_));
    if (place.line == 0) return;
    add_property("line", std::to_string(place.line));
    if (place.column == 0) return;
    add_property("col", std::to_string(shown_column(place)));
    if (place.length > 0) add_property("endColumn", std::to_string(shown_end(place)));
  }

  void add_property(std::string_view name, std::string_view value) {
    text_ += separator_;
    text_ += name;
    text_ += '=';
    append_escaped(text_, value, true);
    separator_ = ',';
  }

  std::ostream& out_;
  const ReporterOptions options_;
  std::string text_;  // reused
  char separator_ = ' ';
};

}  // namespace

std::unique_ptr<Reporter> make_github_reporter(std::ostream& out, const ReporterOptions& options) {
  return std::make_unique<GithubReporter>(out, options);
}

}  // namespace dynamo::cli
