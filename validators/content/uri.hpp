// The URIs from which a LoRA model may be loaded.
#pragma once

#include <string_view>

namespace dynamo::validators {

// `s3://...`, `hf://...` (schemes in lower case, as the operator compares them), or `file:///...`:
// a file URI without a host and with an absolute path.
bool is_model_source(std::string_view uri);

// Why a source with a known scheme cannot be loaded.
enum class SourceFault : unsigned char {
  kNone,
  kBlank,    // contains a blank or a control character
  kClimbs,   // one of its parts is ".."
  kNothing,  // empty after the scheme
  kNoKey,    // s3 without a bucket or without a key
};

// Precondition: is_model_source(uri).
SourceFault source_fault(std::string_view uri);

}  // namespace dynamo::validators
