#include "doctor/finding.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace dynamo::doctor {

std::string_view to_string(Level level) {
  constexpr std::array<std::string_view, 4> kNames{"ok", "skipped", "warning", "failed"};
  return kNames[static_cast<std::size_t>(level)];
}

std::string join_names(const std::vector<std::string>& names) {
  constexpr std::size_t kMaxNamed = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMaxNamed); ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  if (names.size() > kMaxNamed) {
    text += " and " + std::to_string(names.size() - kMaxNamed) + " more";
  }
  return text;
}

bool Findings::has_trouble() const {
  return std::ranges::any_of(list_, [this](const CheckFinding& finding) {
    return finding.check == check_ && finding.level != Level::kOk;
  });
}

}  // namespace dynamo::doctor
