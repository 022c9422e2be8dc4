// Stands where the etcd of services would: takes every call, deletes nothing, and keeps of whose
// keys it was told to.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <vector>

namespace dynamo::cases {

// On the loop, which must outlive it; it answers while the loop turns. Throws std::runtime_error
// when no port of the loopback can be had.
class EtcdListener {
 public:
  explicit EtcdListener(boost::asio::io_context& loop);
  ~EtcdListener();
  EtcdListener(const EtcdListener&) = delete;
  EtcdListener& operator=(const EtcdListener&) = delete;

  std::string url() const;
  // Of the keys that were to be deleted, in order.
  const std::vector<std::string>& prefixes() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace dynamo::cases
