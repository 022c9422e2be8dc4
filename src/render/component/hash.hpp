// The hashes in generated names and labels. It implements SHA-256 itself, because the core links no
// cryptographic library; the hashes protect nothing.
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

// The first digits of a hash in hexadecimal, without allocation.
template <std::size_t Digits>
struct HexHash {
  std::array<char, Digits> digits;
  std::string_view view() const { return {digits.data(), digits.size()}; }
};

// The hash of a model's name. It links components to DynamoModels and is part of the name of the
// model's Service.
HexHash<8> base_model_hash(std::string_view model);

// A checkpoint's identity as canonical JSON, with defaults filled in: equal identities have equal
// texts. Absent or wrongly typed fields count as empty.
std::string checkpoint_identity_text(json::Value identity);

// The hash of that text. Allocates.
HexHash<16> checkpoint_identity_hash(json::Value identity);

}  // namespace dynamo::render
