// Writes the CAs into every caBundle that is ours to keep, again whenever somebody changes one. One
// replica does it, the leader.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "certs/managed/bell.hpp"
#include "certs/managed/keeper.hpp"
#include "certs/managed/settings.hpp"
#include "certs/managed/trouble.hpp"
#include "certs/managed/view.hpp"

namespace dynamo::certs::managed {

// Under which server-side apply owns the caBundles, and nothing else of these objects.
inline constexpr std::string_view kInjectorManager = "dynamo-webhook-ca-injector";

// On the loop's thread.
class Injector {
 public:
  Injector(const Surroundings& surroundings, View& view);

  // Until it is cancelled.
  kube::Task<> run();
  void ring() { bell_.ring(); }
  void set_leader(bool is_leader) {
    is_leader_ = is_leader;
    bell_.ring();
  }

 private:
  // How often one object was written lately: somebody else may write it as stubbornly.
  struct Pace {
    std::string object;
    std::chrono::steady_clock::time_point window;
    unsigned writes = 0;
    bool is_told = false;
  };

  kube::Task<bool> step();
  kube::Task<bool> apply(Target target, std::string bundle_pem);
  bool may_write(const std::string& object);
  void note_written(const std::string& object);
  Pace* find(const std::string& object);

  const Surroundings with_;
  View& view_;
  Bell bell_;
  Backoff backoff_;
  Trouble trouble_;
  std::vector<Pace> paces_;
  bool is_leader_ = false;
};

}  // namespace dynamo::certs::managed
