#include "cli/cluster/status/status.hpp"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <exception>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "cli/cluster/status/snapshot.hpp"
#include "cli/cluster/status/tree.hpp"
#include "json/report_writer.hpp"
#include "kube/http/http_transport.hpp"
#include "runtime/build_info.hpp"
#include "text/presentable.hpp"
#include "text/timestamp.hpp"

namespace dynamo::cli::status {
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

// Prints the tree as text and as JSON.
struct TextOptions {
  bool color = false;
  // Also prints healthy conditions and normal events; otherwise only those that report trouble.
  bool shows_all = false;
};

constexpr std::size_t kLongestName = 253;
constexpr std::size_t kLongestText = 400;

constexpr std::string_view kRed = "\033[31m";
constexpr std::string_view kGreen = "\033[32m";
constexpr std::string_view kYellow = "\033[33m";
constexpr std::string_view kDim = "\033[2m";
constexpr std::string_view kPlain = "\033[0m";

std::string_view color_of(Health health) {
  switch (health) {
    case Health::kGood:
      return kGreen;
    case Health::kWaiting:
      return kYellow;
    case Health::kBad:
      return kRed;
    case Health::kUnknown:
      break;
  }
  return kDim;
}

std::string_view color_of(kube::ConditionStatus status) {
  if (status == kube::ConditionStatus::kTrue) return kGreen;
  return status == kube::ConditionStatus::kFalse ? kRed : kYellow;
}

std::string_view word_for(std::string_view kind) {
  if (kind == "DynamoGraphDeploymentScalingAdapter") return "adapter";
  if (kind == "DynamoModel") return "model";
  if (kind == "DynamoCheckpoint") return "checkpoint";
  if (kind == "DynamoGraphDeployment") return "graph";
  if (kind == "Job") return "job";
  if (kind == "Pod") return "pod";
  return "service";
}

class Printer {
 public:
  Printer(TimePoint now, const TextOptions& options) : now_(now), options_(options) {}

  std::string print(const StatusTree& tree) {
    for (const TerminatingNamespace& each : tree.terminating_namespaces) terminating(each);
    for (const StatusNode& each : tree.roots) {
      node(each, "", "", true);
    }
    if (tree.omitted_roots > 0) {
      out_ +=
          "and " + std::to_string(tree.omitted_roots) + " more objects: name one, or a namespace\n";
    }
    for (const std::string& each : tree.notes) {
      out_ += "not seen: ";
      text::append_presentable(out_, each, kLongestText);
      out_ += '\n';
    }
    return std::move(out_);
  }

 private:
  void painted(std::string_view color, std::string_view text, std::size_t longest) {
    if (options_.color) out_ += color;
    text::append_presentable(out_, text, longest);
    if (options_.color) out_ += kPlain;
  }

  std::string age(TimePoint then) const {
    return text::format_age(std::max(now_ - then, TimePoint::duration::zero()));
  }

  // "for 12m" of a Job that runs, otherwise "after 12m".
  std::string duration(const StatusNode& job) const {
    if (!job.ended) return "for " + age(*job.started);
    return "after " +
           text::format_age(std::max(*job.ended - *job.started, TimePoint::duration::zero()));
  }

  void node(const StatusNode& each, const std::string& first, const std::string& rest,
            bool is_root) {
    out_ += first;
    if (is_shared(each)) {
      const bool is_new = shared_.insert({each.kind, each.namespace_name, each.name}).second;
      if (!is_new && !is_root) return reference(each);
    }
    headline(each, is_root);
    const bool has_more = each.omitted_pods > 0;
    const std::string bar = each.children.empty() && !has_more ? "  " : "│ ";
    if (each.is_stale()) {
      out_ += rest + bar;
      stale_line(each);
    }
    for (const kube::Condition& condition : each.conditions) {
      if (!options_.shows_all && is_as_expected(condition)) continue;
      out_ += rest + bar;
      condition_line(condition);
    }
    for (const EventSummary& event : each.events) {
      if (!options_.shows_all && !event.is_warning) continue;
      out_ += rest + bar;
      event_line(event);
    }
    for (std::size_t i = 0; i < each.children.size(); ++i) {
      const bool is_last = i + 1 == each.children.size() && !has_more;
      node(each.children[i], rest + (is_last ? "└─ " : "├─ "), rest + (is_last ? "   " : "│  "),
           false);
    }
    if (!has_more) return;
    out_ += rest + "└─ and " + std::to_string(each.omitted_pods) + " more pods: ";
    text::append_presentable(out_, each.omitted_states, kLongestText);
    out_ += '\n';
  }

