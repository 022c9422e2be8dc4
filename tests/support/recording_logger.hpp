// A logger that keeps its lines so that tests can check them.
#pragma once

#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/log.hpp"
#include "runtime/log_format.hpp"

namespace dynamo::test {

struct RecordedLine {
  runtime::Level level;
  std::string message;
  // The fields in JSON log format: {"name":"value"}.
  std::string fields;

  bool mentions(std::string_view text) const {
    return message.find(text) != std::string::npos || fields.find(text) != std::string::npos;
  }
};

// Safe to use from several threads.
class RecordingLogger final : public runtime::Logger {
 public:
  using runtime::Logger::log;
  void log(runtime::Level level, std::string_view message,
           std::span<const runtime::Field> fields) override {
    std::string written;
    runtime::append_json_fields(written, fields);
    const std::lock_guard lock(mutex_);
    lines_.push_back({level, std::string(message), "{" + written + "}"});
  }
  bool is_enabled(runtime::Level) const override { return true; }

  std::vector<RecordedLine> lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

  std::size_t count(std::string_view message) const {
    const std::lock_guard lock(mutex_);
    std::size_t found = 0;
    for (const RecordedLine& line : lines_) found += line.message == message ? 1 : 0;
    return found;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<RecordedLine> lines_;
};

}  // namespace dynamo::test
