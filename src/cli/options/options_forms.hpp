// Value forms of options that only kubectl-dynamo has.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/kind.hpp"
#include "cli/options/options.hpp"
#include "runtime/flag_forms.hpp"

namespace dynamo::cli {

// Any text that is not empty; the option defines its meaning.
struct NameForm {
  std::string_view word;
  std::string_view accepts;

  runtime::FormTexts texts() const;
  std::optional<std::string> parse(std::string_view text) const;
};

// NAMESPACE/NAME, kept unchanged.
struct PairForm {
  std::string_view accepts;

  runtime::FormTexts texts() const;
  std::optional<std::string> parse(std::string_view text) const;
};

// Patterns, separated by single commas.
struct GlobsForm {
  std::string_view word;
  std::string_view accepts;

  runtime::FormTexts texts() const;
  std::optional<std::vector<std::string>> parse(std::string_view text) const;
};

// Words that api::is_lookup() accepts, separated by commas.
struct LookupsForm {
  runtime::FormTexts texts() const;
  std::optional<std::vector<std::string>> parse(std::string_view text) const;
};

// Names of kinds whose controller dynamo-reconciler may omit, separated by commas.
struct UnservedKindsForm {
  runtime::FormTexts texts() const;
  std::optional<std::vector<api::Kind>> parse(std::string_view text) const;
};

// From a second to a day.
struct WholeSecondsForm {
  runtime::FormTexts texts() const;
  std::optional<std::chrono::seconds> parse(std::string_view text) const;
};

struct TimeForm {
  runtime::FormTexts texts() const;
  std::optional<std::chrono::system_clock::time_point> parse(std::string_view text) const;
};

// Parses "1.35", "v1.35", "1.35.2" to the minor version.
struct KubernetesVersionForm {
  runtime::FormTexts texts() const;
  std::optional<int> parse(std::string_view text) const;
};

// FORMAT or FORMAT=FILE.
struct ReportForm {
  runtime::FormTexts texts() const;
  std::optional<ReportOutput> parse(std::string_view text) const;
};

}  // namespace dynamo::cli
