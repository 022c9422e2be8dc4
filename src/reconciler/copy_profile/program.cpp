#include "reconciler/copy_profile/program.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <exception>
#include <memory>
#include <optional>

#include "reconciler/copy_profile/profile_copier.hpp"
#include "runtime/result.hpp"

namespace dynamo::reconciler::copy_profile {
namespace {

using CopyOutcome = std::optional<runtime::Result<void>>;

constexpr int kFirstSignalCode = 128;

aio::Task<> copy_into(ProfileCopier& copier, CopyOutcome& outcome) {
  outcome.emplace(co_await copier.run());
}

}  // namespace

int run_copier(const Options& options, const Dependencies& dependencies) {
  runtime::Logger& logger = dependencies.logger;
  boost::asio::io_context loop;
  int code = 1;
  boost::asio::signal_set signals(loop, SIGTERM, SIGINT);
  signals.async_wait([&](const boost::system::error_code& error, int number) {
    if (error) return;
    logger.log(runtime::Level::kWarning, "stopped by a signal; the output was not copied",
               {{"request", options.request}, {"signal", number}});
    code = kFirstSignalCode + number;
    if (dependencies.end_process) dependencies.end_process(code);
    loop.stop();
  });
  const std::unique_ptr<kube::Transport> transport = dependencies.connect(loop);
  ProfileCopier copier(options, *transport, dependencies.clock, logger);
  CopyOutcome outcome;
  std::exception_ptr defect;
  boost::asio::co_spawn(loop, copy_into(copier, outcome), [&](const std::exception_ptr& thrown) {
    defect = thrown;
    loop.stop();  // unused connections count as work
  });
  loop.run();
  if (defect) std::rethrow_exception(defect);
  if (!outcome) return code;
  if (*outcome) return 0;
  logger.log(runtime::Level::kError, "output of the profiler not copied",
             {{"request", options.request}, {"reason", outcome->error().text}});
  return 1;
}

}  // namespace dynamo::reconciler::copy_profile
