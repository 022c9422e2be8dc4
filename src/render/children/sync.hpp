// How the operator finds out whether a child must be rewritten: two annotations, the hash of what
// it last asked for and the generation that this made.
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
// objects sorted by `name` (else by their first key). An absent spec counts as {}. Allocates; nests
// calls as deep as the value.
std::string spec_hash(json::Value spec);

// The generation that was recorded, from metadata.annotations; nothing where there is none, or no
// number.
std::optional<std::int64_t> annotated_generation(json::Value annotations);

struct SyncDecision {
  bool update = false;
  std::int64_t generation = 0;  // to be annotated with the update
};

// Whether an existing child has to be rewritten to what hashes to `wanted_hash`.
SyncDecision sync_decision(json::Value live, std::string_view wanted_hash);

}  // namespace dynamo::render
