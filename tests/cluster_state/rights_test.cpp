// The roles of deploy/rbac grant exactly the permissions that a server needs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <memory>
#include <ranges>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/facts_watch.hpp"
#include "cluster/lease_watch.hpp"
#include "cluster/lookup_watch.hpp"
#include "cluster/marker_lease.hpp"
#include "cluster/rejected_lease_reporter.hpp"
#include "kube/cache/informer.hpp"
#include "tests/cluster_state/cluster_fixture.hpp"
#include "tests/support/objects.hpp"

namespace dynamo::cluster {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAreArray;

// A permission such as "list leases.coordination.k8s.io/NAME", as a role grants it or a request
// needs it. Without a name: "create leases.coordination.k8s.io", or "list secrets" for the core
// group.
std::string right(std::string_view verb, std::string_view group, std::string_view resource,
                  std::string_view name) {
  std::string text(verb);
  text += ' ';
  text += resource;
  if (!group.empty()) {
    text += '.';
    text += group;
  }
  if (!name.empty()) {
    text += '/';
    text += name;
  }
  return text;
}

// The permissions that the only role in a file of deploy/rbac grants.
std::set<std::string> rights_of(const std::string& file) {
  std::ifstream stream(std::string(DYNAMO_SOURCE_DIR) + "/deploy/rbac/" + file);
  if (!stream) throw std::runtime_error("cannot read " + file);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  text.erase(text.find("\n---\n") + 1);
  const json::Document role = test::from_yaml(text);
  std::set<std::string> rights;
  for (const json::Value rule : role.root()["rules"].elements()) {
    std::string_view group;
    for (const json::Value each : rule["apiGroups"].elements()) group = each.string_or_empty();
    for (const json::Value verb : rule["verbs"].elements()) {
      for (const json::Value resource : rule["resources"].elements()) {
        const json::Value names = rule["resourceNames"];
        if (!names.exists()) {
          rights.insert(right(verb.string_or_empty(), group, resource.string_or_empty(), ""));
        }
        for (const json::Value name : names.elements()) {
          rights.insert(right(verb.string_or_empty(), group, resource.string_or_empty(),
                              name.string_or_empty()));
        }
      }
    }
  }
  return rights;
}

// The resource in the path of a call, and the object's name if the call is for one object: the part
// after /api/VERSION or /apis/GROUP/VERSION and a namespace. Empty for discovery, which needs no
// permission.
struct RequestedResource {
  std::string group;
  std::string resource;
  std::string name;
};
RequestedResource requested_resource(std::string_view path) {
  std::vector<std::string> parts;
  for (const auto part : std::views::split(path.substr(1), '/')) {
    parts.emplace_back(part.begin(), part.end());
  }
  std::size_t at = parts.front() == "api" ? 2 : 3;
  if (at < parts.size() && parts[at] == "namespaces") at += 2;
  const auto part = [&](std::size_t index) {
    return index < parts.size() ? parts[index] : std::string();
  };
  return {parts.front() == "api" ? "" : part(1), part(at), part(at + 1)};
}

// The permission that the API server requires for a request. For a list or watch it takes the name
// from the field selector.
std::string needed_for(const test::Call& call) {
  const std::size_t question = call.target.find('?');
  const std::string path = call.target.substr(0, question);
  const std::string query = question == std::string::npos ? "" : call.target.substr(question);
  auto [group, resource, name] = requested_resource(path);
  if (resource.empty()) return "";
  switch (call.method) {
    case kube::HttpMethod::kPost:
      return right("create", group, resource, "");
    case kube::HttpMethod::kPut:
      return right("update", group, resource, name);
    case kube::HttpMethod::kPatch:
      return right("patch", group, resource, name);
    case kube::HttpMethod::kDelete:
      return right("delete", group, resource, name);
    case kube::HttpMethod::kGet:
      break;
  }
  if (!name.empty()) return right("get", group, resource, name);
  constexpr std::string_view kSelector = "fieldSelector=metadata.name%3D";
  const std::size_t selector = query.find(kSelector);
  if (selector != std::string::npos) {
    name = query.substr(selector + kSelector.size());
    name.erase(std::min(name.find('&'), name.size()));
  }
  return right(call.is_watch() ? "watch" : "list", group, resource, name);
}

class RightsTest : public ClusterFixture {
 protected:
  ~RightsTest() override { tasks_.stop(); }

