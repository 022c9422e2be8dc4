#include "cli/input/policy_text.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "admission/policy.hpp"

namespace dynamo::cli {

std::variant<std::string, ReadFault> read_policy_text(const std::string& name,
                                                      std::istream& standard_input) {
  auto opened = open_input(name, standard_input);
  if (auto* const fault = std::get_if<ReadFault>(&opened)) return std::move(*fault);
  ByteSource& source = *std::get<std::unique_ptr<ByteSource>>(opened);
  std::string text(admission::kMaxPolicyBytes + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    auto read = source.read(std::span(text).subspan(size));
    if (auto* const fault = std::get_if<ReadFault>(&read)) return std::move(*fault);
    const std::size_t count = std::get<std::size_t>(read);
    if (count == 0) break;
    size += count;
  }
  text.resize(size);
  return text;
}

}  // namespace dynamo::cli
