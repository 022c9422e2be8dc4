// Field ownership of the fake cluster's objects, and server-side apply based on it. Lists of named
// objects are maps by name; other lists are atomic.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/json_tree.hpp"

namespace dynamo::test {

class FieldOwners {
 public:
  // Records an update of the whole object: `manager` then owns the fields that it changed.
  void updated(const Tree& before, const Tree& after, std::string_view manager);

  // Merges `config` into `live` as the applied configuration of `manager`. Removes fields that it
  // applied before and now omits, unless another manager owns them too. Returns the fields that
  // others own with a different value; in that case changes nothing unless `force`.
  std::vector<std::string> apply(Tree& live, const Tree& config, std::string_view manager,
                                 bool force);

  // The managers of a field such as "webhooks[a.example.com].clientConfig.caBundle", sorted.
  std::vector<std::string> managers(std::string_view field) const;

 private:
  // "Apply NAME" and "Update NAME" are different owners, as in the API server.
  std::map<std::string, std::set<std::string>, std::less<>> owners_;
};

// The fields of an object except those that the server sets, each with its value as JSON text.
std::map<std::string, std::string> fields_of(const Tree& object);

}  // namespace dynamo::test