  static bool is_shared(const StatusNode& each) {
    return each.kind == "DynamoModel" || each.kind == "DynamoCheckpoint" ||
           each.kind == "DynamoGraphDeployment";
  }

  void reference(const StatusNode& each) {
    out_ += word_for(each.kind);
    out_ += ' ';
    text::append_presentable(out_, each.name, kLongestName);
    out_ += ": as above\n";
  }

  void terminating(const TerminatingNamespace& space) {
    out_ += "namespace ";
    text::append_presentable(out_, space.name, kLongestName);
    out_ += ": ";
    painted(kYellow, "terminating", kLongestName);
    if (space.since) out_ += " for " + age(*space.since);
    out_ += ": its objects are being deleted, and new ones are refused";
    if (!space.message.empty()) {
      out_ += "; ";
      text::append_presentable(out_, space.message, kLongestText);
    }
    out_ += '\n';
  }

  void stale_line(const StatusNode& each) {
    painted(kYellow, "status is stale", kLongestName);
    out_ += ": it is of generation " + std::to_string(each.observed_generation) +
            " and the spec of " + std::to_string(each.generation) +
            "; no controller has reconciled the last change (see `kubectl dynamo doctor`)\n";
  }

  void headline(const StatusNode& each, bool is_root) {
    out_ += is_root ? each.kind : word_for(each.kind);
    out_ += ' ';
    if (is_root) {
      text::append_presentable(out_, each.namespace_name, kLongestName);
      out_ += '/';
    }
    text::append_presentable(out_, each.name, kLongestName);
    out_ += ": ";
    std::string_view state = each.state;
    if (state.empty()) state = each.detail.empty() ? "no status yet" : "";
    painted(color_of(each.shown_health()), state, kLongestName);
    if (each.started) out_ += " " + duration(each);
    if (!each.detail.empty()) {
      if (!state.empty()) out_ += ", ";
      text::append_presentable(out_, each.detail, kLongestText);
    }
    if (each.created) out_ += ", " + age(*each.created) + " old";
    out_ += '\n';
  }

  void condition_line(const kube::Condition& condition) {
    text::append_presentable(out_, condition.type, kLongestName);
    out_ += '=';
    painted(color_of(condition.status), kube::to_string(condition.status), kLongestName);
    if (!condition.reason.empty()) {
      out_ += ' ';
      text::append_presentable(out_, condition.reason, kLongestName);
    }
    if (condition.transition != TimePoint{}) out_ += " for " + age(condition.transition);
    if (!condition.message.empty()) {
      out_ += ": ";
      text::append_presentable(out_, condition.message, kLongestText);
    }
    out_ += '\n';
  }

  void event_line(const EventSummary& event) {
    painted(event.is_warning ? kYellow : kDim, event.is_warning ? "Warning" : "Normal",
            kLongestName);
    out_ += ' ';
    text::append_presentable(out_, event.reason, kLongestName);
    if (event.last != TimePoint{}) out_ += " " + age(event.last) + " ago";
    if (event.count > 1) out_ += ", " + std::to_string(event.count) + " times";
    if (!event.note.empty()) {
      out_ += ": ";
      text::append_presentable(out_, event.note, kLongestText);
    }
    out_ += '\n';
  }

