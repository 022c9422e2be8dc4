// The way to a field, kept as a chain of stack objects and rendered only when something is wrong.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dynamo::api {

// How many bytes of a key are shown; a name of an annotation has at most 317. What a client calls a
// service goes into every error about it, so the answer must not grow with it.
inline constexpr std::size_t kLongestKey = 320;

// One step of a path. A child refers to its parent, so a path that is kept in a variable must not
// outlive the variable it was made from; within one expression temporaries are fine. Copying
// nothing and allocating nothing, it costs a few stores per step.
class FieldPath {
 public:
  // The first step, such as "spec".
  explicit constexpr FieldPath(std::string_view name) : text_(name), step_(Step::kName) {}

  // `.name`, `[3]` and `[key]`.
  constexpr FieldPath child(std::string_view name) const { return {this, name, 0, Step::kName}; }
  constexpr FieldPath index(std::size_t index) const { return {this, {}, index, Step::kIndex}; }
  constexpr FieldPath key(std::string_view key) const { return {this, key, 0, Step::kKey}; }

  // "spec.services[Decode].replicas"; a longer key is cut, its control characters become spaces.
  std::string render() const;
  // The same, behind what `out` holds.
  void append_to(std::string& out) const;

 private:
  enum class Step : unsigned char { kName, kIndex, kKey };
  constexpr FieldPath(const FieldPath* parent, std::string_view text, std::size_t index, Step step)
      : parent_(parent), text_(text), index_(index), step_(step) {}

  const FieldPath* parent_ = nullptr;
  std::string_view text_;
  std::size_t index_ = 0;
  Step step_;
};

}  // namespace dynamo::api
