#include "validators/hub/runtime_version.hpp"

#include <algorithm>
#include <cstddef>

#include "validators/content/semver.hpp"
#include "validators/report.hpp"

namespace dynamo::validators::hub {
namespace {

constexpr std::string_view kDigits = "0123456789";

// "" without a tag.
std::string_view tag_of(std::string_view image) {
  image = image.substr(0, image.find('@'));
  const std::size_t slash = image.rfind('/');
  const std::size_t colon = image.rfind(':');
  if (colon == image.npos || (slash != image.npos && colon < slash)) return {};
  return image.substr(colon + 1);
}

// Whether the text begins with three numbers without leading zeros.
bool has_three_numbers(std::string_view text) {
  for (int number = 0; number < 3; ++number) {
    if (number > 0) {
      if (!text.starts_with('.')) return false;
      text.remove_prefix(1);
    }
    const std::size_t digits = std::min(text.find_first_not_of(kDigits), text.size());
    if (digits == 0 || (digits > 1 && text.front() == '0')) return false;
    text.remove_prefix(digits);
  }
  return !text.starts_with('.');
}

}  // namespace

bool has_version_tag(std::string_view image) {
  std::string_view tag = tag_of(image);
  if (tag.starts_with('v') || tag.starts_with('V')) tag.remove_prefix(1);
  return !tag.starts_with('v') && has_three_numbers(tag) && is_lenient_semver(tag);
}

std::string describe_missing_override(const api::FieldPath& image_field, std::string_view image) {
  std::string detail = "must be set, because the tag of ";
  detail.append(image_field.render()).append(" is not a version such as 1.5.0; found ");
  detail.append(quoted(image));
  return detail.append("; give the version of the Dynamo runtime in the image");
}

}  // namespace dynamo::validators::hub
