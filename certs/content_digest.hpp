// Identifies the content of several files by one short value.
#pragma once

#include <string>
#include <string_view>

namespace dynamo::certs {

// SHA-256 over the SHA-256 of each part, so that ("ab","c") and ("a","bc") differ.
class ContentDigest {
 public:
  ContentDigest& add(std::string_view part);
  std::string finish() const;  // 32 bytes, not text

 private:
  std::string joined_;  // the digests of the parts, 32 bytes each
};

}  // namespace dynamo::certs