  const TimePoint now_;
  const TextOptions options_;
  std::set<std::tuple<std::string_view, std::string_view, std::string_view>> shared_;
  std::string out_;
};

void write_time(json::ReportWriter& writer, std::string_view name, TimePoint time) {
  if (time != TimePoint{}) writer.member(name, text::format_timestamp(time));
}

void write_conditions(json::ReportWriter& writer, std::span<const kube::Condition> conditions) {
  writer.key("conditions").start_array();
  for (const kube::Condition& each : conditions) {
    writer.start_object()
        .member("type", each.type)
        .member("status", kube::to_string(each.status))
        .member("reason", each.reason)
        .member("message", each.message);
    write_time(writer, "lastTransitionTime", each.transition);
    writer.end_object();
  }
  writer.end_array();
}

void write_events(json::ReportWriter& writer, std::span<const EventSummary> events) {
  writer.key("events").start_array();
  for (const EventSummary& each : events) {
    writer.start_object()
        .member("type", each.is_warning ? "Warning" : "Normal")
        .member("reason", each.reason)
        .member("note", each.note);
    writer.key("count").integer(each.count);
    write_time(writer, "last", each.last);
    writer.end_object();
  }
  writer.end_array();
}

void write_node(json::ReportWriter& writer, const StatusNode& node) {
  writer.start_object()
      .member("kind", node.kind)
      .member("namespace", node.namespace_name)
      .member("name", node.name)
      .member("state", node.state)
      .member("health", to_string(node.shown_health()))
      .member("detail", node.detail);
  if (node.created) write_time(writer, "created", *node.created);
  if (node.started) write_time(writer, "started", *node.started);
  if (node.ended) write_time(writer, "ended", *node.ended);
  if (node.observed_generation != 0) {
    writer.key("generation").integer(node.generation);
    writer.key("observedGeneration").integer(node.observed_generation);
    writer.key("stale").boolean(node.is_stale());
  }
  if (!node.conditions.empty()) write_conditions(writer, node.conditions);
  if (!node.events.empty()) write_events(writer, node.events);
  if (!node.children.empty()) {
    writer.key("children").start_array();
    for (const StatusNode& each : node.children) write_node(writer, each);
    writer.end_array();
  }
  if (node.omitted_pods > 0) {
    writer.key("omittedPods").integer(static_cast<std::int64_t>(node.omitted_pods));
    writer.member("omittedStates", node.omitted_states);
  }
  writer.end_object();
}

// For users. Text from the cluster is escaped for terminals and limited in length. Ages count from
// `now`. A model or checkpoint that several graphs share is printed in full below the first one
// only, and a graph of a request only once.
std::string text_of(const StatusTree& tree, TimePoint now, const TextOptions& options) {
  return Printer(now, options).print(tree);
}

// One object on one line. Deterministic for a tree: it contains times, not ages.
std::string json_of(const StatusTree& tree, std::string_view server,
                    std::string_view namespace_name) {
  std::string out;
  json::ReportWriter writer(out);
  writer.start_object().member("server", server).member("namespace", namespace_name);
  writer.key("objects").start_array();
  for (const StatusNode& each : tree.roots) write_node(writer, each);
  writer.end_array();
  if (!tree.terminating_namespaces.empty()) {
    writer.key("terminatingNamespaces").start_array();
    for (const TerminatingNamespace& each : tree.terminating_namespaces) writer.string(each.name);
    writer.end_array();
  }
  writer.key("omittedObjects").integer(static_cast<std::int64_t>(tree.omitted_roots));
  writer.key("notSeen").start_array();
  for (const std::string& each : tree.notes) writer.string(each);
  writer.end_array().end_object();
  return out + '\n';
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
  auto config = doctor::find_cluster(options.cluster, clock);
  if (!config) {
    complain(err, config.error().text);
    return kNotShown;
  }
  StatusOptions asking = options;
  if (asking.namespace_name.empty()) asking.namespace_name = config->namespace_name;
  doctor::NoLog log;
  boost::asio::io_context loop;
  const std::string server = config->address();
  kube::HttpTransportOptions transport_options;
  transport_options.user_agent = runtime::user_agent("kubectl-dynamo");
  kube::HttpTransport transport(loop, *std::move(config), std::move(transport_options), clock, log);
  return run_status(asking, transport, loop, server, clock, out, err);
}

}  // namespace dynamo::cli::status
