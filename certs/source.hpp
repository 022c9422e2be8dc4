// Where the served certificate comes from. One implementation per --cert-mode.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "certs/certificate.hpp"

namespace dynamo::certs {

// All but errors() belong to one thread, the control loop's.
class Source {
 public:
  virtual ~Source() = default;

  // Looks again. True if current() is another one than before. Never waits for anything.
  virtual bool poll() = 0;

  // The newest good pair; null until there was one.
  virtual std::shared_ptr<const CheckedPair> current() const = 0;

  // Why the newest content is not in use, one line; empty when it is.
  virtual std::string problem() const = 0;

  // The directory in which a change is a reason to poll at once; empty if there is none.
  virtual std::string directory() const = 0;

  // Contents refused, and writes that failed, so far. Any thread.
  virtual std::uint64_t errors() const = 0;
};

}  // namespace dynamo::certs
