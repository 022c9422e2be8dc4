// State of a file that is reloaded: recognises the content in use, and logs and counts a refused
// content once, not at every check.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/log.hpp"

namespace dynamo::runtime {

// Log messages for a refused content.
struct RefusalMessages {
  std::string with_older;  // an older content stays in use
  std::string without_older;
};

// One writer; errors() from any thread.
class ReloadState {
 public:
  // `what` is its name in log lines: "certificate", "client CA". `logger` must outlive this.
  ReloadState(std::string_view what, Logger& logger);
  ReloadState(std::string_view what, RefusalMessages refusals, Logger& logger);

  // True if this content is in use. Also forgets a refusal, because the files have their old
  // content again.
  bool is_loaded(const std::string& digest);

  void loaded(const std::string& digest);

  // Logs and counts, unless this content was already refused. `in_use` is true if an older content
  // stays in use. `digest` identifies the content, or the read error; a short content may be its
  // own.
  void refused(const std::string& digest, const std::string& reason, bool in_use);

  // There is no content yet, which is not an error: logs once, counts nothing.
  void waiting(const std::string& reason);

  // Why the newest content is not in use; empty if it is.
  const std::string& problem() const { return problem_; }

  std::uint64_t errors() const { return errors_.load(std::memory_order_relaxed); }

 private:
  const std::string what_;
  const RefusalMessages refusals_;
  Logger& logger_;
  std::string loaded_;
  std::string refused_;
  std::string problem_;
  std::atomic<std::uint64_t> errors_{0};
};

}  // namespace dynamo::runtime
