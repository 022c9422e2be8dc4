// deploy/rbac/doctor.yaml grants exactly what the doctor requests; and the permissions that it
// expects of a server are those that the server's files grant.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <ostream>
#include <ranges>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/lookup_watch.hpp"
#include "cluster/resources.hpp"
#include "doctor/rights.hpp"
#include "tests/doctor/installation.hpp"
#include "tests/support/objects.hpp"

namespace dynamo::doctor {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

// "get services/NAME in NAMESPACE"; without a name: any; without a namespace: all.
std::string right(std::string_view verb, std::string_view resource, std::string_view name,
                  std::string_view namespace_name) {
  std::string text(verb);
  text += ' ';
  text += resource;
  if (!name.empty()) (text += '/') += name;
  if (!namespace_name.empty()) (text += " in ") += namespace_name;
  return text;
}

// The permissions that a file's roles grant.
std::set<std::string> given(const std::string& file) {
  const std::string path = std::string(DYNAMO_SOURCE_DIR) + "/deploy/rbac/" + file;
  std::ifstream stream(path);
  if (!stream) throw std::runtime_error("cannot read " + path);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  std::set<std::string> rights;
  const auto add = [&rights](json::Value role) {
    const std::string_view in = role["metadata"]["namespace"].string_or_empty();
    for (const json::Value rule : role["rules"].elements()) {
      for (const json::Value verb : rule["verbs"].elements()) {
        for (const json::Value resource : rule["resources"].elements()) {
          const json::Value names = rule["resourceNames"];
          if (!names.exists()) {
            rights.insert(right(verb.string_or_empty(), resource.string_or_empty(), "", in));
          }
          for (const json::Value name : names.elements()) {
            rights.insert(right(verb.string_or_empty(), resource.string_or_empty(),
                                name.string_or_empty(), in));
          }
        }
      }
    }
  };
  constexpr std::string_view kEnd = "\n---\n";
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(kEnd, begin), text.size());
    const json::Document object = test::from_yaml(text.substr(begin, end - begin));
    if (object.root()["kind"].string_or_empty().ends_with("Role")) add(object.root());
    begin = end + kEnd.size();
  }
  return rights;
}

// The permission that a request needs: for a list, the API server takes the name from the field
// selector. Empty for requests that every account may send.
std::string needed_for(const test::Call& call) {
  const std::size_t question = std::min(call.target.find('?'), call.target.size());
  const std::string query = call.target.substr(question);
  std::vector<std::string> parts;
  for (const auto part : std::views::split(call.target.substr(1, question - 1), '/')) {
    parts.emplace_back(part.begin(), part.end());
  }
  std::size_t at = parts.front() == "api" ? 2 : 3;
  std::string in;
  // The path of a Namespace itself ends with its name.
  if (parts.size() > at + 2 && parts[at] == "namespaces") {
    in = parts[at + 1];
    at += 2;
  }
  if (at >= parts.size() || parts[at] == "selfsubjectaccessreviews") return "";
  std::string name = parts.size() > at + 1 ? parts[at + 1] : "";
  if (call.method == kube::HttpMethod::kPost) return right("create", parts[at], "", in);
  if (!name.empty()) return right("get", parts[at], name, in);
  constexpr std::string_view kSelector = "fieldSelector=metadata.name%3D";
  if (const std::size_t selector = query.find(kSelector); selector != std::string::npos) {
    name = query.substr(selector + kSelector.size());
    name.erase(std::min(name.find('&'), name.size()));
  }
  return right("list", parts[at], name, in);
}

TEST(DoctorRights, MatchItsRole) {
  Installation installation;
  // Queues are listed only for graphs that need them.
  installation.cluster.set_groups({"grove.io", "scheduling.run.ai"});
  installation.cluster.put(cluster::kGraphDeployments,
                           R"({"metadata":{"name":"g","namespace":"team-a"}})");
  GatherOptions options = installation.options();
  options.service_account = "dynamo-system/dynamo-webhook";
  options.secret.clear();  // the Secret is only read if the endpoints are out of reach
  ASSERT_TRUE(installation.gather_evidence(options));
  std::set<std::string> needed;
  for (const test::Call& call : installation.cluster.calls()) needed.insert(needed_for(call));
  needed.erase("");
  // Kubernetes cannot restrict it to operators; without it, only the operator's version is unknown.
  needed.erase("list deployments");
  // The file uses this name.
  needed.erase("get services/webhook in dynamo-system");
  needed.insert("get services/dynamo-webhook in dynamo-system");
  // The dry run does not reach the cluster in memory.
  needed.insert("create dynamographdeployments in default");
  EXPECT_THAT(needed, ElementsAreArray(given("doctor.yaml")));
}

