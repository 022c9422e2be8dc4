// Which controllers run: the operator, a reconciler as its companion, or one as its replacement.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/app/flags.hpp"
#include "tests/doctor/installation.hpp"

namespace dynamo::doctor {
namespace {

using std::chrono_literals::operator""s;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// The flags in a text, without their dashes.
std::vector<std::string> flags_in(std::string_view text) {
  constexpr std::string_view kDashes = "--";
  std::vector<std::string> flags;
  for (std::size_t at = text.find(kDashes); at != std::string_view::npos;
       at = text.find(kDashes, at)) {
    at += kDashes.size();
    flags.emplace_back(text.substr(at, text.find_first_of(" ,;", at) - at));
  }
  return flags;
}

bool is_flag_of_reconciler(std::string_view name) {
  const auto page = reconciler::flag_table().page();
  return std::ranges::any_of(page.sections, [name](const runtime::FlagSection& section) {
    return std::ranges::any_of(section.flags,
                               [name](const runtime::FlagText& flag) { return flag.name == name; });
  });
}

class DoctorOfControllers : public testing::Test {
 protected:
  void put_lease(const std::string& name, const std::string& space, const std::string& holder,
                 const std::string& annotations = "", std::chrono::seconds age = 1s) {
    i_.cluster.put(kube::kLeases, R"({"metadata":{"name":")" + name + R"(","namespace":")" + space +
                                      R"(","labels":{)" + labels_ + R"(},"annotations":{)" +
                                      annotations + R"(}},"spec":{"holderIdentity":")" + holder +
                                      R"(","leaseDurationSeconds":15,"renewTime":")" +
                                      text::format_micro_time(i_.clock.wall() - age) + R"("}})");
  }
  void put_operator(const std::string& space = "kube-system", std::chrono::seconds age = 1s) {
    put_lease("dynamo.nvidia.com", space, "go", "", age);
  }
  void put_reconciler(const std::string& mode, const std::string& scope = "",
                      const std::string& space = "dynamo-system") {
    std::string annotations = mode.empty() ? "" : R"("dynamo-admission/mode":")" + mode + "\"";
    if (!scope.empty()) annotations += R"(,"dynamo-admission/namespace":")" + scope + "\"";
    put_lease(reconciler_lease_, space, "ours", annotations);
  }
  std::vector<CheckFinding> controller_findings() {
    GatherOptions options = i_.options();
    options.reconciler_leases = reconciler_leases_;
    options.operator_lease = operator_lease_;
    std::vector<CheckFinding> all = examine(i_.gather_evidence(options).value());
    std::erase_if(all,
                  [](const CheckFinding& each) { return each.check != "cluster.controllers"; });
    return all;
  }
  void expect(Level level, const std::string& text) {
    const auto findings = controller_findings();
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].level, level) << findings[0].text;
    EXPECT_THAT(findings[0].text, HasSubstr(text));
  }

  Installation i_;
  std::string reconciler_lease_ = "dynamo-reconciler";
  std::string labels_;  // of the Leases created from now on
  // Options of the doctor.
  std::vector<std::string> reconciler_leases_;
  std::string operator_lease_;
};

TEST_F(DoctorOfControllers, AcceptsAnOperatorWithoutReconciler) {
  put_operator();
  expect(Level::kOk,
         "no dynamo-reconciler leads here; the operator's leader \"go\" (Lease "
         "kube-system/dynamo.nvidia.com) does");
}

TEST_F(DoctorOfControllers, WarnsWithoutAKnownLeader) {
  expect(Level::kWarning, "must have a live leader, of the operator or of dynamo-reconciler");
  EXPECT_THAT(controller_findings()[0].remedy, HasSubstr("--reconciler-lease"));
}

constexpr const char* kLabelOfReconciler = R"("app.kubernetes.io/name":"dynamo-reconciler")";

