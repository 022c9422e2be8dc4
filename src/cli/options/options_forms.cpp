#include "cli/options/options_forms.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <ranges>
#include <utility>

#include "api/cluster_objects.hpp"
#include "runtime/flag_values.hpp"
#include "text/timestamp.hpp"

namespace dynamo::cli {
namespace {

using runtime::Choice;
using runtime::ChoiceForm;
using runtime::FormTexts;

constexpr std::array<Choice<Format>, 6> kFormats{{{"text", Format::kText},
                                                  {"json", Format::kJson},
                                                  {"junit", Format::kJunit},
                                                  {"sarif", Format::kSarif},
                                                  {"tap", Format::kTap},
                                                  {"github", Format::kGithub}}};

constexpr std::array<api::Kind, 2> kUnservedKinds{api::Kind::kGraphDeploymentRequest,
                                                  api::Kind::kCheckpoint};

FormTexts texts_of(std::string_view word, std::string_view accepts) {
  return {std::string(word), "", std::string(accepts)};
}

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> items;
  for (const auto part : std::views::split(list, ',')) items.emplace_back(part.begin(), part.end());
  return items;
}

}  // namespace

FormTexts NameForm::texts() const {
  return texts_of(word, accepts);
}

std::optional<std::string> NameForm::parse(std::string_view text) const {
  if (text.empty()) return std::nullopt;
  return std::string(text);
}

FormTexts PairForm::texts() const {
  return texts_of("NAMESPACE/NAME", accepts);
}

std::optional<std::string> PairForm::parse(std::string_view text) const {
  if (!runtime::parse_service_account(text)) return std::nullopt;
  return std::string(text);
}

FormTexts GlobsForm::texts() const {
  return texts_of(word, accepts);
}

std::optional<std::vector<std::string>> GlobsForm::parse(std::string_view text) const {
  auto globs = split(text);
  if (globs.empty() || !std::ranges::none_of(globs, &std::string::empty)) return std::nullopt;
  return globs;
}

FormTexts LookupsForm::texts() const {
  return texts_of("RESOURCES",
                  "all, or some of dynamographdeployments, persistentvolumeclaims, configmaps, "
                  "secrets and clustertopologybindings, separated by commas");
}

std::optional<std::vector<std::string>> LookupsForm::parse(std::string_view text) const {
  auto lookups = split(text);
  if (lookups.empty() || !std::ranges::all_of(lookups, &api::is_lookup)) return std::nullopt;
  return lookups;
}

FormTexts UnservedKindsForm::texts() const {
  return texts_of("KINDS",
                  "DynamoGraphDeploymentRequest, DynamoCheckpoint or both, separated by a comma");
}

std::optional<std::vector<api::Kind>> UnservedKindsForm::parse(std::string_view text) const {
  std::vector<api::Kind> kinds;
  for (const std::string& name : split(text)) {
    const auto found = std::ranges::find_if(
        kUnservedKinds, [&name](api::Kind kind) { return api::names(kind).name == name; });
    if (found == kUnservedKinds.end()) return std::nullopt;
    kinds.push_back(*found);
  }
  if (kinds.empty()) return std::nullopt;
  return kinds;
}

FormTexts WholeSecondsForm::texts() const {
  return texts_of("DURATION", "a duration of whole seconds from 1s to 24h, such as 90s");
}

std::optional<std::chrono::seconds> WholeSecondsForm::parse(std::string_view text) const {
  using std::chrono::seconds;
  const auto duration = runtime::parse_duration(text);
  if (!duration || *duration < seconds(1) || *duration > std::chrono::hours(24)) {
    return std::nullopt;
  }
  const auto whole = std::chrono::floor<seconds>(*duration);
  if (whole != *duration) return std::nullopt;
  return whole;
}

FormTexts TimeForm::texts() const {
  return texts_of("TIME",
                  "a time as RFC 3339 writes it, such as 2026-02-03T04:05:06Z, or a day, such as "
                  "2026-02-03");
}

std::optional<std::chrono::system_clock::time_point> TimeForm::parse(std::string_view text) const {
  return text::parse_day_or_timestamp(text);
}

FormTexts KubernetesVersionForm::texts() const {
  return texts_of("VERSION", "a Kubernetes version, such as 1.35");
}

// The major version of Kubernetes has always been 1.
std::optional<int> KubernetesVersionForm::parse(std::string_view text) const {
  constexpr std::uint64_t kMax = 1000;
  if (text.starts_with('v')) text.remove_prefix(1);
  if (!text.starts_with("1.")) return std::nullopt;
  text.remove_prefix(2);
  const std::size_t point = text.find('.');
  const auto minor = runtime::parse_count(text.substr(0, point));
  const bool has_patch = point != std::string_view::npos;
  if (has_patch && !runtime::parse_count(text.substr(point + 1))) return std::nullopt;
  if (!minor || *minor > kMax) return std::nullopt;
  return static_cast<int>(*minor);
}

FormTexts ReportForm::texts() const {
  FormTexts texts =
      texts_of("FORMAT[=FILE]", "text, json, junit, sarif, tap or github, each also with =FILE");
  texts.words = ChoiceForm{kFormats}.texts().words;
  return texts;
}

std::optional<ReportOutput> ReportForm::parse(std::string_view text) const {
  const std::size_t equals = text.find('=');
  const auto format = ChoiceForm{kFormats}.parse(text.substr(0, equals));
  if (!format) return std::nullopt;
  std::string file;
  if (equals != std::string_view::npos) {
    file = text.substr(equals + 1);
    if (file.empty()) return std::nullopt;
    if (file == "-") file.clear();
  }
  return ReportOutput{*format, std::move(file)};
}

}  // namespace dynamo::cli
