// deploy/policies: the policy that lets only named users write the marker Lease.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "admission/namespace_lease.hpp"
#include "tests/support/objects.hpp"

namespace dynamo::cluster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string text_of_policy() {
  std::ifstream stream(std::string(DYNAMO_SOURCE_DIR) +
                       "/deploy/policies/namespace_scope_lease.yaml");
  if (!stream) throw std::runtime_error("cannot read the policy");
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<std::string> words(json::Value list) {
  std::vector<std::string> all;
  for (const json::Value each : list.elements()) all.emplace_back(each.string_or_empty());
  return all;
}

class LeasePolicy : public testing::Test {
 protected:
  LeasePolicy() {
    const std::string text = text_of_policy();
    const std::size_t split = text.find("\n---\n");
    policy_ = test::from_yaml(text.substr(0, split + 1));
    binding_ = test::from_yaml(text.substr(split + 5));
  }
  json::Value spec() const { return policy_.root()["spec"]; }

  json::Document policy_;
  json::Document binding_;
};

TEST_F(LeasePolicy, FailsClosedAndIsBound) {
  EXPECT_EQ(policy_.root()["kind"].string_or_empty(), "ValidatingAdmissionPolicy");
  EXPECT_EQ(policy_.root()["apiVersion"].string_or_empty(), "admissionregistration.k8s.io/v1");
  EXPECT_EQ(spec()["failurePolicy"].string_or_empty(), "Fail");
  EXPECT_FALSE(spec()["matchConditions"].exists());
  EXPECT_FALSE(spec()["paramKind"].exists());
  EXPECT_EQ(binding_.root()["kind"].string_or_empty(), "ValidatingAdmissionPolicyBinding");
  EXPECT_EQ(binding_.root()["spec"]["policyName"].string_or_empty(),
            policy_.root()["metadata"]["name"].string_or_empty());
  EXPECT_THAT(words(binding_.root()["spec"]["validationActions"]), ElementsAre("Deny"));
  EXPECT_FALSE(binding_.root()["spec"]["matchResources"].exists());
}

TEST_F(LeasePolicy, MatchesOnlyTheMarkerLease) {
  const json::Value rules = spec()["matchConstraints"]["resourceRules"];
  ASSERT_EQ(rules.size(), 1U);
  for (const json::Value rule : rules.elements()) {
    EXPECT_THAT(words(rule["apiGroups"]), ElementsAre("coordination.k8s.io"));
    EXPECT_THAT(words(rule["resources"]), ElementsAre("leases"));
    EXPECT_THAT(words(rule["resourceNames"]),
                ElementsAre(std::string(admission::kNamespaceScopeLease)));
    EXPECT_THAT(words(rule["operations"]), ElementsAre("CREATE", "UPDATE", "DELETE"));
  }
}

// Checks that brackets and quotes are balanced, which fails for a truncated or mistyped expression.
// The suite with a real API server evaluates the expressions.
bool is_balanced(std::string_view expression) {
  std::string open;
  bool quoted = false;
  for (const char c : expression) {
    if (c == '\'') quoted = !quoted;
    if (quoted) continue;
    if (c == '(' || c == '[') open += c;
    if (c != ')' && c != ']') continue;
    if (open.empty() || open.back() != (c == ')' ? '(' : '[')) return false;
    open.pop_back();
  }
  return open.empty() && !quoted;
}

TEST_F(LeasePolicy, ExpressionsUseTheNamedUsersAndGroups) {
  std::set<std::string> names;
  for (const json::Value variable : spec()["variables"].elements()) {
    names.emplace(variable["name"].string_or_empty());
    EXPECT_TRUE(is_balanced(variable["expression"].string_or_empty()));
    EXPECT_TRUE(variable["expression"].string_or_empty().starts_with('['));
  }
  EXPECT_THAT(names, ElementsAre("groups", "users"));
  ASSERT_EQ(spec()["validations"].size(), 1U);
  for (const json::Value validation : spec()["validations"].elements()) {
    const std::string expression(validation["expression"].string_or_empty());
    EXPECT_TRUE(is_balanced(expression)) << expression;
    EXPECT_TRUE(is_balanced(validation["messageExpression"].string_or_empty()));
    EXPECT_THAT(expression, HasSubstr("request.userInfo.username in variables.users"));
    EXPECT_THAT(expression, HasSubstr("group in variables.groups"));
    // Otherwise namespaces could never be deleted.
    EXPECT_THAT(expression, HasSubstr("system:serviceaccount:kube-system:namespace-controller"));
  }
}

}  // namespace
}  // namespace dynamo::cluster
