#include "runtime/log.hpp"

#include <poll.h>
#include <spdlog/async.h>
#include <spdlog/async_logger.h>
#include <spdlog/sinks/sink.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <limits>
#include <new>

#include "runtime/log_format.hpp"

namespace dynamo::runtime {
namespace {

using std::chrono::steady_clock;

// How long the destructor waits for a stalled reader.
constexpr std::chrono::milliseconds kFarewell{1000};

// poll() guarantees that a pipe accepts this much (PIPE_BUF) without blocking.
constexpr std::size_t kUnblockedBytes = 4096;

// Most lines fit; a longer one allocates again.
constexpr std::size_t kUsualLine = 512;

// Called by the writing thread: the main thread handles signals, and SIGPIPE after a reader has
// closed must not end the process.
void block_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

// Writes complete lines to a descriptor. Waits for a stalled reader in short steps, so that the
// writing thread can always be stopped.
class DescriptorSink final : public spdlog::sinks::sink {
 public:
  explicit DescriptorSink(int descriptor) : descriptor_(descriptor) {}

  void log(const spdlog::details::log_msg& message) override {
    write(message);
    handled_.fetch_add(1, std::memory_order_release);
  }

  void write(const spdlog::details::log_msg& message) {
    const char* data = message.payload.data();
    std::size_t left = message.payload.size();
    while (left > 0) {
      if (!writable()) {
        ++unwritten_;
        return;
      }
      const ssize_t written = ::write(descriptor_, data, std::min(left, kUnblockedBytes));
      if (written < 0) {
        if (errno == EINTR || errno == EAGAIN) continue;
        ++unwritten_;  // the reader has closed or the disk is full: there is nowhere to report it
        return;
      }
      data += written;
      left -= static_cast<std::size_t>(written);
    }
  }

  void flush() override {}
  void set_pattern(const std::string&) override {}
  void set_formatter(std::unique_ptr<spdlog::formatter>) override {}

  // Limits the wait for a stalled reader to `deadline`.
  void close_at(steady_clock::time_point deadline) {
    deadline_.store(deadline.time_since_epoch().count(), std::memory_order_relaxed);
  }

  // Written or not.
  std::uint64_t handled() const { return handled_.load(std::memory_order_acquire); }
  std::uint64_t unwritten() const { return unwritten_.load(std::memory_order_relaxed); }

 private:
  // False if the log is closing and its deadline has passed.
  bool writable() const {
    constexpr int kStepMilliseconds = 50;
    for (;;) {
      const auto now = steady_clock::now().time_since_epoch().count();
      const bool waiting = now < deadline_.load(std::memory_order_relaxed);
      pollfd wanted{descriptor_, POLLOUT, 0};
      const int ready = ::poll(&wanted, 1, waiting ? kStepMilliseconds : 0);
      if (ready > 0) return true;  // also on POLLERR: the write returns the reason
      if (!waiting || (ready < 0 && errno != EINTR)) return false;
    }
  }

  const int descriptor_;
  std::atomic<steady_clock::rep> deadline_{std::numeric_limits<steady_clock::rep>::max()};
  std::atomic<std::uint64_t> unwritten_{0};
  std::atomic<std::uint64_t> handled_{0};
};

}  // namespace

struct Log::Writer {
  explicit Writer(const LogOptions& options)
      : sink(std::make_shared<DescriptorSink>(options.descriptor)),
        pool(std::make_shared<spdlog::details::thread_pool>(
            std::max<std::size_t>(options.queued_lines, 1), 1, block_signals)),
        logger(std::make_shared<spdlog::async_logger>(
            "dynamo", sink, pool, spdlog::async_overflow_policy::overrun_oldest)) {
    logger->set_level(spdlog::level::trace);  // is_enabled() has already decided
    logger->flush_on(spdlog::level::off);
    // The default handler prints to standard error, which may be blocked.
    logger->set_error_handler([](const std::string&) {});
  }

  std::shared_ptr<DescriptorSink> sink;
  std::shared_ptr<spdlog::details::thread_pool> pool;
  std::shared_ptr<spdlog::async_logger> logger;
  std::atomic<std::uint64_t> taken{0};
};

Log::Log(const LogOptions& options, const Clock& clock)
    : level_(options.level),
      format_(options.format),
      clock_(clock),
      colour_(options.format == LogFormat::kText && ::isatty(options.descriptor) == 1),
      writer_(std::make_unique<Writer>(options)) {}

Log::~Log() {
  writer_->sink->close_at(steady_clock::now() + kFarewell);
  // The pool's destructor ends and joins its thread after the waiting lines. It is destroyed before
  // the logger, so that the thread does not drop the last reference to it.
  writer_->pool.reset();
}

void Log::log(Level level, std::string_view message, std::span<const Field> fields) {
  if (!is_enabled(level)) return;
  try {
    write(level, message, fields);
  } catch (const std::bad_alloc&) {
    unformatted_.fetch_add(1, std::memory_order_relaxed);
  }
}

void Log::write(Level level, std::string_view message, std::span<const Field> fields) {
  // Not thread_local: glibc ends the process if it cannot allocate the record of a destructor.
  std::string line;
  line.reserve(kUsualLine);
  if (format_ == LogFormat::kJson) {
    append_json_line(line, clock_.wall(), level, message, fields);
  } else {
    append_text_line(line, clock_.wall(), level, message, fields, colour_);
  }
  writer_->logger->log(spdlog::level::info, spdlog::string_view_t(line.data(), line.size()));
  writer_->taken.fetch_add(1, std::memory_order_relaxed);
}

void Log::wait_until_written(std::chrono::milliseconds most) const {
  const auto give_up = steady_clock::now() + most;
  const std::uint64_t taken = writer_->taken.load(std::memory_order_relaxed);
  while (writer_->sink->handled() + writer_->pool->overrun_counter() < taken &&
         steady_clock::now() < give_up) {
    ::poll(nullptr, 0, 1);  // rare: the process ends
  }
}

std::uint64_t Log::dropped_lines() const {
  return writer_->pool->overrun_counter() + writer_->sink->unwritten() +
         unformatted_.load(std::memory_order_relaxed);
}

LogThrottle::LogThrottle(Logger& logger, const Clock& clock, std::chrono::nanoseconds interval,
                         std::size_t keys)
    : logger_(logger), clock_(clock), interval_(interval), keys_(keys) {}

void LogThrottle::log(std::size_t key, Level level, std::string_view message,
                      std::initializer_list<Field> fields) {
  Key& state = keys_.at(key);
  const std::int64_t now =
      std::chrono::duration_cast<std::chrono::nanoseconds>(clock_.monotonic().time_since_epoch())
          .count();
  std::int64_t next = state.next_allowed.load(std::memory_order_relaxed);
  // If several threads find the interval over, the one that advances it writes the line.
  if (now < next || !state.next_allowed.compare_exchange_strong(next, now + interval_.count(),
                                                                std::memory_order_relaxed)) {
    state.suppressed.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  const std::uint64_t suppressed = state.suppressed.exchange(0, std::memory_order_relaxed);
  if (suppressed == 0) {
    logger_.log(level, message, fields);
    return;
  }
  std::vector<Field> all(fields);
  all.emplace_back("suppressed", suppressed);
  logger_.log(level, message, std::span<const Field>(all));
}

}  // namespace dynamo::runtime
