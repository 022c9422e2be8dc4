// How the policy rules word the allowed values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "text/glob.hpp"
#include "validators/report.hpp"

namespace dynamo::validators::policy {

// "s3:// or hf://": at most four, then the number of further ones.
inline std::string any_of(std::span<const std::string> allowed, std::string_view behind = {}) {
  constexpr std::size_t kShown = 4;
  const std::size_t shown = allowed.size() > kShown ? kShown : allowed.size();
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) text += i + 1 == allowed.size() ? " or " : ", ";
    text.append(allowed[i]).append(behind);
  }
  if (shown < allowed.size()) {
    text += " or one of " + std::to_string(allowed.size() - shown) + " more";
  }
  return text;
}

inline bool matches_any(std::span<const std::string> globs, std::string_view text) {
  return std::ranges::any_of(
      globs, [text](const std::string& glob) { return text::matches_glob(glob, text); });
}

// For a text that a list of the policy, called `parameter` there, does not allow.
[[gnu::cold]] inline std::string refusal(std::span<const std::string> allowed,
                                         std::string_view parameter, std::string_view found) {
  std::string text = allowed.empty() ? "must not be set" : "must be " + any_of(allowed);
  text += ", as the policy demands; found " + quoted(found) + "; ";
  text += allowed.empty() ? "remove it" : "use what is allowed";
  return text.append(", or have it added to ").append(parameter);
}

}  // namespace dynamo::validators::policy
