// The URIs a LoRA model may be loaded from.
#pragma once

#include <string_view>

namespace dynamo::validators {

// `s3://…`, `hf://…` (schemes in lower case, as the operator compares them), or `file:///…`, a file
// URI without a host and with an absolute path.
bool is_model_source(std::string_view uri);

// Why nothing can be loaded from a source of a known scheme.
enum class SourceFault : unsigned char {
  kNone,
  kBlank,    // a blank or a control character in it
  kClimbs,   // one of its parts is ".."
  kNothing,  // nothing behind the scheme
  kNoKey,    // s3 without a bucket, or without a key in it
};

// Precondition: is_model_source(uri).
SourceFault source_fault(std::string_view uri);

}  // namespace dynamo::validators
