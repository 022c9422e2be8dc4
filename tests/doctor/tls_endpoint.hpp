// A pod as the doctor sees it: it shakes hands on the loopback network and answers once, or fails
// to in the ways in which pods do.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "certs/certificate.hpp"

namespace dynamo::test {

enum class Manner : std::uint8_t {
  kAnswers,
  kSaysNothing,      // shakes hands, and leaves it at that
  kHangsUp,          // shakes hands, and closes
  kNoTls,            // answers by HTTP
  kNoHandshake,      // accepts, and says nothing
  kWantsCertificate  // of the client
};

class TlsEndpoint {
 public:
  struct Behaviour {
    Manner manner = Manner::kAnswers;
    certs::KeyPair pair;
    int status = 404;
    std::chrono::system_clock::time_point time;  // for its answers
  };

  // Listens on a port of its own at 127.0.0.1 and serves on `loop`, which must outlive it.
  explicit TlsEndpoint(boost::asio::io_context& loop);
  ~TlsEndpoint();
  TlsEndpoint(TlsEndpoint&&) noexcept;
  TlsEndpoint& operator=(TlsEndpoint&&) = delete;

  unsigned short port() const;
  // Of the connections from now on.
  Behaviour& behaviour();
  // Nobody is there any more.
  void close();
  // Connections so far.
  std::size_t connections() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace dynamo::test
