// How the policy rules word the allowed values.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

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

}  // namespace dynamo::validators::policy
