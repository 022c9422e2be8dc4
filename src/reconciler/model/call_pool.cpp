#include "reconciler/model/call_pool.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>
#include <exception>
#include <memory>
#include <utility>

namespace dynamo::reconciler::model {
namespace {

namespace asio = boost::asio;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

// The state that the concurrent coroutines share.
struct Round {
  Round(EngineClient& the_client, std::vector<EngineRequest> the_requests,
        CallPoolOptions the_options, const asio::any_io_executor& executor)
      : client(the_client),
        requests(std::move(the_requests)),
        options(std::move(the_options)),
        answers(requests.size()),
        end(steady_clock::now() + options.total_timeout),
        all_gone(executor) {}

  EngineClient& client;
  std::vector<EngineRequest> requests;
  const CallPoolOptions options;
  std::vector<EngineAnswer> answers;
  const steady_clock::time_point end;
  std::vector<std::unique_ptr<asio::cancellation_signal>> signals;
  asio::steady_timer all_gone;  // cancelled when the last coroutine ends
  std::size_t next = 0;
  std::size_t asking = 0;
  bool is_cancelled = false;
  std::exception_ptr defect;

  // Checks whether a request may be sent: an answer with a problem if not.
  EngineAnswer unsent(steady_clock::time_point now) const {
    EngineAnswer answer;
    if (now >= end) {
      answer.problem = "it was not asked: the time for all of them was over";
    } else if (options.can_send && !options.can_send()) {
      answer.problem = kAnotherLeads;
      answer.was_withheld = true;
    }
    return answer;
  }

  void gone(std::exception_ptr thrown) {
    if (thrown && !is_cancelled && !defect) defect = std::move(thrown);
    if (--asking == 0) all_gone.cancel();
  }
};

aio::Task<> ask_some(std::shared_ptr<Round> round) {
  while (round->next < round->requests.size()) {
    const std::size_t at = round->next++;
    const steady_clock::time_point now = steady_clock::now();
    round->answers[at] = round->unsent(now);
    if (!round->answers[at].problem.empty()) continue;
    EngineRequest request = std::move(round->requests[at]);
    const auto left = std::chrono::ceil<milliseconds>(round->end - now);
    request.deadline = std::min(round->options.request_timeout, left);
    request.can_send = round->options.can_send;
    EngineAnswer answer = co_await round->client.ask(std::move(request));
    answer.was_asked = !answer.was_withheld;
    round->answers[at] = std::move(answer);
  }
}

void start(const std::shared_ptr<Round>& round, const asio::any_io_executor& executor) {
  const std::size_t hands = std::min(round->options.max_concurrent, round->requests.size());
  round->asking = hands;
  for (std::size_t i = 0; i < hands; ++i) {
    round->signals.push_back(std::make_unique<asio::cancellation_signal>());
    asio::co_spawn(executor, ask_some(round),
                   asio::bind_cancellation_slot(
                       round->signals.back()->slot(),
                       [round](std::exception_ptr thrown) { round->gone(std::move(thrown)); }));
  }
}

// Waits for all coroutines, and forwards a cancellation to them.
aio::Task<> wait_for(std::shared_ptr<Round> round) {
  round->all_gone.expires_at(steady_clock::time_point::max());
  while (round->asking > 0) {
    const auto state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none && !round->is_cancelled) {
      round->is_cancelled = true;
      for (const auto& signal : round->signals) signal->emit(asio::cancellation_type::all);
    }
    co_await round->all_gone.async_wait(asio::as_tuple(asio::use_awaitable));
  }
}

}  // namespace

aio::Task<std::vector<EngineAnswer>> call_all(EngineClient& client,
                                              std::vector<EngineRequest> requests,
                                              CallPoolOptions options) {
  const auto executor = co_await asio::this_coro::executor;
  const auto round =
      std::make_shared<Round>(client, std::move(requests), std::move(options), executor);
  const bool throws = co_await asio::this_coro::throw_if_cancelled();
  co_await asio::this_coro::throw_if_cancelled(false);
  start(round, executor);
  co_await wait_for(round);
  co_await asio::this_coro::throw_if_cancelled(throws);
  if (round->is_cancelled) {
    throw boost::system::system_error(asio::error::make_error_code(asio::error::operation_aborted));
  }
  if (round->defect) std::rethrow_exception(round->defect);
  co_return std::move(round->answers);
}

}  // namespace dynamo::reconciler::model
