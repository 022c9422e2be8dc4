#include "doctor/report.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "certs/certificate.hpp"
#include "json/report_writer.hpp"
#include "text/presentable.hpp"
#include "text/timestamp.hpp"

namespace dynamo::doctor {
namespace {

constexpr std::array kLevels{Level::kFailed, Level::kWarning, Level::kSkipped, Level::kOk};
constexpr std::size_t kLongestLine = 1024;

std::size_t count(std::span<const CheckFinding> findings, Level level) {
  return static_cast<std::size_t>(std::ranges::count(findings, level, &CheckFinding::level));
}

std::string_view color_of(Level level) {
  switch (level) {
    case Level::kOk:
      return "\033[32m";
    case Level::kSkipped:
      return "\033[36m";
    case Level::kWarning:
      return "\033[33m";
    case Level::kFailed:
      break;
  }
  return "\033[31m";
}

void append_level(std::string& out, Level level, bool color) {
  constexpr std::size_t kWidth = 8;
  const std::string_view word = to_string(level);
  if (color) out += color_of(level);
  out += word;
  if (color) out += "\033[0m";
  out.append(kWidth - word.size(), ' ');
}

// Texts come from the cluster: escape them for terminals.
void append_line(std::string& out, std::string_view text) {
  text::append_presentable(out, text, kLongestLine);
}

}  // namespace

std::string text_report(const Evidence& evidence, std::span<const CheckFinding> findings,
                        bool color) {
  std::string out = "API server ";
  append_line(out, evidence.server);
  if (!evidence.version.empty()) {
    out += ", ";
    append_line(out, evidence.version);
  }
  out += '\n';
  for (const CheckFinding& finding : findings) {
    append_level(out, finding.level, color);
    out += finding.check;
    out += ": ";
    append_line(out, finding.subject);
    out += ": ";
    append_line(out, finding.text);
    out += '\n';
    if (finding.remedy.empty()) continue;
    out += "        to do: ";
    append_line(out, finding.remedy);
    out += '\n';
  }
  if (!evidence.is_complete) out += "not complete: not everything was answered in time\n";
  std::string sums;
  for (const Level level : kLevels) {
    if (!sums.empty()) sums += ", ";
    sums += std::to_string(count(findings, level)) + ' ' + std::string(to_string(level));
  }
  return out + sums + '\n';
}

std::string json_report(const Evidence& evidence, std::span<const CheckFinding> findings,
                        std::string_view error) {
  std::string out;
  json::ReportWriter writer(out);
  writer.start_object()
      .member("server", evidence.server)
      .member("version", evidence.version)
      .member("time", text::format_timestamp(evidence.now));
  writer.key("complete").boolean(evidence.is_complete);
  if (!error.empty()) writer.member("error", error);
  writer.key("findings").start_array();
  for (const CheckFinding& finding : findings) {
    writer.start_object()
        .member("level", to_string(finding.level))
        .member("check", finding.check)
        .member("subject", finding.subject)
        .member("text", finding.text);
    if (!finding.remedy.empty()) writer.member("remedy", finding.remedy);
    writer.end_object();
  }
  writer.end_array();
  for (const Level level : kLevels) {
    writer.key(to_string(level)).integer(static_cast<std::int64_t>(count(findings, level)));
  }
  writer.end_object();
  return out + '\n';
}

int exit_code(std::span<const CheckFinding> findings) {
  return count(findings, Level::kFailed) == 0 ? 0 : 1;
}

}  // namespace dynamo::doctor
