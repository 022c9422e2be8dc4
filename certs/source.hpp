// Source of the served certificate. One implementation per --cert-mode.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "certs/certificate.hpp"

namespace dynamo::certs {

// All members except errors() belong to one thread, the control loop's.
class Source {
 public:
  virtual ~Source() = default;

  // Checks for a new pair. Returns true if current() has changed. Never blocks.
  virtual bool poll() = 0;

  // The newest good pair; null before the first one.
  virtual std::shared_ptr<const CheckedPair> current() const = 0;

  // Why the newest content is not in use, one line; empty if it is.
  virtual std::string problem() const = 0;

  // A directory whose changes trigger an immediate poll; empty if there is none.
  virtual std::string directory() const = 0;

  // Number of refused contents and failed writes so far. Any thread.
  virtual std::uint64_t errors() const = 0;
};

}  // namespace dynamo::certs
