#include "cli/check/baseline.hpp"

#include <algorithm>
#include <utility>

#include "cli/input/inputs_read.hpp"
#include "json/parser.hpp"
#include "json/report_writer.hpp"

namespace dynamo::cli {

Baseline::Entry Baseline::entry_of(const ObjectReport& report, const Finding& finding) {
  return {report.kind, report.namespace_name, report.name, std::string(finding.rule),
          finding.field};
}

void Baseline::add(const ObjectReport& report, const Finding& finding) {
  entries_.try_emplace(entry_of(report, finding), false);
}

bool Baseline::take(const ObjectReport& report, const Finding& finding) {
  if (entries_.empty()) return false;
  const auto at = entries_.find(entry_of(report, finding));
  if (at == entries_.end()) return false;
  at->second = true;
  return true;
}

std::size_t Baseline::unused() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(entries_, [](const auto& entry) { return !entry.second; }));
}

std::string Baseline::text() const {
  std::string text = "{\"formatVersion\":1,\"findings\":[";
  bool any = false;
  for (const auto& [entry, taken] : entries_) {
    text += std::exchange(any, true) ? ",\n" : "\n";
    json::ReportWriter(text)
        .start_object()
        .member("kind", entry.kind)
        .member("namespace", entry.namespace_name)
        .member("name", entry.name)
        .member("rule", entry.rule)
        .member("field", entry.field)
        .end_object();
  }
  return text + "\n]}\n";
}

std::variant<Baseline, std::string> read_baseline(const std::string& file) {
  constexpr std::size_t kLongestBaseline = std::size_t{16} << 20U;
  const auto read = read_whole_file(file, kLongestBaseline);
  if (const auto* const fault = std::get_if<ReadFault>(&read)) return fault->reason;
  const auto parsed = json::parse_copy(std::get<std::string>(read));
  if (parsed->error) return "is not JSON: " + parsed->error->message();
  const json::Value root = parsed->root();
  if (root["formatVersion"].integer() != 1 || !root["findings"].is_array()) {
    return std::string("must be a file that --write-baseline has written, with formatVersion 1");
  }
  Baseline baseline;
  const json::Value findings = root["findings"];
  for (const json::Value each : findings.elements()) {
    const auto text = [each](std::string_view name) {
      return std::string(each[name].string_or_empty());
    };
    baseline.entries_.try_emplace(
        {text("kind"), text("namespace"), text("name"), text("rule"), text("field")}, false);
  }
  return baseline;
}

}  // namespace dynamo::cli
