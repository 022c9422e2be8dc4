// Passes each request to the handler that knows its path.
#pragma once

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "server/handler.hpp"

namespace dynamo::webhook {

// One per event loop, like its handlers.
class RequestDispatcher final : public server::RequestHandler {
 public:
  // The first handler that knows a path gets its requests.
  explicit RequestDispatcher(std::vector<std::unique_ptr<server::RequestHandler>> handlers)
      : handlers_(std::move(handlers)) {}

  bool knows(std::string_view path) const override { return find(path) != handlers_.end(); }

  void handle(const server::HttpRequest& request, server::HttpAnswer& answer) override {
    (*find(request.path))->handle(request, answer);
  }

 private:
  using Handlers = std::vector<std::unique_ptr<server::RequestHandler>>;

  Handlers::const_iterator find(std::string_view path) const {
    return std::ranges::find_if(handlers_,
                                [path](const auto& handler) { return handler->knows(path); });
  }

  Handlers handlers_;
};

}  // namespace dynamo::webhook
