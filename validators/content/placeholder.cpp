#include "validators/content/placeholder.hpp"

namespace dynamo::validators {
namespace {

// Whether the text between `open` and `close` is not empty and contains none of their characters.
bool is_wrapped(std::string_view text, std::string_view open, std::string_view close) {
  if (text.size() <= open.size() + close.size()) return false;
  if (!text.starts_with(open) || !text.ends_with(close)) return false;
  const std::string_view inside =
      text.substr(open.size(), text.size() - open.size() - close.size());
  return inside.find(open.back()) == std::string_view::npos &&
         inside.find(close.front()) == std::string_view::npos;
}

}  // namespace

bool is_placeholder(std::string_view text) {
  return is_wrapped(text, "<", ">") || is_wrapped(text, "{{", "}}") || is_wrapped(text, "${", "}");
}

}  // namespace dynamo::validators
