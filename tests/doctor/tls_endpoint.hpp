// A pod as seen by the doctor: performs a TLS handshake on the loopback network and answers once,
// or fails in the ways pods do.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "certs/certificate.hpp"

namespace dynamo::test {

enum class ResponseMode : std::uint8_t {
  kAnswers,
  kSaysNothing,      // handshake, then no response
  kHangsUp,          // handshake, then close
  kNoTls,            // answers with plain HTTP
  kNoHandshake,      // accepts, but sends nothing
  kWantsCertificate  // requires a client certificate
};

class TlsEndpoint {
 public:
  struct Behaviour {
    ResponseMode mode = ResponseMode::kAnswers;
    certs::KeyPair pair;
    int status = 404;
    std::chrono::system_clock::time_point time;  // Date of its responses
  };

  // Listens on its own port at 127.0.0.1 and serves on `loop`, which must outlive it.
  explicit TlsEndpoint(boost::asio::io_context& loop);
  ~TlsEndpoint();
  TlsEndpoint(TlsEndpoint&&) noexcept;
  TlsEndpoint& operator=(TlsEndpoint&&) = delete;

  unsigned short port() const;
  // Applies to connections from now on.
  Behaviour& behaviour();
  // Stops listening.
  void close();
  // The number of connections so far.
  std::size_t connections() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace dynamo::test
