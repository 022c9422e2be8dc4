#include "text/http_target.hpp"

#include <cstddef>

namespace dynamo::text {

RequestTarget split_target(std::string_view target) {
  if (!target.starts_with('/')) {
    const std::size_t scheme_end = target.find("://");
    if (scheme_end != std::string_view::npos) {
      const std::size_t path = target.find('/', scheme_end + 3);
      target = path == std::string_view::npos ? std::string_view("/") : target.substr(path);
    }
  }
  const std::size_t question = target.find('?');
  if (question == std::string_view::npos) return {target, {}};
  return {target.substr(0, question), target.substr(question + 1)};
}

}  // namespace dynamo::text
