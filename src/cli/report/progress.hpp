// A progress line on a terminal during long runs.
#pragma once

#include <chrono>
#include <iosfwd>

#include "cli/report/report.hpp"
#include "runtime/clock.hpp"

namespace dynamo::cli {

// Shows nothing in the first half second, so short runs stay silent. Not thread-safe.
class Progress {
 public:
  // `enabled`: `terminal` is a terminal. Both references must outlive this object.
  Progress(std::ostream& terminal, bool enabled, const runtime::Clock& clock);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Redraws the line, at most ten times a second.
  void show(const Summary& so_far);

  // Erases the line, before other output to the terminal.
  void clear();

 private:
  std::ostream& terminal_;
  const runtime::Clock& clock_;
  bool enabled_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace dynamo::cli
