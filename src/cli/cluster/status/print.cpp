#include "cli/cluster/status/print.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <tuple>

#include "json/report_writer.hpp"
#include "text/presentable.hpp"
#include "text/timestamp.hpp"

namespace dynamo::doctor::status {
namespace {

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

  void node(const StatusNode& each, const std::string& first, const std::string& rest,
            bool is_root) {
    out_ += first;
    if (is_shared(each) && !shared_.insert({each.kind, each.namespace_name, each.name}).second) {
      return reference(each);
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
    return each.kind == "DynamoModel" || each.kind == "DynamoCheckpoint";
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

}  // namespace

std::string text_of(const StatusTree& tree, TimePoint now, const TextOptions& options) {
  return Printer(now, options).print(tree);
}

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

}  // namespace dynamo::doctor::status
