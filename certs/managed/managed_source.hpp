// The certificate that a replica serves in managed mode, handed over by the SecretSynchronizer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "certs/managed/stats.hpp"
#include "certs/source.hpp"

namespace dynamo::certs::managed {

// Shared by the SecretSynchronizer, which writes it, and the source, which reads it, both on the
// loop's thread.
// Created first, because the source is needed before there is a cluster connection.
struct Handover {
  std::shared_ptr<const CheckedPair> pair;  // null: none yet
  // Why there is none, or why the newest is not in use; empty if it is.
  std::string problem = "there is no connection to a cluster yet";
  Stats stats;  // any thread
};

class ManagedSource final : public Source {
 public:
  explicit ManagedSource(std::shared_ptr<const Handover> handover)
      : handover_(std::move(handover)) {}

  bool poll() override {
    if (current_ == handover_->pair) return false;
    current_ = handover_->pair;
    return true;
  }
  std::shared_ptr<const CheckedPair> current() const override { return current_; }
  std::string problem() const override { return handover_->problem; }
  std::string directory() const override { return {}; }
  std::uint64_t errors() const override {
    return handover_->stats.refused.load(std::memory_order_relaxed);
  }

 private:
  const std::shared_ptr<const Handover> handover_;
  std::shared_ptr<const CheckedPair> current_;
};

}  // namespace dynamo::certs::managed
