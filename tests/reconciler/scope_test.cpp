// Namespace scope and selection of controllers.
#include "reconciler/engine/scope.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>

#include "reconciler/app/selection.hpp"

namespace dynamo::reconciler {
namespace {

using std::chrono::seconds;

constexpr std::chrono::system_clock::time_point kNow{seconds(1'800'000'000)};

class Leases final : public admission::NamespaceLeases {
 public:
  std::optional<admission::NamespaceLease> find(std::string_view name) const override {
    if (name != "leased") return std::nullopt;
    return admission::NamespaceLease{.renew_time = renewed, .duration = seconds(30)};
  }
  std::chrono::system_clock::time_point renewed = kNow;
};

TEST(Scope, NamespacesWithLiveLeasesAreExcluded) {
  const Scope scope;
  Leases leases;
  EXPECT_EQ(scope.coverage("free", leases, kNow), Coverage::kCovered);
  EXPECT_EQ(scope.coverage("leased", leases, kNow), Coverage::kLeased);
  EXPECT_EQ(scope.coverage("leased", leases, kNow + seconds(29)), Coverage::kLeased);
  EXPECT_EQ(scope.coverage("leased", leases, kNow + seconds(30)), Coverage::kCovered);
}

TEST(Scope, RestrictedScopeIgnoresTheLease) {
  const Scope scope{.restricted_namespace = "leased"};
  const Leases leases;
  EXPECT_EQ(scope.coverage("leased", leases, kNow), Coverage::kCovered);
  EXPECT_EQ(scope.coverage("free", leases, kNow), Coverage::kOtherNamespace);
}

TEST(Scope, EphemeralNamespacesAreExcludedByDefault) {
  const Leases leases;
  EXPECT_EQ(Scope{}.coverage("my-ephemeral-7", leases, kNow), Coverage::kEphemeral);
  const Scope all{.excludes_ephemeral = false};
  EXPECT_EQ(all.coverage("my-ephemeral-7", leases, kNow), Coverage::kCovered);
}

constexpr std::array<KnownController, 3> kThree{{{"validation"}, {"model"}, {"graph", false}}};

std::string selected(std::vector<std::string> items) {
  const ControllerSelection selection(std::move(items));
  std::string names;
  for (const KnownController& each : kThree) {
    if (selection.selects(each)) names.append(each.name).append(" ");
  }
  return names;
}

TEST(ControllerSelection, SyntaxMatchesKubeControllerManager) {
  EXPECT_EQ(selected({"validation"}), "validation ");
  EXPECT_EQ(selected({"*"}), "validation model ");
  EXPECT_EQ(selected({"*", "graph"}), "validation model graph ");
  EXPECT_EQ(selected({"*", "-model"}), "validation ");
  EXPECT_EQ(selected({"-model", "*", "model"}), "validation ");
}

TEST(ControllerSelection, ProblemNamesTheMistake) {
  EXPECT_EQ(ControllerSelection({"*", "-graph"}).problem(kThree), std::nullopt);
  EXPECT_EQ(ControllerSelection({"*", "-grpah"}).problem(kThree),
            "--controllers must hold *, NAME or -NAME of validation, model, graph; found "
            "\"-grpah\"");
  EXPECT_EQ(ControllerSelection({"model", "-model"}).problem(kThree),
            "--controllers must leave at least one of validation, model, graph; found none that "
            "runs");
}

}  // namespace
}  // namespace dynamo::reconciler
