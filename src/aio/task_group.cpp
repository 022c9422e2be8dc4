#include "aio/task_group.hpp"

#include <algorithm>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/system/system_error.hpp>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "aio/backoff.hpp"
#include "aio/pause.hpp"

namespace dynamo::aio {
namespace {

constexpr std::chrono::seconds kPatience{5};
// Interval at which stop() checks whether the loop that it waits for was stopped.
constexpr std::chrono::milliseconds kPollInterval{10};

struct RunningTask {
  std::string name;
  std::function<Task<>()> body;
  boost::asio::cancellation_signal cancel;
};

}  // namespace

struct TaskGroup::State : std::enable_shared_from_this<State> {
  State(boost::asio::io_context& the_loop, runtime::Logger& the_logger,
        const TaskGroupOptions& the_options)
      : loop(the_loop), logger(the_logger), options(the_options) {}

  boost::asio::io_context& loop;
  runtime::Logger& logger;
  const TaskGroupOptions options;

  std::mutex mutex;
  std::condition_variable ended;
  bool stopping = false;
  std::vector<std::shared_ptr<RunningTask>> tasks;
  std::optional<std::thread::id> loop_thread;  // the thread that runs it

  void start(std::shared_ptr<RunningTask> task) {
    {
      const std::lock_guard lock(mutex);
      if (stopping) return;
      loop_thread = std::this_thread::get_id();
      tasks.push_back(task);
    }
    boost::asio::co_spawn(
        loop, run(shared_from_this(), task),
        boost::asio::bind_cancellation_slot(
            task->cancel.slot(), [self = shared_from_this(), task](std::exception_ptr failure) {
              self->end(task, std::move(failure));
            }));
  }

  // Keeps the body alive, because the inner coroutine may use its captures.
  static Task<> run(std::shared_ptr<State> self, std::shared_ptr<RunningTask> task) {
    Backoff backoff(self->options.first_pause, self->options.longest_pause);
    for (;;) {
      const auto began = std::chrono::steady_clock::now();
      std::exception_ptr failure;
      try {
        co_await task->body();
        co_return;
      } catch (...) {
        failure = std::current_exception();
      }
      if (self->is_stopping()) std::rethrow_exception(failure);
      self->log_failure(task->name, std::move(failure), false);
      // A task that ran for a while does not pay for earlier failures.
      if (std::chrono::steady_clock::now() - began >= self->options.longest_pause) backoff.reset();
      const bool waited = co_await pause(backoff.next());
      if (!waited) co_return;
    }
  }

  bool is_stopping() {
    const std::lock_guard lock(mutex);
    return stopping;
  }

  void end(const std::shared_ptr<RunningTask>& task, std::exception_ptr failure) {
    bool is_stopping = false;
    {
      const std::lock_guard lock(mutex);
      loop_thread = std::this_thread::get_id();
      is_stopping = stopping;
    }
    if (failure) log_failure(task->name, std::move(failure), is_stopping);
    // The body's captures may refer to objects that the owner destroys after stop().
    task->body = nullptr;
    const std::lock_guard lock(mutex);
    std::erase(tasks, task);
    ended.notify_all();
  }

  void log_failure(const std::string& name, std::exception_ptr failure, bool is_stopping) {
    std::string what = "not a std::exception";
    try {
      std::rethrow_exception(std::move(failure));
    } catch (const boost::system::system_error& error) {
      if (is_stopping && error.code() == boost::asio::error::operation_aborted) return;
      what = error.what();
    } catch (const std::exception& error) {
      what = error.what();
    } catch (...) {
    }
    logger.log(runtime::Level::kError, "a background task ended with an exception",
               {{"task", name}, {"what", what}});
  }

  void cancel_all() {
    std::vector<std::shared_ptr<RunningTask>> all;
    {
      const std::lock_guard lock(mutex);
      // Otherwise stop() might run the loop as well, and the same coroutines would run on two
      // threads.
      assert((!loop_thread || *loop_thread == std::this_thread::get_id()) &&
             "a loop stays with the thread that runs it, until it is stopped");
      all = tasks;
    }
    for (const auto& task : all) task->cancel.emit(boost::asio::cancellation_type::all);
  }

  bool is_idle() {
    const std::lock_guard lock(mutex);
    if (loop.stopped()) {
      loop_thread.reset();
      return true;
    }
    return loop_thread == std::this_thread::get_id();
  }

  // Runs the loop on this thread until no task is left.
  void run_until(std::chrono::steady_clock::time_point end) {
    const bool was_stopped = loop.stopped();
    if (was_stopped) loop.restart();
    while (!is_over()) {
      if (loop.stopped()) loop.restart();
      if (loop.run_one_until(end) == 0 && std::chrono::steady_clock::now() >= end) break;
    }
    if (was_stopped) loop.stop();
  }

  bool is_over() {
    const std::lock_guard lock(mutex);
    return tasks.empty();
  }

  bool wait(std::chrono::steady_clock::time_point end) {
    for (;;) {
      if (is_idle()) {
        run_until(end);
        return is_over();
      }
      std::unique_lock lock(mutex);
      if (ended.wait_for(lock, kPollInterval, [this] { return tasks.empty(); })) return true;
      if (std::chrono::steady_clock::now() >= end) return false;
    }
  }
};

TaskGroup::TaskGroup(boost::asio::io_context& loop, runtime::Logger& logger,
                     const TaskGroupOptions& options)
    : state_(std::make_shared<State>(loop, logger, options)) {}

TaskGroup::~TaskGroup() {
  stop();
}

void TaskGroup::spawn(std::string name, std::function<Task<>()> body) {
  auto task = std::make_shared<RunningTask>();
  task->name = std::move(name);
  task->body = std::move(body);
  boost::asio::post(state_->loop, [state = state_, task = std::move(task)]() mutable {
    state->start(std::move(task));
  });
}

void TaskGroup::stop() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
    if (state_->tasks.empty()) return;
  }
  assert(!state_->loop.get_executor().running_in_this_thread() &&
         "a group is not stopped by what runs on its loop");
  boost::asio::post(state_->loop, [state = state_] { state->cancel_all(); });
  if (state_->wait(std::chrono::steady_clock::now() + kPatience)) return;

  std::string names;
  {
    const std::lock_guard lock(state_->mutex);
    for (const auto& task : state_->tasks) names += (names.empty() ? "" : ", ") + task->name;
  }
  state_->logger.log(runtime::Level::kError, "background tasks did not end when cancelled",
                     {{"tasks", names}});
  assert(false && "a task ignored its cancellation");
}

}  // namespace dynamo::aio
