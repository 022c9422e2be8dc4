#include "validators/content/uri.hpp"

namespace dynamo::validators {

bool is_model_source(std::string_view uri) {
  constexpr std::string_view kLocal = "file:///";
  if (uri.starts_with("s3://") || uri.starts_with("hf://")) return true;
  return uri.starts_with(kLocal) && uri.size() > kLocal.size();
}

}  // namespace dynamo::validators
