// The path to a field: a chain of stack objects that is rendered only for a finding.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dynamo::api {

// The most bytes of a key in a path; an annotation key has at most 317. A service name is repeated
// in every error about the service, so the response must not grow with it.
inline constexpr std::size_t kLongestKey = 320;

// One step of a path. Each step refers to its parent, so a path in a variable must not outlive the
// variable it was created from; temporaries within one expression are fine. It copies and allocates
// nothing and costs a few stores per step.
class FieldPath {
 public:
  // The first step, such as "spec".
  explicit constexpr FieldPath(std::string_view name) : text_(name), step_(Step::kName) {}

  // `.name`, `[3]` and `[key]`.
  constexpr FieldPath child(std::string_view name) const { return {this, name, 0, Step::kName}; }
  constexpr FieldPath index(std::size_t index) const { return {this, {}, index, Step::kIndex}; }
  constexpr FieldPath key(std::string_view key) const { return {this, key, 0, Step::kKey}; }

  // "spec.services[Decode].replicas"; longer keys are cut, control characters in keys become
  // spaces.
  std::string render() const;
  // Appends what render() returns.
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