TEST_F(DoctorOfControllers, FindsAnyReconcilerByItsLabel) {
  reconciler_lease_ = "dynamo-dynamo-operator-reconciler";
  labels_ = kLabelOfReconciler;
  put_reconciler("replacement");
  expect(Level::kOk, "runs the controllers of the whole cluster");
  i_.restricted_namespace = "team-a";
  expect(Level::kOk, "no dynamo-reconciler leads here");
  put_reconciler("replacement", "team-a", "team-a-system");
  expect(Level::kOk, "runs the controllers of namespace team-a");
}

// As after its leader was killed: the Lease was not released.
TEST_F(DoctorOfControllers, FailsWhenTheReplacementHasNoLeader) {
  labels_ = kLabelOfReconciler;
  reconciler_lease_ = "r";
  const std::string replaces = R"("dynamo-admission/mode":"replacement")";
  put_lease("r", "dynamo-system", "ours", replaces, 16s);
  expect(Level::kFailed,
         "must have a live leader: dynamo-reconciler runs the controllers of the "
         "whole cluster; found \"ours\", which by its renewTime no longer renews");
  EXPECT_EQ(controller_findings()[0].subject, "Lease dynamo-system/r");
  put_lease("r", "dynamo-system", "", replaces);
  expect(Level::kFailed, "found none, the last one gave the Lease back");
  put_operator();
  expect(Level::kOk, "no dynamo-reconciler leads here; the operator's leader \"go\"");
  put_lease("r", "dynamo-system", "", R"("dynamo-admission/mode":"companion")");
  expect(Level::kOk, "no dynamo-reconciler leads here");
}

TEST_F(DoctorOfControllers, IgnoresLeasesInTerminatingNamespaces) {
  put_operator("elsewhere");
  put_lease("dynamo-reconciler", "gone", "", R"("dynamo-admission/mode":"replacement")");
  expect(Level::kOk, "no dynamo-reconciler leads here");
  i_.cluster.put(kube::kNamespaces, R"({"metadata":{"name":"gone","finalizers":["f"]}})");
  expect(Level::kFailed, "Lease back");
  i_.cluster.erase(kube::kNamespaces, "", "gone");
  expect(Level::kOk, "no dynamo-reconciler leads here");
}

TEST_F(DoctorOfControllers, FailsWithAVacantReplacementLease) {
  put_lease("dynamo-reconciler", "dynamo-system", "", R"("dynamo-admission/mode":"replacement")");
  expect(Level::kFailed, "Lease back");
}

TEST_F(DoctorOfControllers, FailsWhenAReplacedOperatorLeads) {
  put_operator();
  put_reconciler("replacement");
  expect(Level::kFailed,
         "must be alone in running the controllers of the whole cluster; found the operator's "
         "leader \"go\" (Lease kube-system/dynamo.nvidia.com), which is live");
  EXPECT_EQ(controller_findings()[0].subject,
            "dynamo-reconciler \"ours\" (Lease dynamo-system/dynamo-reconciler)");
  EXPECT_THAT(controller_findings()[0].remedy, HasSubstr("--mode companion"));
}

TEST_F(DoctorOfControllers, AcceptsAReplacementWithoutLeadingOperator) {
  put_lease("dynamo.nvidia.com", "kube-system", "");
  put_reconciler("replacement");
  expect(Level::kOk, "runs the controllers of the whole cluster, and no other live leader does");
  EXPECT_THAT(controller_findings()[0].text, Not(HasSubstr("renewTime")))
      << "its Lease was given back";
}

// It may be alive, with a clock that is that far behind.
TEST_F(DoctorOfControllers, QualifiesAnOperatorExpiredByItsClock) {
  put_operator("kube-system", 16s);
  put_reconciler("replacement");
  expect(Level::kOk,
         "no other live leader does; by its renewTime the operator's leader \"go\" (Lease "
         "kube-system/dynamo.nvidia.com) no longer runs, which holds if the clock there is right");
}

TEST_F(DoctorOfControllers, AcceptsACompanion) {
  put_reconciler("companion");
  expect(Level::kOk, "without a known live leader");
  put_operator();
  expect(Level::kOk, "validates only, next to the operator's leader \"go\"");
}

