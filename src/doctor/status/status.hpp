// `kubectl dynamo status` as a program: looks, shows, and looks again when it is to watch.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <iosfwd>
#include <string>

#include "doctor/connect.hpp"
#include "kube/transport.hpp"
#include "runtime/clock.hpp"

namespace dynamo::doctor::status {

struct StatusOptions {
  ClusterAddress cluster = {};
  std::string namespace_name = {};  // empty: that of the context, else "default"
  bool all_namespaces = false;
  std::string name = {};  // empty: everything
  bool json = false;
  bool color = false;
  bool shows_all = false;  // see TextOptions
  bool watch = false;
  bool redraws = false;  // the output is a terminal that can be drawn anew
  // Between the end of a look and the next one.
  std::chrono::milliseconds interval{2'000};
  // For one look.
  std::chrono::milliseconds deadline{60'000};
};

// Prints to `out`, and one line to `err` when there is nothing to print. A watch ends with SIGINT
// or SIGTERM; where the output cannot be redrawn it prints again only what has changed. 0: shown,
// 2: the cluster could not be asked, or there is no such object.
int run_status(const StatusOptions& options, const runtime::Clock& clock, std::ostream& out,
               std::ostream& err);

// The same by a transport, which lives on `loop` and belongs to `server`. Runs the loop.
int run_status(const StatusOptions& options, kube::Transport& transport,
               boost::asio::io_context& loop, const std::string& server,
               const runtime::Clock& clock, std::ostream& out, std::ostream& err);

}  // namespace dynamo::doctor::status
