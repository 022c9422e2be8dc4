// The hashes in generated names and labels. SHA-256 by itself, since the core uses no library for
// cryptography; it guards nothing here.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "json/document.hpp"

namespace dynamo::render {

using Sha256 = std::array<std::uint8_t, 32>;

// FIPS 180-4.
Sha256 sha256(std::string_view bytes);

// The first bytes of a hash as hex digits, without allocation.
template <std::size_t Digits>
struct HexHash {
  std::array<char, Digits> digits;
  std::string_view view() const { return {digits.data(), digits.size()}; }
};

// Of a model's name: links components and DynamoModels, and names the model's Service.
HexHash<8> base_model_hash(std::string_view model);

// Of a checkpoint's identity; defaults filled in, so that equal identities have equal hashes.
// Absent or wrongly typed fields count as empty. Allocates.
HexHash<16> checkpoint_identity_hash(json::Value identity);

}  // namespace dynamo::render
