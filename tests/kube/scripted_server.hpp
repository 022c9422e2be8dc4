// An HTTP server on loopback that executes a test's script, byte by byte: one script and one thread
// per connection. Every wait ends after ten seconds, so that no test can hang.
#pragma once

#include <openssl/ssl.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "certs/certificate.hpp"

namespace dynamo::test {

// The server's side of one connection. Blocking; a broken connection ends the script.
class Peer {
 public:
  Peer(int socket, SSL_CTX* context);
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  bool shake_hands();  // without TLS it returns true immediately
  // Header lines and body of the next request; empty at the end of the connection.
  std::string read_request();
  void send(std::string_view bytes);
  // Ends the stream cleanly: close_notify, then FIN.
  void end();
  // Ends the stream with a reset.
  void cut();
  // True when the client closes the connection.
  bool is_closed_by_client();

 private:
  std::string receive();

  int socket_;
  SSL* ssl_ = nullptr;
  std::string received_;
};

using Script = std::function<void(Peer&)>;

// One thread opens it once, others wait for it.
class Gate {
 public:
  void open() { promise_.set_value(); }
  // False after ten seconds.
  bool wait() const;

 private:
  std::promise<void> promise_;
  std::shared_future<void> future_{promise_.get_future()};
};

struct ScriptedOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;          // 0: any free port
  certs::KeyPair pair = {};        // empty: plain HTTP
  std::string client_ca_pem = {};  // clients must present a certificate of this CA
  bool handshake = true;           // false: the script gets the connection before the TLS handshake
};

class ScriptedServer {
 public:
  // The n-th connection is served by the n-th script; further ones by the last.
  explicit ScriptedServer(std::vector<Script> scripts, ScriptedOptions options = {});
  ~ScriptedServer();
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  std::uint16_t port() const { return port_; }
  int connections() const { return connections_; }
  // All requests that read_request() has returned on any connection, in order.
  std::vector<std::string> requests() const;
  void note(std::string request);

 private:
  void accept_all();
  void serve(int socket, const Script& script);

  const std::vector<Script> scripts_;
  const ScriptedOptions options_;
  std::shared_ptr<SSL_CTX> context_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<int> connections_{0};
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;
  std::vector<int> sockets_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

// "HTTP/1.1 STATUS …" with Content-Length. `headers` are complete lines.
std::string answer(int status, std::string_view body, std::string_view headers = "");

// Sends this as the answer to every request until the connection ends.
Script answering(std::string text);

// Sends this after one request, and then nothing until the client closes the connection.
Script stalling(std::string text = "");

}  // namespace dynamo::test
