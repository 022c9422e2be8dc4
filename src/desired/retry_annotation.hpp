// How a user asks for another attempt after the failure of a request or checkpoint.
#pragma once

#include <string_view>

#include "kube/object/object.hpp"

namespace dynamo::reconciler {

// A new value of this annotation, any text, starts another attempt.
inline constexpr std::string_view kRetryAnnotation = "nvidia.com/retry";
// Written by the controllers: the value of kRetryAnnotation that was used. They never change
// kRetryAnnotation, so that a manifest with it may be applied again.
inline constexpr std::string_view kObservedRetryAnnotation = "nvidia.com/observed-retry";

inline std::string_view retry_of(const kube::Object& object) {
  return object.root()["metadata"]["annotations"][kRetryAnnotation].string_or_empty();
}
inline std::string_view observed_retry_of(const kube::Object& object) {
  return object.root()["metadata"]["annotations"][kObservedRetryAnnotation].string_or_empty();
}
inline bool has_new_retry(const kube::Object& object) {
  return !retry_of(object).empty() && retry_of(object) != observed_retry_of(object);
}

}  // namespace dynamo::reconciler