TEST_F(DoctorOfControllers, DistinguishesScopes) {
  put_operator();
  put_reconciler("replacement", "team-a");
  expect(Level::kOk, "runs the controllers of namespace team-a");
  put_operator("team-a");
  expect(Level::kFailed, "(Lease team-a/dynamo.nvidia.com)");
}

TEST_F(DoctorOfControllers, FailsWithTwoReplacementsInOneScope) {
  put_reconciler("replacement");
  put_reconciler("replacement", "", "other");
  const auto findings = controller_findings();
  ASSERT_EQ(findings.size(), 2U);
  for (const CheckFinding& each : findings) {
    EXPECT_EQ(each.level, Level::kFailed);
    EXPECT_THAT(each.text, HasSubstr("both write the same objects"));
  }
}

TEST_F(DoctorOfControllers, RemediesUseFlagsOfDynamoReconciler) {
  put_reconciler("replacement");
  put_reconciler("replacement", "", "other");
  EXPECT_THAT(flags_in(controller_findings()[0].remedy), ElementsAre("restrictedNamespace"));
  put_operator();
  EXPECT_THAT(flags_in(controller_findings()[0].remedy), ElementsAre("mode"));
  for (const std::string_view each : {"restrictedNamespace", "mode"}) {
    EXPECT_TRUE(is_flag_of_reconciler(each)) << each;
  }
}

TEST_F(DoctorOfControllers, SkipsUnknownModesAndUnreadableLeases) {
  put_operator();
  put_reconciler("");
  expect(Level::kSkipped, "does not say in which mode it runs");
  i_.cluster.forbid("list", "leases");
  expect(Level::kSkipped, "leases");
}

TEST_F(DoctorOfControllers, RestrictedServerChecksOnlyItsNamespace) {
  put_operator();
  put_reconciler("replacement");
  i_.restricted_namespace = "team-a";
  expect(Level::kOk, "no dynamo-reconciler leads here");
}

// The name in a chart, which includes the release's name.
TEST_F(DoctorOfControllers, FindsAReconcilerByItsConfiguredLease) {
  reconciler_lease_ = "dynamo-dynamo-operator-reconciler";
  put_operator();
  put_reconciler("replacement");
  expect(Level::kOk, "no dynamo-reconciler leads here");
  reconciler_leases_ = {"dynamo-system/dynamo-dynamo-operator-reconciler", "elsewhere/none"};
  expect(Level::kFailed,
         "found the operator's leader \"go\" (Lease kube-system/dynamo.nvidia.com)");
  i_.cluster.forbid("get", "leases");
  expect(Level::kSkipped, "leases");
}

TEST_F(DoctorOfControllers, ReadsAConfiguredUsualLeaseOnce) {
  reconciler_leases_ = {"dynamo-system/dynamo-reconciler"};
  put_reconciler("replacement");
  expect(Level::kOk, "runs the controllers of the whole cluster");
}

TEST_F(DoctorOfControllers, RestrictedServerFindsItsReconcilerInReleaseNamespace) {
  reconciler_lease_ = "team-dynamo-operator-reconciler";
  reconciler_leases_ = {"team-a-system/team-dynamo-operator-reconciler"};
  put_reconciler("replacement", "team-a", "team-a-system");
  i_.restricted_namespace = "team-a";
  expect(Level::kOk, "runs the controllers of namespace team-a");
  put_operator("team-a");
  expect(Level::kFailed, "(Lease team-a/dynamo.nvidia.com)");
}

TEST_F(DoctorOfControllers, FindsAnOperatorByItsConfiguredLease) {
  put_lease("theirs", "operators", "go");
  put_reconciler("replacement");
  expect(Level::kOk, "no other live leader does");
  operator_lease_ = "operators/theirs";
  expect(Level::kFailed, "found the operator's leader \"go\" (Lease operators/theirs)");
}

}  // namespace
}  // namespace dynamo::doctor
