// The number of GPUs of an engine, read from its command line in any spelling of the flags. The
// operator reads only some spellings: render/pod/launch.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "render/document/origin.hpp"
#include "render/pod/container.hpp"

namespace dynamo::validators {

// One flag. The last occurrence wins.
struct SizeFlag {
  std::string_view flag = {};  // as written, without its value; "" if absent
  std::string_view value = {};
  render::Origin origin = {};  // of the item with the flag

  bool is_given() const { return !flag.empty(); }
  // The shell or the kubelet computes the value.
  bool is_computed() const { return value.find('$') != std::string_view::npos; }
  // 1 if there is no flag or no number of at least 1.
  std::int64_t size() const;
};

struct WrittenSizes {
  SizeFlag tensor = {};
  SizeFlag pipeline = {};
  SizeFlag data = {};
  // A file, a variable or other flags for data parallelism set values that are not read here.
  bool incomplete = false;
  bool data_managed = false;

  bool is_computed() const {
    return tensor.is_computed() || pipeline.is_computed() || data.is_computed();
  }
  // The GPUs of one replica of the model, and of all replicas; at most the largest integer.
  std::int64_t world() const;
  std::int64_t all() const;
};

// Reads command and arguments once, including the words of a script.
WrittenSizes written_sizes(const render::Container& container);

// The product, capped at the largest integer. Both factors must be at least 0.
std::int64_t product(std::int64_t left, std::int64_t right);

}  // namespace dynamo::validators
