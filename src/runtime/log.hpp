// Structured logging: one line per event, as JSON or text. A separate thread writes it, so that a
// blocked standard error never blocks a request.
#pragma once

#include <atomic>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/clock.hpp"

namespace dynamo::runtime {

enum class Level : std::uint8_t { kDebug, kInfo, kWarning, kError };
enum class LogFormat : std::uint8_t { kJson, kText };

// "debug", "info", "warning", "error".
std::string_view to_string(Level level);

// One named value of a line. Holds views, which must be valid only until log() returns.
struct Field {
  using Value =
      std::variant<std::string_view, std::int64_t, double, bool, std::span<const std::string_view>>;

  Field(std::string_view field_name, std::string_view text) : name(field_name), value(text) {}
  Field(std::string_view field_name, const char* text)
      : name(field_name), value(std::string_view(text)) {}
  Field(std::string_view field_name, const std::string& text)
      : name(field_name), value(std::string_view(text)) {}
  Field(std::string_view field_name, bool flag) : name(field_name), value(flag) {}
  Field(std::string_view field_name, double number) : name(field_name), value(number) {}
  Field(std::string_view field_name, std::span<const std::string_view> list)
      : name(field_name), value(list) {}
  // Any integer; one beyond the range of std::int64_t is clamped.
  template <std::integral Number>
  Field(std::string_view field_name, Number number)
      : name(field_name),
        value(std::cmp_less_equal(number, std::numeric_limits<std::int64_t>::max())
                  ? static_cast<std::int64_t>(number)
                  : std::numeric_limits<std::int64_t>::max()) {}

  std::string_view name;
  Value value;
};

// The interface for libraries. Implementations are safe to call from any thread and never throw.
class Logger {
 public:
  virtual ~Logger() = default;

  // `message` is a constant phrase in lower case without a final stop; variable parts go into
  // fields. Never log secrets or users' objects.
  virtual void log(Level level, std::string_view message, std::span<const Field> fields) = 0;

  // True if a line of this level would be written: check it before collecting costly fields.
  virtual bool is_enabled(Level level) const = 0;

  void log(Level level, std::string_view message, std::initializer_list<Field> fields = {}) {
    log(level, message, std::span<const Field>(fields.begin(), fields.size()));
  }
};

struct LogOptions {
  Level level = Level::kInfo;  // lower levels are discarded
  LogFormat format = LogFormat::kJson;
  int descriptor = 2;  // output; not owned
  // when the queue is full, the oldest waiting line is dropped and counted
  std::size_t queued_lines = 1024;
};

// The production logger. A line passes through a bounded queue to one writing thread. If the reader
// of the descriptor stalls, the oldest lines are dropped and counted; callers never wait.
class Log final : public Logger {
 public:
  // Starts the writing thread. `clock` must outlive the log. Throws std::system_error if no thread
  // can be created, which only happens at start-up.
  Log(const LogOptions& options, const Clock& clock);

  // Writes the queued lines for at most a second, then drops the rest.
  ~Log() override;

  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  using Logger::log;
  // Counts the line as dropped if there is no memory for it.
  void log(Level level, std::string_view message, std::span<const Field> fields) override;
  bool is_enabled(Level level) const override { return level >= level_; }

  // Waits until every line so far is written or lost, at most `most`: call it before the process
  // ends without destructors.
  void wait_until_written(std::chrono::milliseconds most) const;

  // Lines lost so far: dropped from the full queue, unwritable, or without memory.
  std::uint64_t dropped_lines() const;

 private:
  struct Writer;

  void write(Level level, std::string_view message, std::span<const Field> fields);

  const Level level_;
  const LogFormat format_;
  const Clock& clock_;
  bool colour_ = false;
  std::unique_ptr<Writer> writer_;
  std::atomic<std::uint64_t> unformatted_{0};
};

// Passes at most one line per key and interval, and reports on the next one how many were
// suppressed. Keys are a closed set, 0 .. keys-1 (an enum of the caller). Lock-free.
class LogThrottle {
 public:
  // `logger` and `clock` must outlive the throttle.
  LogThrottle(Logger& logger, const Clock& clock, std::chrono::nanoseconds interval,
              std::size_t keys);

  // Adds the field `suppressed` if lines of this key were suppressed since the last one.
  void log(std::size_t key, Level level, std::string_view message,
           std::initializer_list<Field> fields = {});

 private:
  struct Key {
    std::atomic<std::int64_t> next_allowed{INT64_MIN};  // monotonic nanoseconds
    std::atomic<std::uint64_t> suppressed{0};
  };

  Logger& logger_;
  const Clock& clock_;
  const std::chrono::nanoseconds interval_;
  std::vector<Key> keys_;
};

}  // namespace dynamo::runtime
