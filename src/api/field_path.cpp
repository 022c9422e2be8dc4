#include "api/field_path.hpp"

#include "api/text.hpp"

namespace dynamo::api {

void FieldPath::append_to(std::string& out) const {
  if (parent_ != nullptr) parent_->append_to(out);
  switch (step_) {
    case Step::kName:
      if (parent_ != nullptr) out += '.';
      out += text_;
      break;
    case Step::kIndex:
      out += '[';
      out += std::to_string(index_);
      out += ']';
      break;
    case Step::kKey:
      out += '[';
      append_presentable(out, text_, kLongestKey);
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
