// status.conditions, as Kubernetes means them (metav1.Condition).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.hpp"
#include "json/writer.hpp"

namespace dynamo::kube {

enum class ConditionStatus : std::uint8_t { kTrue, kFalse, kUnknown };
std::string_view to_string(ConditionStatus status);  // "True"

struct Condition {
  std::string type = {};
  ConditionStatus status = ConditionStatus::kUnknown;
  std::string reason = {};   // CamelCase, never empty
  std::string message = {};  // for people; cut to 32768 bytes, at a character, when it is set
  std::int64_t observed_generation = 0;
  std::chrono::system_clock::time_point transition{};  // of the status
};

// As a JSON object, the time in seconds.
void write_condition(json::Writer& writer, const Condition& condition);

// The list of one object. Those of others in it stay as they are, and so does the order: a list
// that is written in another order is a change to whoever compares it.
class Conditions {
 public:
  Conditions() = default;
  // What is no condition (no type) is left out; a time that cannot be read is the clock's begin.
  static Conditions read(json::Value list);

  // Puts it in the place of the one of its type, or at the end. `condition.transition` does not
  // count: the time stays when the status does, else it is `now`. False when it was there already,
  // with the same text and generation: there is nothing to write.
  bool set(Condition condition, std::chrono::system_clock::time_point now);
  // False when there was none.
  bool remove(std::string_view type);

  const Condition* find(std::string_view type) const;
  bool is_true(std::string_view type) const;
  const std::vector<Condition>& all() const { return all_; }

  // As a JSON array, times in seconds.
  void write(json::Writer& writer) const;

 private:
  std::vector<Condition> all_;
};

}  // namespace dynamo::kube
