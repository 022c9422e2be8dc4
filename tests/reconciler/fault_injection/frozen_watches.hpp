// Watches of the API server that stop delivering events: which ones, and when.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "aio/pause.hpp"
#include "aio/task.hpp"
#include "kube/http/cancellable.hpp"
#include "kube/http/transport.hpp"

namespace dynamo::reconciler {

// "deployments" for "/apis/apps/v1/namespaces/ml/deployments/g-work/status?...", or for the path of
// a list.
inline std::string plural_of(const std::string& target) {
  const std::string spaces = "/namespaces/";
  const std::string path = target.substr(0, target.find('?'));
  const std::size_t space = path.find(spaces);
  if (space == std::string::npos) return path.substr(path.rfind('/') + 1);
  const std::size_t begin = path.find('/', space + spaces.size()) + 1;
  return path.substr(begin, path.find('/', begin) - begin);
}

// Controls which watches are frozen, by plural.
class WatchFreezer {
 public:
  // Freezes the watch after this many more events.
  void freeze(const std::string& plural, int after = 0) { left_[plural] = after; }
  // Freezes the watch at our next write of this kind, so that it does not show the write.
  void freeze_at_write(const std::string& plural) { at_write_ = plural; }
  void thaw() { left_.clear(); }
  bool holds(const std::string& plural) const {
    const auto left = left_.find(plural);
    return left != left_.end() && left->second == 0;
  }
  void note_event(const std::string& plural) {
    ++events_of[plural];
    const auto left = left_.find(plural);
    if (left != left_.end()) --left->second;
  }
  void note_write(const std::string& plural) {
    if (plural == at_write_) freeze(std::exchange(at_write_, std::string()));
    if (holds(plural)) ++unseen_[plural];
  }
  int unseen_writes(const std::string& plural) const {
    const auto unseen = unseen_.find(plural);
    return unseen == unseen_.end() ? 0 : unseen->second;
  }

  std::map<std::string, int> events_of;

 private:
  std::map<std::string, int> left_;
  std::map<std::string, int> unseen_;
  std::string at_write_;
};

class FreezableStream final : public kube::Stream {
 public:
  FreezableStream(std::unique_ptr<kube::Stream> inner, std::string plural, WatchFreezer& freezer)
      : inner_(std::move(inner)), plural_(std::move(plural)), freezer_(freezer) {}
  aio::Task<kube::Result<std::string>> next_line(std::chrono::milliseconds idle) override {
    auto line = co_await inner_->next_line(idle);
    while (freezer_.holds(plural_)) {
      const bool waited = co_await aio::pause(std::chrono::milliseconds(5));
      if (!waited) co_return kube::cancelled_error();
    }
    freezer_.note_event(plural_);
    co_return line;
  }

 private:
  const std::unique_ptr<kube::Stream> inner_;
  const std::string plural_;
  WatchFreezer& freezer_;
};

class FreezableTransport final : public kube::Transport {
 public:
  FreezableTransport(std::unique_ptr<kube::Transport> inner, WatchFreezer& freezer)
      : inner_(std::move(inner)), freezer_(freezer) {}
  aio::Task<kube::Result<kube::Response>> send(kube::Request request) override {
    if (request.method != kube::HttpMethod::kGet) freezer_.note_write(plural_of(request.target));
    return inner_->send(std::move(request));
  }
  aio::Task<kube::Result<std::unique_ptr<kube::Stream>>> open(kube::Request request) override {
    const std::string plural = plural_of(request.target);
    auto opened = co_await inner_->open(std::move(request));
    if (!opened) co_return opened;
    std::unique_ptr<kube::Stream> stream =
        std::make_unique<FreezableStream>(*std::move(opened), plural, freezer_);
    co_return stream;
  }

 private:
  const std::unique_ptr<kube::Transport> inner_;
  WatchFreezer& freezer_;
};

}  // namespace dynamo::reconciler
