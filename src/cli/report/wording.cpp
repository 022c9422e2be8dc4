#include "cli/report/wording.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace dynamo::cli {
namespace {

struct UncheckedWording {
  std::string_view name;
  std::string_view reason_of_one;
  std::string_view reason_of_several;
  std::string_view advice;
};

const UncheckedWording& wording_of(SkipReason why) {
  static constexpr std::array<UncheckedWording, 4> kWordings{{
      {"kustomize-patch", "a kustomization names it as its patch",
       "kustomizations name them as their patches",
       "to validate the result: kubectl kustomize DIR | kubectl dynamo validate -f -"},
      {"chart-template", "it is below templates/ of a chart",
       "they are below templates/ of a chart",
       "to validate the result: helm template CHART | kubectl dynamo validate -f -"},
      {"template", "a value looks like an expression of a template",
       "values look like expressions of a template",
       "to see the value: kubectl dynamo validate -f FILE"},
      {"encrypted", "its spec has encrypted values; its plain values were skipped with them",
       "their specs have encrypted values; their plain values were skipped with them",
       "to validate all values: sops --decrypt FILE | kubectl dynamo validate -f -"},
  }};
  return kWordings.at(static_cast<std::size_t>(why));
}

bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

std::size_t count_level(const ObjectReport& report, Level level) {
  return static_cast<std::size_t>(
      std::count_if(report.findings.begin(), report.findings.end(),
                    [level](const Finding& finding) { return finding.level == level; }));
}

// Seconds, with useful precision: "0.012 s", "75 s".
std::string seconds(std::chrono::milliseconds elapsed) {
  const auto count = elapsed.count();
  if (count >= 10'000) return std::to_string(count / 1000) + " s";
  std::string text = std::to_string(count / 1000) + ".";
  const std::string fraction = std::to_string(count % 1000);
  text.append(3 - fraction.size(), '0');
  return text + fraction + " s";
}

// The column of a byte in the line `place.text`, in characters, from 1. Unchanged if the line was
// cut before it.
std::size_t character_column(const Place& place, std::size_t byte_column) {
  if (byte_column == 0 || byte_column - 1 > place.text.size()) return byte_column;
  return count_characters(std::string_view(place.text).substr(0, byte_column - 1)) + 1;
}

}  // namespace

Character first_character(std::string_view text) {
  constexpr Character kInvalid{0xFFFD, 1, false};
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {lead, 1, true};
  // Length, payload bits of the lead byte, and the smallest code of that length.
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return kInvalid;
  constexpr std::array<unsigned, 5> kLeadBits{0, 0, 0x1F, 0x0F, 0x07};
  constexpr std::array<char32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  char32_t code = lead & kLeadBits[bytes];
  for (std::size_t i = 1; i < bytes; ++i) {
    if (!is_continuation(text[i])) return kInvalid;
    code = (code << 6U) | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kLeast[bytes] || code > 0x10FFFF || surrogate) return kInvalid;
  return {code, bytes, true};
}

std::size_t width_of(char32_t code) {
  struct Range {
    char32_t first;
    char32_t last;
  };
  // Ranges of EastAsianWidth.txt with W or F, ascending; unassigned codes between two ranges are
  // included.
  // clang-format off
  static constexpr std::array<Range, 84> kWide{{
    {0x1100, 0x115F}, {0x231A, 0x231B}, {0x2329, 0x232A}, {0x23E9, 0x23EC},
    {0x23F0, 0x23F0}, {0x23F3, 0x23F3}, {0x25FD, 0x25FE}, {0x2614, 0x2615},
    {0x2648, 0x2653}, {0x267F, 0x267F}, {0x2693, 0x2693}, {0x26A1, 0x26A1},
    {0x26AA, 0x26AB}, {0x26BD, 0x26BE}, {0x26C4, 0x26C5}, {0x26CE, 0x26CE},
    {0x26D4, 0x26D4}, {0x26EA, 0x26EA}, {0x26F2, 0x26F3}, {0x26F5, 0x26F5},
    {0x26FA, 0x26FA}, {0x26FD, 0x26FD}, {0x2705, 0x2705}, {0x270A, 0x270B},
    {0x2728, 0x2728}, {0x274C, 0x274C}, {0x274E, 0x274E}, {0x2753, 0x2755},
    {0x2757, 0x2757}, {0x2795, 0x2797}, {0x27B0, 0x27B0}, {0x27BF, 0x27BF},
    {0x2B1B, 0x2B1C}, {0x2B50, 0x2B50}, {0x2B55, 0x2B55}, {0x2E80, 0x303E},
    {0x3041, 0x3247}, {0x3250, 0x4DBF}, {0x4E00, 0xA4C6}, {0xA960, 0xA97C},
    {0xAC00, 0xD7A3}, {0xF900, 0xFAD9}, {0xFE10, 0xFE19}, {0xFE30, 0xFE6B},
    {0xFF01, 0xFF60}, {0xFFE0, 0xFFE6}, {0x16FE0, 0x18D08}, {0x1AFF0, 0x1B2FB},
    {0x1F004, 0x1F004}, {0x1F0CF, 0x1F0CF}, {0x1F18E, 0x1F18E}, {0x1F191, 0x1F19A},
    {0x1F200, 0x1F265}, {0x1F300, 0x1F320}, {0x1F32D, 0x1F335}, {0x1F337, 0x1F37C},
    {0x1F37E, 0x1F393}, {0x1F3A0, 0x1F3CA}, {0x1F3CF, 0x1F3D3}, {0x1F3E0, 0x1F3F0},
    {0x1F3F4, 0x1F3F4}, {0x1F3F8, 0x1F43E}, {0x1F440, 0x1F440}, {0x1F442, 0x1F4FC},
    {0x1F4FF, 0x1F53D}, {0x1F54B, 0x1F54E}, {0x1F550, 0x1F567}, {0x1F57A, 0x1F57A},
    {0x1F595, 0x1F596}, {0x1F5A4, 0x1F5A4}, {0x1F5FB, 0x1F64F}, {0x1F680, 0x1F6C5},
    {0x1F6CC, 0x1F6CC}, {0x1F6D0, 0x1F6D2}, {0x1F6D5, 0x1F6DF}, {0x1F6EB, 0x1F6EC},
    {0x1F6F4, 0x1F6FC}, {0x1F7E0, 0x1F7F0}, {0x1F90C, 0x1F93A}, {0x1F93C, 0x1F945},
    {0x1F947, 0x1F9FF}, {0x1FA70, 0x1FAFF}, {0x20000, 0x2FFFD}, {0x30000, 0x3FFFD}}};
  // clang-format on
  static constexpr std::array<Range, 7> kNone{{{0x0300, 0x036F},
                                               {0x1AB0, 0x1AFF},
                                               {0x1DC0, 0x1DFF},
                                               {0x200B, 0x200D},
                                               {0x20D0, 0x20FF},
                                               {0xFE00, 0xFE0F},
                                               {0xFE20, 0xFE2F}}};
  const auto holds = [code](const Range& range) {
    return code >= range.first && code <= range.last;
  };
  if (std::ranges::any_of(kNone, holds)) return 0;
  const auto* const wide = std::ranges::lower_bound(kWide, code, {}, &Range::last);
  return wide != kWide.end() && code >= wide->first ? 2 : 1;
}

std::size_t shown_column(const Place& place) {
  return place.character == 0 ? character_column(place, place.column) : place.character;
}

std::size_t shown_length(const Place& place) {
  if (place.characters != 0 || place.column == 0 || place.length == 0) {
    return place.characters == 0 ? place.length : place.characters;
  }
  const std::size_t end = character_column(place, std::size_t{place.column} + place.length);
  return end - std::min(end, character_column(place, place.column));
}

std::size_t shown_end(const Place& place) {
  return shown_column(place) + shown_length(place);
}

std::size_t count_characters(std::string_view text) {
  std::size_t count = 0;
  for (; !text.empty(); ++count) text.remove_prefix(first_character(text).bytes);
  return count;
}

std::string_view display_name(std::string_view file) {
  return file == "-" ? std::string_view("standard input") : file;
}

std::string where(std::string_view file, const Place& place) {
  return where(file, place.line, shown_column(place));
}

std::string where(const InputFault& fault) {
  return where(fault.file, fault.place());
}

std::string where(std::string_view file, std::size_t line, std::size_t column) {
  std::string text{display_name(file)};
  if (line == 0) return text;
  text += ':' + std::to_string(line);
  if (column > 0) text += ':' + std::to_string(column);
  return text;
}

std::string object_title(const ObjectReport& report) {
  std::string text = report.kind + " ";
  if (report.name.empty()) return text + "(no name)";
  if (!report.namespace_name.empty()) text += report.namespace_name + "/";
  return text + report.name;
}

std::string message(const Finding& finding) {
  std::string text;
  for (const std::string* part : {&finding.field, &finding.type, &finding.detail}) {
    if (part->empty()) continue;
    if (!text.empty()) text += ": ";
    text += *part;
  }
  if (!finding.rule.empty()) {
    if (!text.empty()) text += ' ';
    text += '[';
    text += finding.rule;
    text += ']';
  }
  return text;
}

std::string count_of(std::size_t count, std::string_view singular) {
  return std::to_string(count) + " " + std::string(singular) + (count == 1 ? "" : "s");
}

std::string count_findings(const ObjectReport& report) {
  const std::size_t errors = count_level(report, Level::kError);
  const std::size_t warnings = count_level(report, Level::kWarning);
  std::string text;
  if (errors > 0) text = count_of(errors, "error");
  if (warnings > 0) text += (text.empty() ? "" : ", ") + count_of(warnings, "warning");
  if (report.omitted_findings > 0) {
    text +=
        (text.empty() ? "" : ", ") + std::to_string(report.omitted_findings) + " more not shown";
  }
  return text.empty() ? "no findings" : text;
}

std::string summary_line(const Summary& summary, bool warnings_as_errors) {
  std::string text =
      count_of(summary.objects, "object") + " in " + count_of(summary.files, "file") + ": ";
  if (summary.objects == 0) {
    text += "nothing of nvidia.com/v1alpha1 to validate";
  } else if (summary.invalid == 0) {
    text += "all valid";
  } else {
    text +=
        std::to_string(summary.invalid) + " invalid (" + count_of(summary.errors, "error") + ")";
  }
  if (summary.warnings > 0) {
    text += ", " + count_of(summary.warnings, "warning");
    if (warnings_as_errors || summary.failing_warnings == summary.warnings) {
      text += summary.warnings == 1 ? ", which counts as an error" : ", which count as errors";
    } else if (summary.failing_warnings > 0) {
      text += ", of which " + std::to_string(summary.failing_warnings) +
              (summary.failing_warnings == 1 ? " counts as an error" : " count as errors");
    }
  }
  if (summary.faults > 0) text += "; " + count_of(summary.faults, "input") + " could not be read";
  if (summary.ignored > 0) {
    text += "; " + count_of(summary.ignored, "object") + " of other kinds ignored";
  }
  if (summary.excused > 0) {
    text += "; " + count_of(summary.excused, "finding") + " ignored by annotations";
  }
  if (summary.known > 0) text += "; " + count_of(summary.known, "finding") + " of the baseline";
  if (summary.unselected > 0) {
    text += "; " + count_of(summary.unselected, "finding") + " not asked for";
  }
  if (summary.other_versions > 0) text += "; " + other_versions_text(summary);
  if (summary.no_manifests > 0) {
    text += "; " + count_of(summary.no_manifests, "document") +
            (summary.no_manifests == 1 ? " that is no manifest" : " that are no manifests") +
            " skipped";
  }
  if (summary.templates > 0) {
    text += "; " + count_of(summary.templates, "template") + " skipped";
  }
  if (summary.encrypted > 0) {
    text += "; " + count_of(summary.encrypted, "document") + " encrypted by SOPS skipped";
  }
  if (summary.patches > 0) {
    text += "; " + count_of(summary.patches, "file") +
            (summary.patches == 1 ? " that is a kustomize patch" : " that are kustomize patches") +
            " skipped";
  }
  if (summary.chart_templates > 0) {
    text += "; " + count_of(summary.chart_templates, "file") + " below templates/ of " +
            (summary.chart_templates == 1 ? "a chart" : "charts") + " skipped";
  }
  return text + "; " + seconds(summary.elapsed);
}

std::string_view name_of(SkipReason why) {
  return wording_of(why).name;
}

std::vector<std::string> unchecked_texts(const Summary& summary) {
  std::vector<std::string> texts;
  for (const auto& [why, files] : summary.unchecked) {
    const UncheckedWording& wording = wording_of(why);
    const bool is_one = files.size() == 1;
    std::string& text = texts.emplace_back(count_of(files.size(), "file"));
    text += " with objects of nvidia.com ";
    text += is_one ? "was not validated, because " : "were not validated, because ";
    text += is_one ? wording.reason_of_one : wording.reason_of_several;
    text += " (" + first_few(files) + "); ";
    text += wording.advice;
  }
  return texts;
}

std::string first_few(const std::vector<std::string>& names) {
  constexpr std::size_t kMaxNamed = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMaxNamed); ++i) {
    text += (i == 0 ? "" : ", ");
    append_printable(text, names[i]);
  }
  if (names.size() > kMaxNamed) {
    text += " and " + std::to_string(names.size() - kMaxNamed) + " more";
  }
  return text;
}

