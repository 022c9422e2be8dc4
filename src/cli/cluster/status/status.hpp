// `kubectl dynamo status` as a program: reads, prints, and repeats both in watch mode.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <iosfwd>
#include <string>

#include "doctor/connect.hpp"
#include "kube/http/transport.hpp"
#include "runtime/clock.hpp"

namespace dynamo::cli::status {

struct StatusOptions {
  doctor::ClusterAddress cluster = {};
  std::string namespace_name = {};  // empty: the context's, else "default"
  bool all_namespaces = false;
  std::string name = {};  // empty: everything
  bool json = false;
  bool color = false;
  bool shows_all = false;  // see TextOptions
  bool watch = false;
  bool redraws = false;  // the output is a terminal that can be redrawn
  // From the end of one read to the start of the next.
  std::chrono::milliseconds interval{2'000};
  // For one read.
  std::chrono::milliseconds deadline{60'000};
};

// Prints to `out`, and one line to `err` if there is nothing to print. A watch ends with SIGINT or
// SIGTERM; if the output cannot be redrawn, it prints only after changes. Returns 0 if printed, 2
// if the cluster could not be queried or the object does not exist.
int run_status(const StatusOptions& options, const runtime::Clock& clock, std::ostream& out,
               std::ostream& err);

// The same with a given transport, which lives on `loop` and talks to `server`. Runs the loop.
int run_status(const StatusOptions& options, kube::Transport& transport,
               boost::asio::io_context& loop, const std::string& server,
               const runtime::Clock& clock, std::ostream& out, std::ostream& err);

}  // namespace dynamo::cli::status
