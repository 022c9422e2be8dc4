#include "tests/controller_cases/etcd_listener.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/system_error.hpp>
#include <charconv>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "tests/controller_cases/etcd_keys.hpp"

namespace dynamo::cases {
namespace {

using boost::asio::ip::tcp;

constexpr std::size_t kMaxBytes = std::size_t{64} << 10U;
constexpr std::string_view kAnswer =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
    "Connection: close\r\n\r\n{}";

std::size_t length_in(std::string_view head) {
  constexpr std::string_view kName = "Content-Length: ";
  const std::size_t at = head.find(kName);
  std::size_t length = 0;
  if (at == std::string_view::npos) return length;
  std::from_chars(head.data() + at + kName.size(), head.data() + head.size(), length);
  return length;
}

}  // namespace

struct EtcdListener::Impl {
  explicit Impl(boost::asio::io_context& loop)
      : acceptor(loop, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0)) {}

  tcp::acceptor acceptor;
  std::vector<std::string> prefixes;

  void note(std::string_view head, const std::string& body) {
    if (!head.starts_with("POST /v3/kv/txn ")) {
      return prefixes.push_back("asked for " + std::string(head.substr(0, head.find('\r'))));
    }
    prefixes.push_back(deleted_prefix(body));
  }

  boost::asio::awaitable<void> answer(tcp::socket socket) {
    std::string read;
    const std::size_t head =
        co_await boost::asio::async_read_until(socket, boost::asio::dynamic_buffer(read, kMaxBytes),
                                               "\r\n\r\n", boost::asio::use_awaitable);
    const std::size_t whole = head + length_in(std::string_view(read).substr(0, head));
    if (whole > kMaxBytes) co_return;
    if (read.size() < whole) {
      co_await boost::asio::async_read(socket, boost::asio::dynamic_buffer(read, kMaxBytes),
                                       boost::asio::transfer_exactly(whole - read.size()),
                                       boost::asio::use_awaitable);
    }
    note(std::string_view(read).substr(0, head), read.substr(head, whole - head));
    co_await boost::asio::async_write(socket, boost::asio::buffer(kAnswer),
                                      boost::asio::use_awaitable);
  }

  // While the acceptor is open.
  static boost::asio::awaitable<void> accept(std::shared_ptr<Impl> self) {
    while (self->acceptor.is_open()) {
      tcp::socket socket = co_await self->acceptor.async_accept(boost::asio::use_awaitable);
      try {
        co_await self->answer(std::move(socket));
      } catch (const std::runtime_error& broken) {
        self->prefixes.push_back(broken.what());
      }
    }
  }
};

EtcdListener::EtcdListener(boost::asio::io_context& loop) try
    : impl_(std::make_shared<Impl>(loop)) {
  boost::asio::co_spawn(loop, Impl::accept(impl_), boost::asio::detached);
} catch (const boost::system::system_error& error) {
  throw std::runtime_error(std::string("must listen on the loopback: ") + error.what());
}

EtcdListener::~EtcdListener() {
  impl_->acceptor.close();
}

std::string EtcdListener::url() const {
  return "http://127.0.0.1:" + std::to_string(impl_->acceptor.local_endpoint().port());
}

const std::vector<std::string>& EtcdListener::prefixes() const {
  return impl_->prefixes;
}

}  // namespace dynamo::cases
