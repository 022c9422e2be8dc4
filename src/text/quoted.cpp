#include "text/quoted.hpp"

#include "text/lookalike.hpp"
#include "text/presentable.hpp"

namespace dynamo::text {

std::string quoted(std::string_view text, std::size_t longest) {
  std::string out = "\"";
  append_presentable(out, text, longest);
  out += '"';
  append_suspect_note(out, text);
  return out;
}

}  // namespace dynamo::text
