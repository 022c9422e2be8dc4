#include "tests/cli/reports.hpp"

#include <sstream>
#include <utility>

#include "cli/formats/formats.hpp"

namespace dynamo::test {
namespace {

using cli::Finding;
using cli::InputFault;
using cli::Level;
using cli::ObjectReport;
using cli::Place;

ObjectReport object(std::string file, std::uint32_t line, std::string kind, std::string name) {
  ObjectReport report;
  report.file = std::move(file);
  report.place = {line, 1, 0, "apiVersion: nvidia.com/v1alpha1"};
  report.kind = std::move(kind);
  report.name = std::move(name);
  report.operation = "CREATE";
  return report;
}

ObjectReport with_two_errors_and_a_warning() {
  ObjectReport report = object("deploy/graph.yaml", 1, "DynamoGraphDeployment", "llama");
  report.namespace_name = "team-a";
  report.operation = "UPDATE";
  report.findings = {
      {Level::kError, "dgd.pvc.name", "spec.pvcs[0].name", "Required value",
       "must not be empty; name the PersistentVolumeClaim", Place{8, 7, 6, "    - size: 10Gi"}},
      {Level::kError, "service.replicas.non-negative", "spec.services[Decode].replicas",
       "Invalid value", "must be 0 or more; found -1", Place{14, 17, 2, "      replicas: -1"}},
      {Level::kWarning, "service.autoscaling.deprecated", "spec.services[Decode].autoscaling", "",
       "is deprecated and ignored; remove it and enable scalingAdapter instead",
       Place{15, 7, 11, "      autoscaling: {enabled: true}"}}};
  return report;
}

ObjectReport with_a_warning_only() {
  ObjectReport report = object("deploy/graph.yaml", 30, "DynamoModel", "qwen");
  report.findings = {{Level::kWarning, "epp.inference-pool.available", "spec.services[Epp]", "",
                      "needs inference.networking.k8s.io, which may not be served", Place{}}};
  return report;
}

// Every format has a character here that it must escape.
ObjectReport with_hostile_texts() {
  ObjectReport report = object("./a, b:c/100%\t\"ünï\" &<x>'#\\.yaml", 3, "DynamoModel",
                               "x\"]]></failure>#\\\n::error::y");
  report.namespace_name = "n&m";
  report.findings = {
      {Level::kError, "schema.type", "metadata.labels[a]]>b\"%,:#\\]", "Invalid value",
       "line one\nline two\r\x1b[31mred\x07 \x7f bad \xff utf-8 \xe2\x80\xae turned; ::error::z "
       "%0A",
       Place{4, 12, 4, "\tname: \xc3\xbc\xff \x1b[31mvalue\x01"}},
      {Level::kError, "schema.type", "metadata.labels[a]]>b\"%,:#\\]", "Invalid value",
       "said twice of one field", Place{4, 12, 0, "\tname: \xc3\xbc\xff \x1b[31mvalue\x01"}}};
  return report;
}

ObjectReport with_a_long_line() {
  ObjectReport report = object("-", 1, "DynamoGraphDeployment", "");
  const std::string line = "{" + std::string(150, 'a') + "\xc3\xa4\xc3\xb6 \"replicas\":\"many\" " +
                           std::string(150, 'z') + "}";
  report.findings = {{Level::kError, "schema.type", "spec.services[A].replicas", "Invalid value",
                      "must be an integer; found a string", Place{1, 168, 6, line}},
                     {Level::kError, "schema.type", "spec.x", "Invalid value",
                      "stands beyond what is kept of the line", Place{1, 9000, 3, line}}};
  report.omitted_findings = 12;
  return report;
}

ObjectReport exempt() {
  ObjectReport report = object("deploy/other.yaml", 1, "DynamoModel", "elsewhere");
  report.namespace_name = "team-b";
  report.exemption = "other_namespace";
  return report;
}

template <typename Write>
std::string written(cli::Format format, const cli::ReporterOptions& options, Write write) {
  std::ostringstream out;
  write(*cli::make_reporter(format, out, options));
  return std::move(out).str();
}

}  // namespace

void report_made_up_run(cli::Reporter& reporter) {
  reporter.begin();
  reporter.object(with_two_errors_and_a_warning());
  reporter.object(object("deploy/graph.yaml", 25, "DynamoModel", "good"));
  reporter.object(with_a_warning_only());
  reporter.fault({"deploy/broken.yaml", 7, 3, "is not YAML: a tab indents this line"});
  reporter.object(with_hostile_texts());
  reporter.fault({"/etc/secret & <hidden>", 0, 0, "cannot be opened: Permission denied"});
  reporter.object(with_a_long_line());
  reporter.object(exempt());
  reporter.end({.files = 6,
                .objects = 6,
                .invalid = 3,
                .errors = 6,
                .warnings = 2,
                .ignored = 4,
                .faults = 2,
                .elapsed = std::chrono::milliseconds(42)});
}

std::string made_up_report(cli::Format format, const cli::ReporterOptions& options) {
  return written(format, options, [](cli::Reporter& reporter) { report_made_up_run(reporter); });
}

std::string report_of(cli::Format format, cli::ObjectReport report,
                      const cli::ReporterOptions& options) {
  return written(format, options, [&](cli::Reporter& reporter) {
    reporter.begin();
    reporter.object(report);
    reporter.end({.files = 1, .objects = 1});
  });
}

std::string report_of_nothing(cli::Format format, const cli::ReporterOptions& options) {
  return written(format, options, [](cli::Reporter& reporter) {
    reporter.begin();
    reporter.end({.files = 1, .ignored = 3});
  });
}

}  // namespace dynamo::test
