#include "cli/cluster/status/status.hpp"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <exception>
#include <memory>
#include <optional>
#include <ostream>
#include <utility>

#include "cli/cluster/status/gather.hpp"
#include "cli/cluster/status/print.hpp"
#include "cli/cluster/status/tree.hpp"
#include "kube/http/http_transport.hpp"
#include "runtime/build_info.hpp"
#include "text/presentable.hpp"

namespace dynamo::doctor::status {
namespace {

constexpr int kShown = 0;
constexpr int kNotShown = 2;
constexpr std::size_t kPodsOfText = 10;
constexpr std::size_t kPodsOfJson = 100;
constexpr std::size_t kLongestLine = 1024;
// Moves the cursor home and clears from there on.
constexpr std::string_view kRedraw = "\033[H\033[J";
constexpr std::string_view kClear = "\033[2J";

void complain(std::ostream& err, std::string_view why) {
  std::string line;
  text::append_presentable(line, why, kLongestLine);
  err << "kubectl-dynamo: " << line << '\n';
}

// One read that may be abandoned at its deadline.
struct ReadState {
  bool is_over = false;
  std::optional<kube::Result<Snapshot>> result;
  std::exception_ptr defect;
};

class Program {
 public:
  Program(const StatusOptions& options, kube::Transport& transport, boost::asio::io_context& loop,
          std::string server, const runtime::Clock& clock, std::ostream& out, std::ostream& err)
      : options_(options),
        transport_(transport),
        loop_(loop),
        server_(std::move(server)),
        clock_(clock),
        out_(out),
        err_(err) {
    if (!options.all_namespaces) {
      query_.namespace_name = options.namespace_name.empty() ? "default" : options.namespace_name;
    }
    query_.name = options.name;
  }

  int run() {
    if (!options_.watch) {
      const auto seen = read_snapshot();
      return seen ? show(*seen) : failed(seen.error().text);
    }
    boost::asio::signal_set signals(loop_, SIGINT, SIGTERM);
    signals.async_wait([this](const boost::system::error_code& error, int) {
      if (error) return;
      is_reported_to_end_ = true;
      loop_.stop();
    });
    return watch();
  }

 private:
  // Runs until a signal, or until the output is closed. After the first successful read, a failure
  // is reported once and retried.
  int watch() {
    bool was_shown = false;
    while (!is_reported_to_end_ && out_) {
      const auto seen = read_snapshot();
      if (is_reported_to_end_) break;
      if (!seen || sees_nothing(*seen)) {
        if (!was_shown) return seen ? show(*seen) : failed(seen.error().text);
        report_once(seen ? make_tree(*seen, "", limits()).notes.front() : seen.error().text);
      } else {
        const StatusTree tree = make_tree(*seen, query_.name, limits());
        if (!was_shown && is_missing(tree)) return show(*seen);
        draw(tree, seen->now);
        was_shown = true;
        complaint_.clear();
      }
      loop_.restart();
      loop_.run_for(options_.interval);
    }
    return kShown;
  }

  kube::Result<Snapshot> read_snapshot() {
    const auto state = std::make_shared<ReadState>();
    boost::asio::co_spawn(loop_, gather(kube::Client(transport_), query_, clock_.wall()),
                          [this, state](std::exception_ptr defect, kube::Result<Snapshot> result) {
                            state->is_over = true;
                            state->defect = std::move(defect);
                            state->result.emplace(std::move(result));
                            if (current_ == state) loop_.stop();
                          });
    current_ = state;
    loop_.restart();
    loop_.run_for(options_.deadline);
    if (state->defect) std::rethrow_exception(state->defect);
    if (state->is_over) return *std::move(state->result);
    kube::Error error;
    error.failure = kube::FailureKind::kDeadline;
    error.text = server_ + " did not answer in time";
    return error;
  }

