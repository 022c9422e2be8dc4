// The parts of an object that an update leaves unchanged.
#pragma once

#include "json/document.hpp"

namespace dynamo::validators {

// A ratcheted rule reports on an unchanged part what it reported before the update, and the ratchet
// drops that; so it need not run there. "Unchanged" includes all that a rule on one service can
// read besides the service. Objects that were not parsed from one AdmissionReview count as changed
// (json::are_copies()). Not thread-safe.
class UnchangedParts {
 public:
  // Without an old object, everything is changed.
  UnchangedParts(json::Value object, json::Value old);

  // Whether everything outside of services is unchanged, except metadata that the API server
  // generates.
  bool has_shared() const { return has_shared_; }
  // Whether the whole object is unchanged, except metadata that the API server generates.
  bool has_all() const { return has_all_; }
  // Whether the service is unchanged, and everything outside of services.
  bool has_service(json::Value now, json::Value old) const {
    return has_shared_ && json::are_copies(now, old);
  }

 private:
  bool has_shared_ = false;
  bool has_all_ = false;
};

}  // namespace dynamo::validators
