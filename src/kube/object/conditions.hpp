// status.conditions as Kubernetes defines them (metav1.Condition).
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
  std::string message = {};  // for users; set() cuts it to 32768 bytes at a character boundary
  std::int64_t observed_generation = 0;
  std::chrono::system_clock::time_point transition{};  // when the status last changed
};

// As a JSON object, times in seconds.
void write_condition(json::Writer& writer, const Condition& condition);

// The conditions of one object. Conditions of other writers are kept, and so is the order: a
// reordered list would be a change for clients that compare it.
class Conditions {
 public:
  Conditions() = default;
  // Entries without a type are dropped. A time that does not parse becomes the clock's epoch.
  static Conditions read(json::Value list);

  // Replaces the condition of the same type, or appends it. `condition.transition` is ignored: the
  // time is kept if the status is unchanged, otherwise it is `now`. Returns false if the condition
  // was already present with the same text and generation, so there is nothing to write.
  bool set(Condition condition, std::chrono::system_clock::time_point now);
  // Returns false if there was none.
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
