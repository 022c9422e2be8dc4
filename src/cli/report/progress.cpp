#include "cli/report/progress.hpp"

#include <ostream>

namespace dynamo::cli {
namespace {

constexpr std::chrono::milliseconds kSilence{500};
constexpr std::chrono::milliseconds kInterval{100};
constexpr std::string_view kClearLine = "\r\x1b[K";

}  // namespace

Progress::Progress(std::ostream& terminal, bool enabled, const runtime::Clock& clock)
    : terminal_(terminal), clock_(clock), enabled_(enabled), next_(clock.monotonic() + kSilence) {}

void Progress::show(const Summary& so_far) {
  if (!enabled_) return;
  const auto now = clock_.monotonic();
  if (now < next_) return;
  next_ = now + kInterval;
  terminal_ << kClearLine << so_far.files << (so_far.files == 1 ? " file, " : " files, ")
            << so_far.objects << (so_far.objects == 1 ? " object, " : " objects, ")
            << so_far.invalid << " invalid …" << std::flush;
  shown_ = true;
}

void Progress::clear() {
  if (!shown_) return;
  terminal_ << kClearLine << std::flush;
  shown_ = false;
}

}  // namespace dynamo::cli
