// Preloaded into a server, shifts its wall clock ahead of the machine's, or behind it, by
// DYNAMO_CLOCK_SHIFT_SECONDS; or by the current content of the file DYNAMO_CLOCK_SHIFT_FILE, so
// that writing the file makes the clock step. Does not change other clocks.
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <ctime>

namespace {

// Uses only system calls: the caller may be in any state when it reads the time.
std::time_t shift_in(const char* path) {
  const long file = ::syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::array<char, 32> text{};
  ::syscall(SYS_read, file, text.data(), text.size() - 1);
  ::syscall(SYS_close, file);
  return std::strtol(text.data(), nullptr, 10);
}

std::time_t shift() {
  static const char* const path = std::getenv("DYNAMO_CLOCK_SHIFT_FILE");
  if (path != nullptr) return shift_in(path);
  static const char* const text = std::getenv("DYNAMO_CLOCK_SHIFT_SECONDS");
  static const std::time_t seconds = text == nullptr ? 0 : std::strtol(text, nullptr, 10);
  return seconds;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* now) noexcept {
  const long code = ::syscall(SYS_clock_gettime, clock, now);
  if (code == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    now->tv_sec += shift();
  }
  return static_cast<int>(code);
}

int gettimeofday(timeval* now, void*) noexcept {
  timespec precise{};
  const int code = clock_gettime(CLOCK_REALTIME, &precise);
  *now = {.tv_sec = precise.tv_sec, .tv_usec = precise.tv_nsec / 1000};
  return code;
}

std::time_t time(std::time_t* now) noexcept {
  timespec precise{};
  clock_gettime(CLOCK_REALTIME, &precise);
  if (now != nullptr) *now = precise.tv_sec;
  return precise.tv_sec;
}

}  // extern "C"
