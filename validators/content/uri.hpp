// The URIs a LoRA model may be loaded from.
#pragma once

#include <string_view>

namespace dynamo::validators {

// `s3://…`, `hf://…` (schemes in lower case, as the operator compares them), or `file:///…`, a file
// URI without a host and with an absolute path.
bool is_model_source(std::string_view uri);

}  // namespace dynamo::validators
