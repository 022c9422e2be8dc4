// Golden cases as a server can take them: who can be played there, and with which names.
#pragma once

#include <string>
#include <string_view>

#include "kube/resource.hpp"
#include "tests/controller_cases/api_server.hpp"
#include "tests/controller_cases/value.hpp"

namespace dynamo::cases {

inline constexpr std::string_view kSpaceOfCases = "team-a";

// Null: a kind that no case is played with.
const kube::Resource* resource_of(std::string_view kind);

// The --controllers that play it; "" for a case that needs others.
std::string_view controllers_of(const Value& golden);

// It looks at all namespaces, and that shows.
bool is_cluster_wide(const Value& golden);

// "" for a case that can be played on this server; else why it cannot.
std::string why_not(const Value& golden, ApiServer& api);

// The same case in that namespace. Other namespaces that it has objects in are made; what belongs
// to no namespace has that one's name behind its own.
Object placed(const Value& golden, const std::string& space, const std::string& label,
              ApiServer& api);

// With what the cases leave out, as no API server looked at them.
void complete(Object& object);

// Keeps operators of the whole cluster from the namespaces of others than this case, by the Lease
// that they look for; they have them back at its end.
class OthersKeptOut {
 public:
  OthersKeptOut(ApiServer& api, const std::string& space);
  ~OthersKeptOut();
  OthersKeptOut(const OthersKeptOut&) = delete;
  OthersKeptOut& operator=(const OthersKeptOut&) = delete;

 private:
  ApiServer& api_;
  std::vector<std::string> spaces_;
};

}  // namespace dynamo::cases