  std::set<std::string> needed() const {
    std::set<std::string> all;
    for (const test::Call& call : cluster_.calls()) all.insert(needed_for(call));
    all.erase("");
    return all;
  }
};

TEST_F(RightsTest, ClusterWideServerNeedsExactlyItsRole) {
  kube::Client client(*transport_);
  LeaseWatch::RcuCell leases{std::make_unique<const admission::NoNamespaceLeases>()};
  FactsWatch::RcuCell facts;
  LeaseWatch watch(loop_, leases, logger_);
  FactsWatch facts_watch(client, {}, facts, logger_);
  kube::Informer informer(client, kube::kLeases, lease_informer_options(), watch, logger_);
  RejectedLeaseReporter reporter(loop_, client, watch.records(), clock_, logger_, {.sweep = 1ms});
  put_lease("forged", "them", clock_.wall() + 1h);
  tasks_.spawn("informer", [&] { return informer.run(); });
  tasks_.spawn("facts", [&] { return facts_watch.run(); });
  tasks_.spawn("doubts", [&] { return reporter.run(); });
  ASSERT_TRUE(comes_true([&] {
    return informer.is_watching() && facts.read()->grove_served != api::Fact::kUnknown &&
           !cluster_.all(kube::kEvents).empty();
  }));
  tasks_.stop();
  EXPECT_THAT(needed(), ElementsAreArray(rights_of("cluster_wide.yaml")));
}

TEST_F(RightsTest, RestrictedServerNeedsExactlyItsRole) {
  MarkerLeaseOptions options{.namespace_name = "team-a", .identity = "us"};
  options.interval = 1ms;
  MarkerLease marker(loop_, *transport_, options, clock_, logger_, [](const MarkerLeaseLoss&) {});
  tasks_.spawn("marker", [&] { return marker.run(); });
  ASSERT_TRUE(comes_true([&] { return marker.renewals() > 1; }));
  tasks_.stop();
  aio::TaskGroup last(loop_, logger_);
  bool done = false;
  last.spawn("release", [&]() -> aio::Task<> {
    co_await marker.release();
    done = true;
  });
  ASSERT_TRUE(comes_true([&] { return done; }));
  EXPECT_THAT(needed(), ElementsAreArray(rights_of("restricted.yaml")));
}

// Look-ups need the same permissions in the whole cluster and in one namespace.
struct LookupRole {
  std::string_view name;
  std::string resources;  // a value of --cluster-lookups
  std::string namespace_name;
  std::string file;
};
class LookupRightsTest : public RightsTest, public ::testing::WithParamInterface<LookupRole> {};

TEST_P(LookupRightsTest, MatchTheRole) {
  kube::Client client(*transport_);
  LookupWatch::RcuCell published{std::make_unique<const ObjectNames>()};
  LookupWatch watch(loop_, client,
                    {.kinds = looked_up_kinds(std::vector{GetParam().resources}),
                     .namespace_name = GetParam().namespace_name},
                    published, clock_, logger_);
  watch.spawn(tasks_);
  const std::set<std::string> given = rights_of(GetParam().file);
  ASSERT_TRUE(comes_true([&] { return needed().size() >= given.size(); }));
  tasks_.stop();
  EXPECT_THAT(needed(), ElementsAreArray(given));
}

INSTANTIATE_TEST_SUITE_P(
    Of, LookupRightsTest,
    ::testing::Values(LookupRole{"AServerOfTheWholeCluster", "all", "", "cluster_lookups.yaml"},
                      LookupRole{"ARestrictedServer", "all", "team-a", "restricted_lookups.yaml"},
                      LookupRole{"AServerThatReadsTopologies", "clustertopologybindings", "",
                                 "topology_lookups.yaml"}),
    [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace dynamo::cluster
