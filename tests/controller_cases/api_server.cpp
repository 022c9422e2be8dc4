#include "tests/controller_cases/api_server.hpp"

#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <chrono>

namespace dynamo::cases {
namespace {

constexpr std::chrono::seconds kForCall{10};
constexpr std::chrono::seconds kForProgram{60};
constexpr std::size_t kMaxOutput = std::size_t{1} << 20U;
constexpr int kMaxNamespaces = 1000;

}  // namespace

template <typename T>
T ApiServer::run(aio::Task<T> task) {
  std::optional<T> result;
  std::exception_ptr failure;
  bool done = false;
  const auto keep = [](aio::Task<T> inner, std::optional<T>& into) -> aio::Task<> {
    into.emplace(co_await std::move(inner));
  };
  boost::asio::co_spawn(loop_, keep(std::move(task), result),
                        [&](const std::exception_ptr& thrown) {
                          failure = thrown;
                          done = true;
                        });
  loop_.restart();
  while (!done && loop_.run_one() > 0) {
  }
  if (failure) std::rethrow_exception(failure);
  if (!result) throw std::runtime_error("a call to the API server did not end");
  return *std::move(result);
}

ApiServer::ApiServer(kube::ConnectionConfig config)
    : transport_(loop_, std::move(config), options(), clock_, log_),
      client_(transport_, kForCall) {}

kube::HttpTransportOptions ApiServer::options() {
  kube::HttpTransportOptions options;
  options.user_agent = "controller-cases/1";
  return options;
}

Object ApiServer::find(const kube::Resource& resource, const std::string& space,
                       const std::string& name) {
  const auto found = run(client_.get(resource, space, name));
  if (found) return copy_of(found->root());
  if (!found.error().is("NotFound")) throw std::runtime_error(found.error().text);
  return Object();
}

kube::Result<kube::Object> ApiServer::create(const kube::Resource& resource,
                                             const std::string& space, const Value& body) {
  return run(client_.create(resource, space, text_of(body)));
}

kube::Result<kube::Object> ApiServer::merge(const kube::Resource& resource,
                                            const std::string& space, const std::string& name,
                                            std::string patch, const std::string& subresource) {
  kube::WriteOptions options;
  options.subresource = subresource;
  return run(
      client_.patch(resource, space, name, kube::PatchType::kMerge, std::move(patch), options));
}

kube::Result<void> ApiServer::remove(const kube::Resource& resource, const std::string& space,
                                     const std::string& name) {
  return run(client_.remove(resource, space, name));
}

std::optional<kube::List> ApiServer::listed(const kube::Resource& resource,
                                            const std::string& space) {
  auto found = run(client_.list(resource, space));
  if (found) return *std::move(found);
  if (!found.error().is("NotFound")) throw std::runtime_error(found.error().text);
  return std::nullopt;
}

std::vector<Object> ApiServer::list(const kube::Resource& resource, const std::string& space) {
  std::vector<Object> objects;
  const auto found = listed(resource, space);
  if (!found) return objects;
  for (const kube::Object& each : found->items) objects.push_back(copy_of(each.root()));
  return objects;
}

bool ApiServer::serves(const kube::Resource& resource) {
  const std::string key = resource.api_version() + " " + std::string(resource.plural);
  const auto known = served_.find(key);
  if (known != served_.end()) return known->second;
  const bool served = listed(resource, "default").has_value();
  served_.emplace(key, served);
  return served;
}

aio::ChildResult ApiServer::run_program(std::vector<std::string> words) {
  aio::ChildCommand command;
  command.words = std::move(words);
  command.deadline = kForProgram;
  command.limit = kMaxOutput;
  return run(aio::run_child(loop_.get_executor(), std::move(command)));
}

std::string ApiServer::new_namespace(const std::string& label) {
  const std::size_t equals = label.find('=');
  for (int i = 0; i < kMaxNamespaces; ++i) {
    const std::string space = "case-" + std::to_string(getpid()) + "-" + std::to_string(i);
    std::string body = R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")";
    body += space + '"';
    if (equals != std::string::npos) {
      body +=
          R"(,"labels":{")" + label.substr(0, equals) + "\":\"" + label.substr(equals + 1) + "\"}";
    }
    const auto made = create(kube::kNamespaces, "", parsed(body + "}}"));
    if (made) return space;
    if (!made.error().is("AlreadyExists")) throw std::runtime_error(made.error().text);
  }
  throw std::runtime_error("must find a free name for a namespace");
}

}  // namespace dynamo::cases
