#include "validators/report.hpp"

#include "api/text.hpp"

namespace dynamo::validators {

std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 64;
  std::string out = "\"";
  api::append_presentable(out, text, kLongest);
  out += '"';
  return out;
}

}  // namespace dynamo::validators
