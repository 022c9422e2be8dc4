#include "runtime/log.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/fake_clock.hpp"
#include "tests/support/recording_logger.hpp"

namespace dynamo::runtime {
namespace {

using std::chrono_literals::operator""s;

class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_, O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
  }
  ~Pipe() {
    close_read();
    close_write();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int write_end() const { return ends_[1]; }
  void close_read() { close(ends_[0]); }
  void close_write() { close(ends_[1]); }

  // Everything written so far, until the end of the stream or ten seconds of silence.
  std::string read_to_end() {
    close_write();
    std::string all;
    char block[4096];
    for (;;) {
      pollfd wanted{ends_[0], POLLIN, 0};
      if (::poll(&wanted, 1, 10'000) <= 0) return all + "<timed out>";
      const ssize_t got = ::read(ends_[0], block, sizeof block);
      if (got <= 0) return all;
      all.append(block, static_cast<std::size_t>(got));
    }
  }

 private:
  static void close(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }
  int ends_[2];
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t start = 0;
  for (std::size_t end; (end = text.find('\n', start)) != std::string::npos; start = end + 1) {
    lines.push_back(text.substr(start, end - start));
  }
  if (start < text.size()) lines.push_back(text.substr(start) + "<no newline>");
  return lines;
}

TEST(Log, WritesAllLinesInOrderBeforeDestruction) {
  Pipe pipe;
  const test::FakeClock clock;
  {
    Log log({.descriptor = pipe.write_end()}, clock);
    for (int i = 0; i < 100; ++i) log.log(Level::kInfo, "line", {{"number", i}});
    EXPECT_EQ(log.dropped_lines(), 0U);
  }
  const auto lines = lines_of(pipe.read_to_end());
  ASSERT_EQ(lines.size(), 100U);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i],
              "{\"time\":\"2026-02-03T04:05:06.000Z\",\"level\":\"info\",\"message\":\"line\","
              "\"number\":" +
                  std::to_string(i) + "}");
  }
}

TEST(Log, DiscardsLinesBelowLevel) {
  Pipe pipe;
  const test::FakeClock clock;
  {
    Log log({.level = Level::kWarning, .format = LogFormat::kText, .descriptor = pipe.write_end()},
            clock);
    EXPECT_FALSE(log.is_enabled(Level::kInfo));
    EXPECT_TRUE(log.is_enabled(Level::kWarning));
    log.log(Level::kDebug, "one");
    log.log(Level::kInfo, "two");
    log.log(Level::kWarning, "three");
    log.log(Level::kError, "four");
  }
  EXPECT_EQ(pipe.read_to_end(),
            "2026-02-03T04:05:06.000Z WARNING three\n2026-02-03T04:05:06.000Z ERROR   four\n");
}

