#include "admission/settings.hpp"

#include "validators/content/semver.hpp"

namespace dynamo::admission {

std::string stamped_version(std::string_view version) {
  return validators::is_lenient_semver(version) ? std::string(version) : "0.0.0-unknown";
}

}  // namespace dynamo::admission
