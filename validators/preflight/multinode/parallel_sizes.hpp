// Over how many GPUs an engine spreads a model, as its command line says it in any spelling. What
// the operator reads of it is less: render/launch.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "render/container.hpp"
#include "render/origin.hpp"

namespace dynamo::validators {

// One flag. Of one that is repeated the last counts.
struct SizeFlag {
  std::string_view flag = {};  // as it is written, without its value; "" when it is not there
  std::string_view value = {};
  render::Origin origin = {};  // of the item with the flag

  bool given() const { return !flag.empty(); }
  // Only the shell or the kubelet knows what it will be.
  bool computed() const { return value.find('$') != std::string_view::npos; }
  // 1 without a flag, or when there is no number of at least 1.
  std::int64_t size() const;
};

struct WrittenSizes {
  SizeFlag tensor = {};
  SizeFlag pipeline = {};
  SizeFlag data = {};
  // A file, a variable, or other flags for data parallelism say more than is read here.
  bool incomplete = false;
  bool data_managed = false;

  bool computed() const { return tensor.computed() || pipeline.computed() || data.computed(); }
  // GPUs of one replica of the model, and of all; at most the largest integer.
  std::int64_t world() const;
  std::int64_t all() const;
};

// Reads command and arguments, also inside of a script. One pass.
WrittenSizes written_sizes(const render::Container& container);

// The product; at most the largest integer. Both are at least 0.
std::int64_t product(std::int64_t left, std::int64_t right);

}  // namespace dynamo::validators
