// Reports failures of API calls that the object did not cause: in the log and as an Event.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "kube/cache/store.hpp"
#include "kube/controller/event_series.hpp"
#include "kube/object/error.hpp"
#include "runtime/log.hpp"

namespace dynamo::reconciler {

// No answer came, or the answer is a 5xx status: of the API server, of a webhook, or of a proxy.
bool is_outage(const kube::Error& error);

// One per controller, on the loop's thread. An outage may fail every object's reconciles, so the
// reporter logs a cause once per minute and emits one Event per object and cause.
class FailureReporter {
 public:
  static constexpr std::chrono::seconds kLogPause{60};
  static constexpr std::size_t kMaxObjects = 10'000;

  struct Report {
    const kube::ObjectKey& key;
    std::string_view controller;
    std::string_view error_type;  // the cause, a word of the closed list
    const kube::Error& error;
  };

  // Both must outlive the reporter. Without `record` it only logs.
  FailureReporter(runtime::Logger& logger, std::function<void(const kube::Event&)> record)
      : logger_(logger), record_(std::move(record)) {}

  // `object` is null if the store no longer has it.
  void failed(const Report& report, const kube::Resource& resource, const kube::Object* object,
              std::chrono::steady_clock::time_point now);
  // The next failure of the object is reported again.
  void succeeded(const kube::ObjectKey& key) { causes_.erase(key); }

 private:
  struct LoggedFailure {
    std::chrono::steady_clock::time_point at;
    std::uint64_t omitted = 0;
  };

  void log(const Report& report, std::chrono::steady_clock::time_point now);

  runtime::Logger& logger_;
  const std::function<void(const kube::Event&)> record_;
  std::map<std::string, LoggedFailure, std::less<>> logged_;  // by error type
  std::map<kube::ObjectKey, std::string> causes_;             // the error type of the last Event
};

}  // namespace dynamo::reconciler
