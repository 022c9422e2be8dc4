// A fake etcd: accepts every call, deletes nothing, and records which prefixes should be deleted.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <vector>

namespace dynamo::cases {

// Runs on the loop, which must outlive it, and answers while the loop runs. Throws
// std::runtime_error if no loopback port is available.
class EtcdListener {
 public:
  explicit EtcdListener(boost::asio::io_context& loop);
  ~EtcdListener();
  EtcdListener(const EtcdListener&) = delete;
  EtcdListener& operator=(const EtcdListener&) = delete;

  std::string url() const;
  // The prefixes of the keys to delete, in order.
  const std::vector<std::string>& prefixes() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace dynamo::cases