TEST(Log, WritesLinesLargerThanPipeBuffer) {
  Pipe pipe;
  const test::FakeClock clock;
  const std::string text(1000, 'x');
  const std::vector<std::string_view> list(30, text);
  {
    Log log({.descriptor = pipe.write_end()}, clock);
    log.log(Level::kInfo, "long", {{"list", std::span<const std::string_view>(list)}});
  }
  const std::string written = pipe.read_to_end();
  EXPECT_GT(written.size(), 30'000U);
  EXPECT_TRUE(written.ends_with("\"]}\n"));
}

TEST(Log, StalledReaderDropsLinesWithoutBlockingCaller) {
  Pipe pipe;  // without a reader it accepts 64 KiB and then stalls
  const test::FakeClock clock;
  constexpr int kLines = 3000;
  const std::string text(500, 'x');
  const auto start = std::chrono::steady_clock::now();
  std::uint64_t dropped = 0;
  {
    Log log({.descriptor = pipe.write_end(), .queued_lines = 600}, clock);
    for (int i = 0; i < kLines; ++i) log.log(Level::kError, "line", {{"text", text}, {"i", i}});
    dropped = log.dropped_lines();
    EXPECT_GT(dropped, 0U);
  }
  // The destructor waits at most a second regardless of the queued lines; the rest is for a slow
  // machine.
  EXPECT_LT(std::chrono::steady_clock::now() - start, 20s);
  const auto lines = lines_of(pipe.read_to_end());
  EXPECT_GT(lines.size(), 50U);
  EXPECT_LE(lines.size(), kLines - dropped);
}

TEST(Log, ColoursTextOnlyOnTerminal) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  ASSERT_EQ(::grantpt(terminal), 0);
  ASSERT_EQ(::unlockpt(terminal), 0);
  const int shown = ::open(::ptsname(terminal), O_RDWR | O_NOCTTY);
  ASSERT_GE(shown, 0);
  const test::FakeClock clock;
  {
    Log log({.format = LogFormat::kText, .descriptor = shown}, clock);
    log.log(Level::kInfo, "hello");
  }
  pollfd wanted{terminal, POLLIN, 0};
  ASSERT_EQ(::poll(&wanted, 1, 10'000), 1);
  char line[256];
  const ssize_t got = ::read(terminal, line, sizeof line);
  ASSERT_GT(got, 0);
  EXPECT_EQ(std::string(line, static_cast<std::size_t>(got)),
            "2026-02-03T04:05:06.000Z \x1b[32mINFO   \x1b[0m hello\r\n");
  ::close(shown);
  ::close(terminal);
}

TEST(Log, SurvivesClosedReader) {
  Pipe pipe;
  const test::FakeClock clock;
  pipe.close_read();
  {
    Log log({.descriptor = pipe.write_end()}, clock);
    log.log(Level::kError, "into the void");
    const auto deadline = std::chrono::steady_clock::now() + 10s;
    while (log.dropped_lines() == 0 && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::yield();
    }
    EXPECT_EQ(log.dropped_lines(), 1U);
  }
}

TEST(Log, KeepsLinesOfManyThreadsIntact) {
  Pipe pipe;
  const test::FakeClock clock;
  constexpr std::size_t kThreads = 4;
  constexpr std::size_t kLinesEach = 50;
  {
    Log log({.descriptor = pipe.write_end()}, clock);
    std::vector<std::thread> threads;
    threads.reserve(kThreads);
    for (std::size_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([&log, t] {
        for (std::size_t i = 0; i < kLinesEach; ++i) log.log(Level::kInfo, "line", {{"t", t}});
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  const auto lines = lines_of(pipe.read_to_end());
  EXPECT_EQ(lines.size(), kThreads * kLinesEach);
  for (const std::string& line : lines) {
    EXPECT_TRUE(line.starts_with("{\"time\":") && line.ends_with("}")) << line;
  }
}

TEST(LogThrottle, PassesOneLinePerKeyAndInterval) {
  test::RecordingLogger logger;
  test::FakeClock clock;
  LogThrottle throttle(logger, clock, 60s, 2);

  throttle.log(0, Level::kInfo, "handshake failed", {{"class", "eof"}});
  throttle.log(0, Level::kInfo, "handshake failed", {{"class", "eof"}});
  clock.tick(59s);
  throttle.log(0, Level::kInfo, "handshake failed", {{"class", "eof"}});
  ASSERT_EQ(logger.lines().size(), 1U);
  EXPECT_EQ(logger.lines()[0].fields, R"({"class":"eof"})");

  throttle.log(1, Level::kWarning, "handshake failed", {{"class", "version"}});
  ASSERT_EQ(logger.lines().size(), 2U);
  EXPECT_EQ(logger.lines()[1].fields, R"({"class":"version"})");
  EXPECT_EQ(logger.lines()[1].level, Level::kWarning);

  clock.tick(1s);
  throttle.log(0, Level::kInfo, "handshake failed", {{"class", "eof"}});
  ASSERT_EQ(logger.lines().size(), 3U);
  EXPECT_EQ(logger.lines()[2].fields, R"({"class":"eof","suppressed":2})");

  clock.tick(60s);
  throttle.log(0, Level::kInfo, "handshake failed", {{"class", "eof"}});
  ASSERT_EQ(logger.lines().size(), 4U);
  EXPECT_EQ(logger.lines()[3].fields, R"({"class":"eof"})");
}

TEST(LogThrottle, PassesOneLineOfConcurrentThreads) {
  test::RecordingLogger logger;
  const test::FakeClock clock;
  LogThrottle throttle(logger, clock, 60s, 1);
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&throttle] {
      for (int i = 0; i < 100; ++i) throttle.log(0, Level::kInfo, "flood");
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(logger.count("flood"), 1U);
}

}  // namespace
}  // namespace dynamo::runtime
