// A line on a terminal that shows how far a long run is.
#pragma once

#include <chrono>
#include <iosfwd>

#include "cli/formats/report.hpp"
#include "runtime/clock.hpp"

namespace dynamo::cli {

// Shows nothing in the first half second, so short runs stay silent. Not thread-safe.
class Progress {
 public:
  // `enabled`: `terminal` is one. Both references must outlive this.
  Progress(std::ostream& terminal, bool enabled, const runtime::Clock& clock);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Writes the line again, at most ten times a second.
  void show(const Summary& so_far);

  // Takes the line away, before something else is written to the terminal.
  void clear();

 private:
  std::ostream& terminal_;
  const runtime::Clock& clock_;
  bool enabled_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace dynamo::cli