std::string other_versions_text(const Summary& summary) {
  std::string names;
  for (const std::string& name : summary.other_version_names) {
    names += (names.empty() ? "" : ", ") + name;
  }
  std::string text;
  if (const std::size_t unknown = summary.other_versions - summary.unserved; unknown > 0) {
    text = count_of(unknown, "object") +
           " of an API version that this release does not validate (" + names + ")";
  }
  if (summary.unserved > 0) {
    if (!text.empty()) text += "; ";
    text += count_of(summary.unserved, "object");
    text += " of nvidia.com/v1beta1, which operators of the first generation do not serve: ";
    text += kUnservedAdvice;
  }
  return text;
}

std::string exemption_text(std::string_view exemption) {
  if (exemption == "other_namespace") {
    return "the rules were not asked: the webhook is restricted to another namespace";
  }
  if (exemption == "terminating") {
    return "the rules were not asked: the object is being deleted and its spec is unchanged";
  }
  if (exemption == "namespace_lease") {
    return "the rules were not asked: the namespace belongs to another operator";
  }
  return "the rules were not asked: " + std::string(exemption);
}

bool fails(const ObjectReport& report, bool warnings_as_errors) {
  const bool warnings_fail = warnings_as_errors || report.warnings_fail;
  const std::size_t warnings =
      count_level(report, Level::kWarning) + report.omitted_findings - report.omitted_errors;
  return !report.is_valid() || (warnings_fail && warnings > 0);
}

}  // namespace dynamo::cli
