// Writes the CAs into every caBundle that is ours to keep, again whenever somebody changes one. One
// replica does it, the leader.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "certs/managed/bell.hpp"
#include "certs/managed/keeper.hpp"
#include "certs/managed/pace.hpp"
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
  // What became of the writes of one object, so that one that cannot be written holds up no other.
  struct Record {
    std::string object;
    Retry retry;
    Pace pace;
  };

  // Answers how long to wait for the bell afterwards.
  kube::Task<std::chrono::milliseconds> step();
  kube::Task<> write(std::vector<Target> due, std::string bundle_pem);
  kube::Task<bool> apply(Target target, std::string bundle_pem);
  std::vector<Target> differing(const std::string& bundle_pem) const;
  // Forgets what no longer matters.
  void tidy(const std::vector<Target>& due);
  bool may_write(Record& record);
  Record& record_of(const std::string& object);

  const Surroundings with_;
  View& view_;
  Bell bell_;
  Trouble trouble_;
  std::vector<Record> records_;
  bool is_leader_ = false;
};

}  // namespace dynamo::certs::managed
