#include "aio/child_process.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <optional>

#include "runtime/spawn.hpp"

namespace dynamo::aio {
namespace {

namespace asio = boost::asio;
using ErrorCode = boost::system::error_code;

// How long a killed program may take to exit.
constexpr std::chrono::seconds kGrace{2};

// Our environment, with the command's variables replacing ours.
std::vector<std::string> environment_of(const ChildCommand& command) {
  std::vector<std::string> variables = runtime::environment_variables();
  for (const auto& [name, value] : command.environment) {
    std::erase_if(variables, [prefix = name + "="](const std::string& each) {
      return each.starts_with(prefix);
    });
    std::string variable = name;
    variable += '=';
    variable += value;
    variables.push_back(std::move(variable));
  }
  return variables;
}

// One running program; shared with the handlers of the loop.
class Child : public std::enable_shared_from_this<Child> {
 public:
  Child(asio::any_io_executor executor, std::size_t limit)
      : timer_(executor),
        limit_(limit),
        signals_(executor, SIGCHLD),
        output_(executor),
        errors_(executor) {}
  ~Child() { kill_group(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // 0, or errno.
  int start(const ChildCommand& command) {
    auto output = runtime::make_pipe();
    if (!output) return errno;
    output_.open(output->reading.release());
    auto errors = runtime::make_pipe();
    if (!errors) return errno;
    errors_.open(errors->reading.release());
    const runtime::SpawnResult started = runtime::spawn({.words = command.words,
                                                         .environment = environment_of(command),
                                                         .output = output->writing.get(),
                                                         .errors = errors->writing.get(),
                                                         .is_isolated = true});
    pid_ = started.pid;
    return started.error;
  }

  // Uses no callbacks: every event cancels the timer.
  void watch() {
    read(output_);
    read(errors_);
    await_exit();
  }

  void kill_group() {
    if (pid_ < 0 || status_) return;
    ::kill(-pid_, SIGKILL);
    reap();
  }

  // Reads the rest of the pipes and ends all waits.
  ChildResult finish(ChildResult::ExitReason end) {
    take_in(output_);
    take_in(errors_);
    if (is_too_much_ && end == ChildResult::ExitReason::kExited)
      end = ChildResult::ExitReason::kTooMuchOutput;
    signals_.cancel();
    output_.close();
    errors_.close();
    ChildResult result;
    result.exit_reason = end;
    if (status_) {
      result.code = WIFEXITED(*status_) ? WEXITSTATUS(*status_) : 128 + WTERMSIG(*status_);
    }
    result.output = std::move(output_.text);
    result.errors = std::move(errors_.text);
    return result;
  }

  bool is_over() const { return status_.has_value() || is_too_much_; }
  bool has_exited() const { return status_.has_value(); }
  bool is_too_much() const { return is_too_much_; }
  asio::steady_timer& timer() { return timer_; }

 private:
  struct Pipe {
    explicit Pipe(const asio::any_io_executor& executor) : stream(executor) {}
    void open(int descriptor) {
      stream.assign(descriptor);
      stream.non_blocking(true);
    }
    void close() {
      ErrorCode ignored;
      stream.close(ignored);
    }
    asio::posix::stream_descriptor stream;
    std::array<char, 4096> piece{};
    std::string text;
  };

  // Waits for readability instead of reading asynchronously: otherwise bytes that the loop has read
  // but not delivered would be lost if the program's exit is noticed first.
  void read(Pipe& pipe) {
    pipe.stream.async_wait(asio::posix::stream_descriptor::wait_read,
                           [self = shared_from_this(), &pipe](const ErrorCode& error) {
                             if (!error && self->take_in(pipe) && !self->is_too_much_)
                               self->read(pipe);
                           });
  }

  // Reads everything available without waiting: a process started by the program may still hold the
  // pipe. False at the end.
  bool take_in(Pipe& pipe) {
    ErrorCode error;
    while (!error && !is_too_much_ && pipe.stream.is_open()) {
      const std::size_t bytes = pipe.stream.read_some(asio::buffer(pipe.piece), error);
      pipe.text.append(pipe.piece.data(), std::min(bytes, limit_ - pipe.text.size()));
      if (pipe.text.size() < limit_) continue;
      is_too_much_ = true;
      timer_.cancel();
    }
    return error == asio::error::would_block;
  }

  void await_exit() {
    reap();
    if (status_) return;
    signals_.async_wait([self = shared_from_this()](const ErrorCode& error, int) {
      if (!error) self->await_exit();
    });
  }

  void reap() {
    int status = 0;
    if (pid_ < 0 || status_ || ::waitpid(pid_, &status, WNOHANG) != pid_) return;
    status_ = status;
    timer_.cancel();
  }

  asio::steady_timer timer_;
  const std::size_t limit_;
  asio::signal_set signals_;  // registered before the program starts, so that no exit is missed
  Pipe output_;
  Pipe errors_;
  pid_t pid_ = -1;
  std::optional<int> status_;
  bool is_too_much_ = false;
};

// Ends the waiting handlers even if the coroutine's frame is destroyed.
class Guard {
 public:
  explicit Guard(std::shared_ptr<Child> child) : child_(std::move(child)) {}
  ~Guard() {
    child_->kill_group();
    child_->finish(ChildResult::ExitReason::kCancelled);
  }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  std::shared_ptr<Child> child_;
};

}  // namespace

Task<ChildResult> run_child(asio::any_io_executor executor, ChildCommand command) {
  constexpr auto kNoThrow = asio::as_tuple(asio::use_awaitable);
  const auto child = std::make_shared<Child>(executor, command.limit);
  const Guard guard(child);
  ChildResult failed;
  failed.code = child->start(command);
  if (failed.code != 0) co_return failed;
  child->watch();
  child->timer().expires_after(command.deadline);
  if (!child->is_over()) co_await child->timer().async_wait(kNoThrow);

  auto end = ChildResult::ExitReason::kExited;
  const auto state = co_await asio::this_coro::cancellation_state;
  if (!child->has_exited()) {
    end = ChildResult::ExitReason::kDeadline;
    if (child->is_too_much()) end = ChildResult::ExitReason::kTooMuchOutput;
    if (state.cancelled() != asio::cancellation_type::none)
      end = ChildResult::ExitReason::kCancelled;
    child->kill_group();
    child->timer().expires_after(kGrace);
    const bool throws = co_await asio::this_coro::throw_if_cancelled();
    co_await asio::this_coro::throw_if_cancelled(false);
    if (!child->has_exited()) co_await child->timer().async_wait(kNoThrow);
    co_await asio::this_coro::throw_if_cancelled(throws);
  }
  co_return child->finish(end);
}

}  // namespace dynamo::aio