  // No kind could be read: the API server refuses, or the address is not an API server.
  static bool sees_nothing(const Snapshot& seen) {
    return std::ranges::none_of(seen.kinds,
                                [](const KindObjects& kind) { return kind.objects.has_value(); });
  }
  bool is_missing(const StatusTree& tree) const {
    return tree.roots.empty() && !query_.name.empty();
  }

  void report_once(const std::string& why) {
    if (complaint_ == why) return;
    complaint_ = why;
    complain(err_, why);
  }

  int failed(std::string_view why) {
    complain(err_, why);
    return kNotShown;
  }

  TreeLimits limits() const {
    TreeLimits limits;
    limits.pods = options_.json ? kPodsOfJson : kPodsOfText;
    return limits;
  }

  std::string place() const {
    return query_.namespace_name.empty() ? "in any namespace"
                                         : "in namespace " + query_.namespace_name;
  }

  int show(const Snapshot& seen) {
    const StatusTree tree = make_tree(seen, query_.name, limits());
    if (sees_nothing(seen)) {
      for (const std::string& each : tree.notes) complain(err_, each);
      return kNotShown;
    }
    if (is_missing(tree)) {
      for (const std::string& each : tree.notes) complain(err_, "not seen: " + each);
      return failed("must name an object of nvidia.com/v1alpha1; found none named \"" +
                    query_.name + "\" " + place());
    }
    print(tree, seen.now);
    return kShown;
  }

  void print(const StatusTree& tree, TimePoint now) {
    if (options_.json) {
      out_ << json_of(tree, server_, query_.namespace_name);
      return;
    }
    if (tree.roots.empty()) {
      std::string note = "nothing of nvidia.com/v1alpha1 ";
      if (!query_.name.empty()) note += "is named \"" + query_.name + "\" ";
      std::string line;
      text::append_presentable(line, note + place(), kLongestLine);
      out_ << line << '\n';
    }
    out_ << text_of(tree, now, {.color = options_.color, .shows_all = options_.shows_all});
  }

  // Redraws the terminal; otherwise prints only after a change.
  void draw(const StatusTree& tree, TimePoint now) {
    if (options_.redraws && !options_.json) {
      out_ << (last_.empty() ? kClear : "") << kRedraw;
      last_ = "drawn";
    } else {
      std::string line = json_of(tree, server_, query_.namespace_name);
      if (line == last_) return;
      if (!last_.empty() && !options_.json) out_ << '\n';
      last_ = std::move(line);
    }
    print(tree, now);
    out_.flush();
  }

  const StatusOptions& options_;
  kube::Transport& transport_;
  boost::asio::io_context& loop_;
  const std::string server_;
  const runtime::Clock& clock_;
  std::ostream& out_;
  std::ostream& err_;
  Query query_;
  std::string last_;
  std::string complaint_;
  std::shared_ptr<ReadState> current_;
  bool is_reported_to_end_ = false;
};

}  // namespace

int run_status(const StatusOptions& options, kube::Transport& transport,
               boost::asio::io_context& loop, const std::string& server,
               const runtime::Clock& clock, std::ostream& out, std::ostream& err) {
  return Program(options, transport, loop, server, clock, out, err).run();
}

int run_status(const StatusOptions& options, const runtime::Clock& clock, std::ostream& out,
               std::ostream& err) {
  auto config = find_cluster(options.cluster, clock);
  if (!config) {
    complain(err, config.error().text);
    return kNotShown;
  }
  StatusOptions asking = options;
  if (asking.namespace_name.empty()) asking.namespace_name = config->namespace_name;
  NoLog log;
  boost::asio::io_context loop;
  const std::string server = config->address();
  kube::HttpTransportOptions transport_options;
  transport_options.user_agent = runtime::user_agent("kubectl-dynamo");
  kube::HttpTransport transport(loop, *std::move(config), std::move(transport_options), clock, log);
  return run_status(asking, transport, loop, server, clock, out, err);
}

}  // namespace dynamo::doctor::status
