#include "tests/support/fake_server.hpp"

#include <cstddef>
#include <sstream>

#include "json/writer.hpp"
#include "text/timestamp.hpp"

namespace dynamo::test {
namespace {

std::string_view verb_in_words(const Call& call, const Address& address) {
  switch (call.method) {
    case kube::HttpMethod::kGet:
      if (call.is_watch()) return "watch";
      return address.name.empty() ? "list" : "get";
    case kube::HttpMethod::kPost:
      return "create";
    case kube::HttpMethod::kPut:
      return "update";
    case kube::HttpMethod::kPatch:
      return "patch";
    case kube::HttpMethod::kDelete:
      return "delete";
  }
  return "";
}

std::optional<std::string> line_for(const Channel& channel, const Change& change) {
  if (channel.collection != change.collection) return std::nullopt;
  const bool fitted = change.before && channel.selection.fits(*change.before);
  const bool fits = change.after && channel.selection.fits(*change.after);
  if (!fitted && !fits) return std::nullopt;
  Tree object = fits ? *change.after : *change.before;
  object["metadata"]["resourceVersion"] = Tree::string(std::to_string(change.version));
  if (channel.partial) object = metadata_only(object);
  return event_line(!fits ? "DELETED" : fitted ? "MODIFIED" : "ADDED", object);
}

}  // namespace

kube::Error error_of(kube::FailureKind failure, std::string text) {
  kube::Error error;
  error.failure = failure;
  error.text = std::move(text);
  return error;
}

void Channel::push(std::string line) {
  if (end || silent) return;
  lines.push_back(std::move(line));
  arrival.cancel();
}

void Channel::finish(kube::Error how) {
  if (end) return;
  end = std::move(how);
  arrival.cancel();
}

std::string event_line(std::string_view type, const Tree& object) {
  std::string line;
  json::Writer(line)
      .start_object()
      .member("type", type)
      .key("object")
      .raw(object.to_text())
      .end_object();
  return line;
}

std::string expired_line() {
  return "{\"type\":\"ERROR\",\"object\":" +
         refusal(410, "Expired", "too old resource version").body + "}";
}

FakeCluster::Server::Server(const runtime::Clock* the_clock)
    : clock(the_clock),
      store([this](const Change& change) { deliver(change); }, [this] { return now(); }) {}

std::string FakeCluster::Server::now() const {
  return clock == nullptr ? "2026-01-01T00:00:00Z" : text::format_timestamp(clock->wall());
}

bool FakeCluster::Server::reaches(const std::string& client) const {
  return std::ranges::none_of(
      unreachable, [&](const std::string& name) { return name.empty() || name == client; });
}

std::optional<Fault> FakeCluster::Server::fault_for(const Call& call) {
  for (auto planned = faults.begin(); planned != faults.end(); ++planned) {
    if (!planned->match.fits(call)) continue;
    Fault fault = planned->fault;
    if (--planned->times == 0) faults.erase(planned);
    return fault;
  }
  return std::nullopt;
}

void FakeCluster::Server::act_before(const Call& call) {
  for (auto action = actions.begin(); action != actions.end(); ++action) {
    if (!action->match.fits(call)) continue;
    const auto run = std::move(action->run);
    actions.erase(action);
    run();
    return;
  }
}

bool FakeCluster::Server::is_forbidden(std::string_view verb, std::string_view plural) const {
  return std::ranges::any_of(
      forbidden, [&](const auto& right) { return right.first == verb && right.second == plural; });
}

void FakeCluster::Server::deliver(const Change& change) {
  each({}, [&](Channel& channel) {
    if (auto line = line_for(channel, change)) channel.push(std::move(*line));
  });
}

Answer FakeCluster::Server::answer(const Call& call) {
  const Address address = Address::of(call.target);
  if (call.method == kube::HttpMethod::kGet && address.path == "/version") return version();
  if (call.method == kube::HttpMethod::kGet && address.path == "/apis")
    return discovery(call.accept);
  if (!address.is_resource()) {
    return refusal(404, "NotFound", "the server could not find the requested resource");
  }
  if (address.plural == "selfsubjectaccessreviews") return access_review(call.body);
  const std::string_view verb = verb_in_words(call, address);
  if (is_forbidden(verb, address.plural)) {
    return refusal(403, "Forbidden",
                   address.plural + " is forbidden: User \"" + call.client + "\" cannot " +
                       std::string(verb) + " resource \"" + address.plural + "\"");
  }
  return store.handle(call.method, address, call.accept, call.content_type, call.body, call.client);
}

Answer FakeCluster::Server::version() const {
  Answer answer;
  json::Writer(answer.body)
      .start_object()
      .member("major", major)
      .member("minor", minor)
      .member("gitVersion", "v" + major + "." + minor + ".0")
      .end_object();
  return answer;
}

Answer FakeCluster::Server::discovery(const std::string& accept) const {
  const bool whole = aggregated && accept.find("as=APIGroupDiscoveryList") != std::string::npos;
  Answer answer;
  json::Writer writer(answer.body);
  writer.start_object().member("kind", whole ? "APIGroupDiscoveryList" : "APIGroupList");
  writer.member("apiVersion", whole ? "apidiscovery.k8s.io/v2" : "v1");
  writer.key(whole ? "items" : "groups").start_array();
  for (const std::string& entry : groups) {
    const std::size_t slash = entry.find('/');
    const std::string group = entry.substr(0, slash);
    std::istringstream versions(slash == std::string::npos ? "v1" : entry.substr(slash + 1));
    writer.start_object();
    if (whole) {
      writer.key("metadata").start_object().member("name", group).end_object();
    } else {
      writer.member("name", group);
    }
    writer.key("versions").start_array();
    for (std::string version; std::getline(versions, version, ',');) {
      writer.start_object().member("version", version);
      if (whole) {
        writer.key("resources").start_array().end_array();
      } else {
        writer.member("groupVersion", group + "/" + version);
      }
      writer.end_object();
    }
    writer.end_array().end_object();
  }
  writer.end_array().end_object();
  return answer;
}

Answer FakeCluster::Server::access_review(const std::string& body) const {
  Tree review = Tree::parse(body);
  const bool allowed = !is_forbidden(review.at({"spec", "resourceAttributes", "verb"}),
                                     review.at({"spec", "resourceAttributes", "resource"}));
  Tree& value = review["status"]["allowed"];
  value.type = json::Type::kBoolean;
  value.integer = allowed ? 1 : 0;
  return {201, review.to_text()};
}

// Opens a watch: returns a channel with the changes since the given version, or an error response.
std::variant<std::shared_ptr<Channel>, Answer> FakeCluster::Server::open_watch(
    const Call& call, boost::asio::any_io_executor executor) {
  const Address address = Address::of(call.target);
  if (is_forbidden("watch", address.plural)) {
    return refusal(403, "Forbidden",
                   address.plural + " is forbidden: User \"" + call.client +
                       "\" cannot watch resource \"" + address.plural + "\"");
  }
  auto selection = Selection::of(address);
  if (!selection) return refusal(400, "BadRequest", "the selector is not supported");
  auto channel = std::make_shared<Channel>(executor, call, std::move(*selection));
  channel->collection = address.collection();
  channel->partial = call.accept.find("as=PartialObjectMetadata") != std::string::npos;
  channel->bookmarks = address.option("allowWatchBookmarks") == "true";

  const std::string from = address.option("resourceVersion");
  if (from.empty() || from == "0") {
    for (const Tree& object : store.all(channel->collection)) {
      if (!channel->selection.fits(object)) continue;
      channel->push(event_line("ADDED", channel->partial ? metadata_only(object) : object));
    }
  } else if (const auto changes = store.since(std::stoull(from))) {
    for (const Change& change : *changes) {
      if (auto line = line_for(*channel, change)) channel->push(std::move(*line));
    }
  } else if (expired_in_event) {
    channel->push(expired_line());
    channel->finish(error_of(kube::FailureKind::kClosed, "the watch has ended"));
  } else {
    return refusal(410, "Expired", "too old resource version: " + from);
  }
  channels.push_back(channel);
  return channel;
}

}  // namespace dynamo::test
