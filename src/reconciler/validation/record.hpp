// What of an object must not change, as it was when it was last admitted: a line of JSON in an
// annotation of the object. Why it is so: docs/adr/0030.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/kind.hpp"
#include "kube/object.hpp"

namespace dynamo::reconciler::validation {

inline constexpr std::string_view kRecordAnnotation = "dynamo-admission/last-admitted";
// Of the annotation's text. What would be longer is not recorded.
inline constexpr std::size_t kMostRecordBytes = 8192;

// The part of `object`'s spec that rules hold immutable, as JSON; "" for a kind without such rules,
// and for what is too long.
std::string immutable_part(api::Kind kind, const kube::Object& object);

// Of an object with such a part that is too long to be recorded.
bool outgrows_record(api::Kind kind, const kube::Object& object);

enum class RecordState : std::uint8_t {
  kAbsent,      // none, or of a former object of that name
  kUnreadable,  // somebody has edited it
  kRead,
};

struct Record {
  RecordState state = RecordState::kAbsent;
  std::int64_t generation = 0;  // when it was written
  std::string spec = {};        // as immutable_part() gave it
};

Record read_record(const kube::Object& object);

// The annotation's text; "" when it would be too long.
std::string record_text(const kube::Object& object, std::string_view immutable_part);

}  // namespace dynamo::reconciler::validation
