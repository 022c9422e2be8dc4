// JUnit XML: a suite per file, a test case per object. A suite begins with its number of failures,
// so a file is buffered until the next one begins.
#include <ostream>
#include <string>
#include <string_view>

#include "cli/formats/formats.hpp"
#include "cli/report/wording.hpp"

namespace dynamo::cli {
namespace {

// Text or, with `attribute`, the inside of a quoted attribute. Characters that XML 1.0 does not
// allow are escaped first.
void append_xml(std::string& out, std::string_view text, bool attribute = false) {
  std::string printable;
  while (true) {
    const std::size_t end = text.find('\n');
    printable.clear();
    append_printable(printable, text.substr(0, end));
    for (const char c : printable) {
      switch (c) {
        case '&':
          out += "&amp;";
          break;
        case '<':
          out += "&lt;";
          break;
        case '>':
          out += "&gt;";
          break;
        case '"':
          out += "&quot;";
          break;
        default:
          out += c;
      }
    }
    if (end == std::string_view::npos) return;
    out += attribute ? "&#10;" : "\n";
    text.remove_prefix(end + 1);
  }
}

void append_attribute(std::string& out, std::string_view name, std::string_view value) {
  out += ' ';
  out += name;
  out += "=\"";
  append_xml(out, value, true);
  out += '"';
}

class JunitReporter final : public Reporter {
 public:
  JunitReporter(std::ostream& out, const ReporterOptions& options) : out_(out), options_(options) {}

  void begin() override {
    out_ << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuites name=\"kubectl dynamo validate\">\n";
    for (const std::string& setting : options_.silenced_by) {
      enter("configuration");
      start_case(setting);
      ++skipped_;
      start_element("skipped", kSilencedNote, "silenced");
      cases_ += "</skipped>\n    </testcase>\n";
    }
    leave();
  }

  void object(const ObjectReport& report) override {
    enter(report.file);
    start_case(object_title(report));
    if (fails(report, options_.warnings_as_errors)) {
      ++failures_;
      start_element("failure", count_findings(report), "invalid");
      add_findings(report);
      cases_ += "</failure>\n    </testcase>\n";
    } else if (!report.exemption.empty()) {
      ++skipped_;
      start_element("skipped", exemption_text(report.exemption), report.exemption);
      add_findings(report);
      cases_ += "</skipped>\n    </testcase>\n";
    } else if (!report.findings.empty() || report.omitted_findings > 0) {
      cases_ += ">\n      <system-out>";
      add_findings(report);
      cases_ += "</system-out>\n    </testcase>\n";
    } else {
      cases_ += "/>\n";
    }
  }

  void fault(const InputFault& fault) override {
    enter(fault.file);
    ++errors_;
    start_case("can be read");
    start_element("error", fault.reason, "unreadable");
    append_xml(cases_, where(fault) + ": " + fault.reason);
    cases_ += "</error>\n    </testcase>\n";
  }

  void end(const Summary& summary) override {
    const auto texts = unchecked_texts(summary);
    auto text = texts.begin();
    for (const auto& [why, files] : summary.unchecked) {
      enter("skipped files");
      start_case(name_of(why));
      ++skipped_;
      start_element("skipped", *text++, "unchecked");
      cases_ += "</skipped>\n    </testcase>\n";
    }
    leave();
    out_ << "</testsuites>\n";
    out_.flush();
  }

 private:
  void enter(const std::string& file) {
    if (open_ && file == file_) return;
    leave();
    file_ = file;
    open_ = true;
  }

  void leave() {
    if (!open_) return;
    std::string head = "  <testsuite";
    append_attribute(head, "name", display_name(file_));
    append_attribute(head, "tests", std::to_string(tests_));
    append_attribute(head, "failures", std::to_string(failures_));
    append_attribute(head, "errors", std::to_string(errors_));
    append_attribute(head, "skipped", std::to_string(skipped_));
    out_ << head << ">\n" << cases_ << "  </testsuite>\n";
    cases_.clear();
    tests_ = failures_ = errors_ = skipped_ = 0;
    open_ = false;
  }

  void start_case(std::string_view name) {
    ++tests_;
    cases_ += "    <testcase";
    append_attribute(cases_, "classname", display_name(file_));
    append_attribute(cases_, "name", name);
  }

  void start_element(std::string_view element, std::string_view what, std::string_view type) {
    cases_ += ">\n      <";
    cases_ += element;
    append_attribute(cases_, "message", what);
    append_attribute(cases_, "type", type);
    cases_ += '>';
  }

  void add_findings(const ObjectReport& report) {
    bool first = true;
    for (const Finding* const each : report.findings_by_place()) {
      const Finding& finding = *each;
      const Place& place = finding.place.line > 0 ? finding.place : report.place;
      if (!first) cases_ += '\n';
      first = false;
      append_xml(cases_, where(report.file, place) + ": " +
                             (finding.level == Level::kError ? "error: " : "warning: ") +
                             message(finding));
    }
  }

  std::ostream& out_;
  const ReporterOptions options_;
  bool open_ = false;
  std::string file_;
  std::string cases_;
  std::size_t tests_ = 0;
  std::size_t failures_ = 0;
  std::size_t errors_ = 0;
  std::size_t skipped_ = 0;
};

}  // namespace

std::unique_ptr<Reporter> make_junit_reporter(std::ostream& out, const ReporterOptions& options) {
  return std::make_unique<JunitReporter>(out, options);
}

}  // namespace dynamo::cli
