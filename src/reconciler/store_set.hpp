// One store and one informer for each resource that some controller watches.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "aio/task_group.hpp"
#include "kube/client.hpp"
#include "kube/informer.hpp"
#include "kube/store.hpp"
#include "reconciler/controller.hpp"
#include "runtime/log.hpp"

namespace dynamo::reconciler {

// Resources of several controllers united: indexes of all, left out only what none reads.
Watched united(const Watched& left, const Watched& right);

// On the loop's thread.
class StoreSet final : public Stores {
 public:
  // Of one namespace, or of all when it is empty. `client` and `logger` outlive it.
  StoreSet(kube::Client& client, std::string namespace_name, const std::vector<Watched>& watched,
           runtime::Logger& logger);

  const kube::Store& at(const kube::Resource& resource) const override;
  kube::Store& at(const kube::Resource& resource);

  struct Kept {
    Kept(kube::Client& client, const Watched& watched, const std::string& namespace_name,
         runtime::Logger& logger);
    const std::string label_selector;
    kube::Store store;
    kube::Informer informer;
  };
  // By "GROUP/PLURAL".
  const std::map<std::string, std::unique_ptr<Kept>>& all() const { return kept_; }

  void start(aio::TaskGroup& tasks);

  // The API server's list of names and versions against what the stores hold, until no store is
  // behind it: a new leader decides nothing by what is old. Answers false when cancelled, or when
  // it took longer than `patience` of real time.
  aio::Task<bool> catch_up(std::chrono::milliseconds patience);

 private:
  kube::Client& client_;
  const std::string namespace_name_;
  std::map<std::string, std::unique_ptr<Kept>> kept_;
};

// Whether the store lacks something of the list, or has something that the list shows to be gone.
bool is_behind(const kube::Store& store, const kube::List& list);

}  // namespace dynamo::reconciler
