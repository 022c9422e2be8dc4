// A store whose owner rebuilds derived state after each list and each event.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "kube/cache/informer.hpp"
#include "kube/cache/store.hpp"

namespace dynamo::kube {

// Base for state derived from all objects together, such as a lookup table for requests; handlers
// of a Store react to single objects. It is the handler of an Informer. The subclass keeps what
// changed() derives from an object. Used on the loop's thread.
class StoreFollower : public InformerHandler {
 public:
  ~StoreFollower() override = default;
  StoreFollower(const StoreFollower&) = delete;
  StoreFollower& operator=(const StoreFollower&) = delete;

  void replace(std::span<const Object> objects) final {
    store_.replace(objects);
    notify(Batch::kList);
  }
  void upsert(const Object& object) final {
    store_.upsert(object);
    notify(Batch::kEvent);
  }
  void remove(const Object& object) final {
    store_.remove(object);
    notify(Batch::kEvent);
  }
  void reached(std::string_view resource_version) final {
    store_.reached(resource_version);
    if (pending_) notify(*pending_);
  }

  const Resource& resource() const { return store_.resource(); }
  bool is_synced() const { return store_.is_synced(); }
  // See Store::is_complete().
  bool is_complete() const { return store_.is_complete(); }

 protected:
  enum class Batch : std::uint8_t { kList, kEvent };

  // `logger` outlives it.
  StoreFollower(const Resource& resource, StoreOptions options, runtime::Logger& logger)
      : store_(resource, std::move(options), logger) {
    store_.subscribe(listener_);
  }

  // See StoreHandler.
  virtual void changed(const StoreChange& change) = 0;
  virtual void ready(const ObjectKey& key) { static_cast<void>(key); }
  // Called after changed() for everything that the list or event changed, which may be nothing, and
  // after a redelivered change whose changed() had thrown. If applied() throws, it is called again
  // with the next version from the watch.
  virtual void applied(Batch what) = 0;

  Store& store() { return store_; }
  const Store& store() const { return store_; }

 private:
  class Listener final : public StoreHandler {
   public:
    explicit Listener(StoreFollower& follower) : follower_(follower) {}
    void changed(const StoreChange& change) override {
      follower_.changed(change);
      if (!follower_.pending_) follower_.pending_ = Batch::kEvent;
    }
    void ready(const ObjectKey& key) override { follower_.ready(key); }

   private:
    StoreFollower& follower_;
  };

  // A list whose call failed is repeated as a list, because a list implies more than an event.
  void notify(Batch what) {
    if (what == Batch::kList || !pending_) pending_ = what;
    applied(*pending_);
    pending_.reset();
  }

  std::optional<Batch> pending_;
  Listener listener_{*this};  // outlives the store
  Store store_;
};

}  // namespace dynamo::kube
