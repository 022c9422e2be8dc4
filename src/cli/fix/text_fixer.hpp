// Fixes a text: applies the fixes that its findings offer, parses and evaluates the result, and
// keeps only fixes that had the intended effect and did not make the verdict worse.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/check/finding_filter.hpp"
#include "cli/check/validator.hpp"
#include "cli/fix/fix.hpp"

namespace dynamo::cli {

// Longer texts are not fixed: each round parses the whole text.
inline constexpr std::size_t kLongestFixedText = std::size_t{4} << 20U;

struct DoneFix {
  std::string_view rule;
  std::string field;
  std::string title;
  std::uint32_t line = 0;  // in the text before the round that applied it
};

struct FixedText {
  std::string text;            // unchanged if no fix was applied
  std::vector<DoneFix> done;   // in the order of application
  std::size_t unreadable = 0;  // documents that could not be read in the original text
};

// Not thread-safe.
class TextFixer {
 public:
  // The first argument must outlive it; `filter` selects the findings to fix.
  TextFixer(const EvaluationOptions& evaluation_options, FindingFilter filter);

  // Uses a bounded number of rounds and attempts. Does not change templates. `name` is the input's
  // name; ".json" at its end means JSON.
  FixedText fix(std::string_view text, std::string_view name);

  // All available fixes with their findings; none is tried out. For editors, which offer them one
  // by one.
  std::vector<Fix> fixes_of(std::string_view text, std::string_view name);

 private:
  struct TextContent;
  class Reader;
  struct FixSelection;

  TextContent read(std::string_view text, std::string_view name, const FixSelection& selection);
  bool attempt(FixedText& fixed, std::string_view name, const FixSelection& selection, bool strict);
  FixedText run(std::string_view text, std::string_view name, bool strict);
  FixedText fix_without_mark(std::string_view text, std::string_view name);

  ManifestValidator validator_;
  FindingFilter filter_;
};

}  // namespace dynamo::cli
