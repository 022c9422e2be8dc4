// The immutable part of an object at its last admission, stored as a line of JSON in an annotation.
// Background: ADR 30.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/kind.hpp"
#include "desired/kinds.hpp"
#include "kube/object/object.hpp"

namespace dynamo::reconciler::validation {

// Limit of the annotation's text. Longer records are not written.
inline constexpr std::size_t kMaxRecordBytes = 8192;

// The part of `object`'s spec that rules require to be immutable, as JSON; "" for kinds without
// such rules, and for parts that are too long.
std::string immutable_part(api::Kind kind, const kube::Object& object);

// The object has such a part, and it is too long to be recorded.
bool outgrows_record(api::Kind kind, const kube::Object& object);

enum class RecordState : std::uint8_t {
  kAbsent,      // none, or from an earlier object of that name
  kUnreadable,  // it was edited
  kRead,
};

struct Record {
  RecordState state = RecordState::kAbsent;
  std::int64_t generation = 0;  // at the time of writing
  std::string spec = {};        // from immutable_part()
};

Record read_record(const kube::Object& object);

// The annotation's text; "" if it would be too long.
std::string record_text(const kube::Object& object, std::string_view immutable_part);

}  // namespace dynamo::reconciler::validation
