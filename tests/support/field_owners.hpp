// Who set which field of an object of the fake cluster, and what server-side apply makes of it.
// Lists of objects that have names are maps by name; other lists are one value.
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
  // `manager` wrote the whole object: what it changed is its own from now on.
  void updated(const Tree& before, const Tree& after, std::string_view manager);

  // Merges `config` into `live` as `manager`'s applied configuration: fields it applied before and
  // leaves out now go, unless somebody else owns them too. Answers the fields that others own with
  // another value, and does nothing then unless `force`.
  std::vector<std::string> apply(Tree& live, const Tree& config, std::string_view manager,
                                 bool force);

  // The managers of a field such as "webhooks[a.example.com].clientConfig.caBundle", sorted.
  std::vector<std::string> managers(std::string_view field) const;

 private:
  // "Apply NAME" and "Update NAME" are two owners, as for the API server.
  std::map<std::string, std::set<std::string>, std::less<>> owners_;
};

// The fields of an object without what the server sets, each with its value as JSON text.
std::map<std::string, std::string> fields_of(const Tree& object);

}  // namespace dynamo::test
