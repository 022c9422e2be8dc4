// The annotation by which the author of an object ignores findings of rules.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace dynamo::validators {

// "dynamo-admission.nvidia.com/ignore: RULE[,RULE]", ids or globs. The reason is in the other
// annotation.
inline constexpr std::string_view kIgnoreAnnotation = "dynamo-admission.nvidia.com/ignore";
inline constexpr std::string_view kIgnoreReasonAnnotation =
    "dynamo-admission.nvidia.com/ignore-reason";

// The entries of the annotation without blanks around them; empty ones are left out. Views into
// the annotation.
class IgnoreList {
 public:
  // Further entries are dropped, so that matching takes bounded time.
  static constexpr std::size_t kMaxEntries = 64;
  // A longer entry matches no rule.
  static constexpr std::size_t kMaxEntryBytes = 128;

  explicit IgnoreList(std::string_view annotation);

  std::span<const std::string_view> entries() const { return std::span(entries_).first(count_); }
  // Whether the annotation has more entries.
  bool is_cut() const { return is_cut_; }
  // Whether an entry matches the id.
  bool matches(std::string_view rule) const;

 private:
  std::array<std::string_view, kMaxEntries> entries_;
  std::size_t count_ = 0;
  bool is_cut_ = false;
};

// Whether one entry of the list matches the id.
bool matches_entry(std::string_view entry, std::string_view rule);

}  // namespace dynamo::validators
