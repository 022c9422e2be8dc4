// Logs once when an operation starts to fail, and once when it succeeds again.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "runtime/log.hpp"

namespace dynamo::certs::managed {

class FailureLog {
 public:
  // `what` is a phrase for log lines, such as "report of this replica". `logger` must outlive this.
  FailureLog(std::string_view what, runtime::Logger& logger) : what_(what), logger_(logger) {}

  void failed(const std::string& reason) {
    const bool is_new = text_.empty();
    text_ = reason.empty() ? "unknown" : reason;
    if (is_new) {
      logger_.log(runtime::Level::kWarning, what_ + " failed; tried again until it succeeds",
                  {{"reason", text_}});
    }
  }
  void succeeded() {
    if (text_.empty()) return;
    text_.clear();
    logger_.log(runtime::Level::kInfo, what_ + " succeeds again");
  }
  // The current error; empty without one.
  const std::string& text() const { return text_; }

 private:
  const std::string what_;
  runtime::Logger& logger_;
  std::string text_;
};

}  // namespace dynamo::certs::managed