// One webhook of each kind, in configurations with this name.
std::vector<WebhookEntry> configured(const std::string& name, bool is_labelled) {
  std::vector<WebhookEntry> webhooks;
  for (const bool is_mutating : {false, true}) {
    webhooks.emplace_back();
    webhooks.back().configuration =
        kube::Object::parse(R"({"metadata":{"name":")" + name + '"' +
                            std::string(is_labelled ? kLabels : "") + "}}")
            .value();
    webhooks.back().mutating = is_mutating;
  }
  return webhooks;
}

struct WayToRun {
  const char* name;
  std::vector<std::string> files;
  const char* restricted_namespace = "";
  bool is_managed = false;
  bool looks_up = false;
  bool injects = false;
};

void PrintTo(const WayToRun& way, std::ostream* out) {
  *out << way.name;
}

class DoctorPermissionsByMode : public testing::TestWithParam<WayToRun> {};

TEST_P(DoctorPermissionsByMode, ChecksPermissionsGrantedByDeployFiles) {
  const WayToRun& way = GetParam();
  Evidence evidence;
  evidence.restricted_namespace = way.restricted_namespace;
  evidence.managed.set(way.is_managed);
  evidence.webhooks.set(configured("dynamo-webhook", true));
  evidence.services.resize(1);
  evidence.services[0].namespace_name = "dynamo-system";
  std::vector<api::LookupKind> lookups;
  if (way.looks_up) lookups = cluster::looked_up_kinds(std::vector<std::string>{"all"});
  Duties duties;
  duties.lookups = lookups;
  duties.inject_crds = way.injects;
  std::set<std::string> asked;
  for (const RightEvidence& each : needed_rights(evidence, duties)) {
    asked.insert(right(each.verb, each.resource, each.name, each.namespace_name));
  }
  std::set<std::string> wanted;
  for (const std::string& file : way.files) wanted.merge(given(file));
  EXPECT_THAT(asked, ElementsAreArray(wanted));
}

INSTANTIATE_TEST_SUITE_P(
    AServer, DoctorPermissionsByMode,
    testing::Values(
        WayToRun{"AServerOfTheWholeCluster", {"cluster_wide.yaml"}},
        WayToRun{"ARestrictedServer", {"restricted.yaml"}, "team-a"},
        WayToRun{"OneThatLooksUp", {"cluster_wide.yaml", "cluster_lookups.yaml"}, "", false, true},
        WayToRun{"ARestrictedOneThatLooksUp",
                 {"restricted.yaml", "restricted_lookups.yaml"},
                 "team-a",
                 false,
                 true},
        WayToRun{"OneThatManagesCertificates",
                 {"cluster_wide.yaml", "managed_certificates.yaml"},
                 "",
                 true},
        WayToRun{"OneThatInjectsIntoDefinitions",
                 {"cluster_wide.yaml", "managed_certificates.yaml", "inject_crds.yaml"},
                 "",
                 true,
                 false,
                 true}),
    [](const auto& instance) { return std::string(instance.param.name); });

TEST(DoctorPermissions, ChecksKeeperAndServerAccountsSeparately) {
  const std::string keeper = "dynamo-system/dynamo-webhook-keeper";
  Evidence evidence;
  evidence.managed.set(true);
  evidence.webhooks.set(configured("dynamo-webhook", true));
  evidence.services.resize(1);
  evidence.services[0].namespace_name = "dynamo-system";
  evidence.services[0].name = "dynamo-webhook";
  Duties duties;
  duties.keeper_account = keeper;
  std::set<std::string> of_server;
  std::set<std::string> of_keeper;
  for (const RightEvidence& each : needed_rights(evidence, duties)) {
    EXPECT_THAT(each.account, testing::AnyOf("", keeper));
    (each.account.empty() ? of_server : of_keeper)
        .insert(right(each.verb, each.resource, each.name, each.namespace_name));
  }
  std::set<std::string> wanted_of_server = given("managed_certificates_server.yaml");
  wanted_of_server.merge(given("cluster_wide.yaml"));
  EXPECT_THAT(of_server, ElementsAreArray(wanted_of_server));
  EXPECT_THAT(of_keeper, ElementsAreArray(given("managed_certificates_keeper.yaml")));
}

TEST(DoctorPermissions, ChecksWritesOnlyForInjectedConfigurations) {
  Evidence evidence;
  evidence.managed.set(true);
  std::vector<WebhookEntry> webhooks = configured("ours", true);
  // A configuration may have several webhooks.
  std::ranges::copy(configured("ours", true), std::back_inserter(webhooks));
  std::ranges::copy(configured("written-by-hand", false), std::back_inserter(webhooks));
  evidence.webhooks.set(webhooks);
  std::vector<std::string> patched;
  for (const RightEvidence& each : needed_rights(evidence, {})) {
    if (each.verb == "patch") patched.push_back(right("", each.resource, each.name, ""));
  }
  EXPECT_THAT(patched, ElementsAre(" validatingwebhookconfigurations/ours",
                                   " mutatingwebhookconfigurations/ours"));
}

}  // namespace
}  // namespace dynamo::doctor
