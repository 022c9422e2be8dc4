#include "doctor/finding.hpp"

#include <algorithm>
#include <array>

namespace dynamo::doctor {

std::string_view to_string(Level level) {
  constexpr std::array<std::string_view, 4> kNames{"ok", "skipped", "warning", "failed"};
  return kNames[static_cast<std::size_t>(level)];
}

bool Findings::has_trouble() const {
  return std::ranges::any_of(list_, [this](const CheckFinding& finding) {
    return finding.check == check_ && finding.level != Level::kOk;
  });
}

}  // namespace dynamo::doctor
