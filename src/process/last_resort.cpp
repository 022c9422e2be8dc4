#include "process/last_resort.hpp"

#include <boost/asio/post.hpp>
#include <exception>
#include <utility>

namespace dynamo::process {

using std::chrono::steady_clock;

LastResort::LastResort(Dependencies dependencies)
    : dependencies_(std::move(dependencies)),
      timer_(dependencies_.thread.io(), steady_clock::time_point::max()) {}

// Uses the machine's clock, because it limits real waiting time.
void LastResort::arm(std::chrono::milliseconds limit) {
  const auto when = steady_clock::now() + limit;
  boost::asio::post(dependencies_.thread.io(), [this, when] {
    if (when >= timer_.expiry()) return;
    timer_.expires_at(when);
    timer_.async_wait([this](const boost::system::error_code& error) {
      if (!error) end("the shutdown took longer than its deadlines allow");
    });
  });
}

void LastResort::end(std::string_view why) {
  if (is_over_.exchange(true)) return;
  try {
    dependencies_.logger.log(
        runtime::Level::kError, "the process exits although tasks are stuck",
        {{"reason", why}, {"stuck", dependencies_.what_is_stuck()}, {"exit_code", kExitCode}});
  } catch (const std::exception&) {
    // Without memory for the log line, the process exits all the same.
  }
  if (dependencies_.end_process) dependencies_.end_process(kExitCode);
}

}  // namespace dynamo::process
