// The cluster of a case: objects by kind, namespace and name, and what was made of them.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "render/children/child.hpp"
#include "tests/controller_cases/value.hpp"

namespace dynamo::cases {

class Store {
 public:
  // "Kind/namespace/name".
  static std::string key(std::string_view kind, std::string_view space, std::string_view name);
  static std::string key_of(const Value& object);

  void put(Object object);
  void erase(const std::string& key) { objects_.erase(key); }
  // Null when there is none.
  const Object* find(const std::string& key) const;
  Object* find(const std::string& key);
  const std::map<std::string, Object>& objects() const { return objects_; }

  // Brings the children into the store as the operator synchronises them.
  void sync(const render::Children& children, std::string_view space);

  // From here on changed() tells.
  void mark();
  // Keys of what differs from the mark, in order; those that are gone too.
  std::vector<std::string> changed() const;

 private:
  void sync(const render::Child& child, std::string_view space);
  std::map<std::string, Object> objects_;
  std::map<std::string, std::string> marked_;
};

}  // namespace dynamo::cases
