#include "api/field_path.hpp"

#include "text/presentable.hpp"

namespace dynamo::api {

void FieldPath::append_to(std::string& out) const {
  if (parent_ != nullptr) parent_->append_to(out);
  switch (step_) {
    case Step::kName:
      if (parent_ != nullptr) out += '.';
      // API names are short; an unknown name may have any length.
      if (text_.size() <= kLongestKey) {
        out += text_;
      } else {
        text::append_presentable(out, text_, kLongestKey);
      }
      break;
    case Step::kIndex:
      out += '[';
      out += std::to_string(index_);
      out += ']';
      break;
    case Step::kKey:
      out += '[';
      text::append_presentable(out, text_, kLongestKey);
      out += ']';
      break;
  }
}

std::string FieldPath::render() const {
  std::string text;
  append_to(text);
  return text;
}

}  // namespace dynamo::api
