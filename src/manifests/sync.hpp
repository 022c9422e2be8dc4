// How the operator detects that an owned object must be rewritten: two annotations hold the hash of
// the last applied spec and the generation that this apply created.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "json/document.hpp"

namespace dynamo::render {

inline constexpr std::string_view kAppliedHashAnnotation = "nvidia.com/last-applied-hash";
inline constexpr std::string_view kAppliedGenerationAnnotation =
    "nvidia.com/last-applied-generation";

// SHA-256 in hex over a canonical text: keys sorted, numbers as Go writes a float64, lists of
// objects sorted by `name` (or else by their first key). An absent spec counts as {}. Allocates;
// recurses as deep as the value.
std::string spec_hash(json::Value spec);

// The recorded generation from metadata.annotations; nullopt if absent or not a number.
std::optional<std::int64_t> annotated_generation(json::Value annotations);

struct SyncDecision {
  bool update = false;
  std::int64_t generation = 0;  // the generation to annotate with the update
};

// Whether an existing object must be rewritten to the spec with the hash `wanted_hash`.
SyncDecision sync_decision(json::Value live, std::string_view wanted_hash);

}  // namespace dynamo::render
