#include "tests/controller_cases/oddities.hpp"

#include <array>

namespace dynamo::cases {
namespace {

constexpr std::array<Oddity, kOddities> kTable = {{
    {"Q1", "A new marker lease has no renewTime, so it counts as expired at first",
     Decision::kMended, "The first lease is written with its renewTime.",
     "MarkerLeaseTest.IsWrittenAtOnceWithItsRenewTime"},
    {"Q2", "Labels, annotations, data and rules of a child never change after it was made",
     Decision::kMended, "They follow their owner, by server-side apply; fields of others stay.",
     "ComponentPlan.TakesAwayALabelThatIsAskedForNoMore"},
    {"Q3", "resources_total keeps series of what is gone", Decision::kMended,
     "What is counted is counted anew each time, and a series without objects ends.",
     "test_it_is_measured_under_the_names_of_the_operator"},
    {"Q4", "The controllers validate whether or not webhooks do", Decision::kKept,
     "Validation is always on: it is cheap, and a webhook may have been away.",
     "ComponentPlan.OfAnInvalidObjectIsAConditionAndAnEventOnce"},
    {"Q5", "An invalid model or component that is deleted keeps its finalizer for ever",
     Decision::kMended, "Deletion comes before validation.",
     "ModelTest.AnInvalidModelThatGoesIsNeverStuck"},
    {"Q6", "A pod behind three Services is counted and called three times", Decision::kMended,
     "An address of a pod counts once.", "ModelEndpoints.APodThatThreeServicesSelectIsThereOnce"},
    {"Q7", "The Service of a model goes with whoever made it first", Decision::kMended,
     "All components that serve the model own it; the last one takes it along.",
     "ComponentPlan.OfAModelShares"},
    {"Q8", "Each component has Services -p and -d under Kubernetes discovery", Decision::kKept,
     "Clients and monitors may use them by name, and they cost nothing; without them a cluster "
     "that changes hands would lose Services.",
     "ComponentChildren.ComeInTheOrderInWhichTheyAreMade"},
    {"Q9",
     "Merging: a probe keeps the default's handler beside the user's, zero and false override "
     "nothing, VLLM_CACHE_ROOT needs a mount point, mainContainer.name renames main",
     Decision::kKept,
     "The rules of the webhook judge the same rendering and warn or deny where it hurts; another "
     "merge would roll every pod that changes hands. Where the rename cannot work it is refused "
     "(Q38).",
     "Probes.OfTheMainContainerAreMergedIntoTheDefaults"},
    {"Q10", "Files under /etc/podinfo are empty: nobody writes the annotations", Decision::kMended,
     "Pods that start from a checkpoint carry the annotations that the files are made of.",
     "ComponentChildren.OfACheckpointCarryWhatTheirPodInformationIsMadeOf"},
    {"Q11", "An error wipes services and restart from the status", Decision::kMended,
     "An error writes its condition and leaves what was known.",
     "GraphPlan.AFailureKeepsWhatIsKnown"},
    {"Q12", "Ready gets a new transition time at each pass, so each pass writes", Decision::kMended,
     "A time stays while its status does; each condition says of which generation it speaks; "
     "nothing is written that says nothing new.",
     "ComponentPlan.IsNothingWhereAllStandsAndWasTold"},
    {"Q13", "The component pathway drops the labels of a service", Decision::kMended,
     "They are merged under the operator's own. Pods of a service with labels roll once when a "
     "cluster changes hands.",
     "GraphChildren.CarryTheLabelsOfTheirServiceUnderTheOperators"},
    {"Q14", "A graph may be successful by what a component told of its older spec",
     Decision::kMended,
     "Ready never speaks of pods before the newest change. A release of LeaderWorkerSet that tells "
     "no observedGeneration may be believed too early: between our write and its controller's "
     "first look nothing tells that the status is old.",
     "GraphPlan.IsNotReadyByPodsOfBefore"},
    {"Q15", "Grove: a service without replicas crashes the pass", Decision::kLater,
     "A graph that needs Grove is refused with a condition.",
     "GraphPlan.OfGroveIsRefusedWithAReason"},
    {"Q16", "Grove: the first status has an entry without a kind, which the API refuses",
     Decision::kLater, "A graph that needs Grove is refused with a condition.",
     "GraphPlan.OfGroveIsRefusedWithAReason"},
    {"Q17", "An autoscaler's write may be taken back by the graph", Decision::kMended,
     "The figure of an existing adapter is never written.",
     "GraphPlan.NeverWritesTheFigureOfAnAdapterAgain"},
    {"Q18", "A request with extra resources loses its condition Profiling", Decision::kLater,
     "The controller of requests is not ours yet; its job is.", "case dgdr-online-job"},
    {"Q19", "A checkpoint that fails makes its Job again for ever", Decision::kLater,
     "The controller of checkpoints is not ours yet; its job is.", "case dckpt-life"},
    {"Q20", "The job of a checkpoint edits the first container, which may be a sidecar",
     Decision::kMended, "The one named main is captured, else the first.",
     "CheckpointJob.CapturesTheContainerNamedMain"},
    {"Q21",
     "A LeaderWorkerSet's address is passed without a shell, and its rank inside of $(( )) is "
     "never filled in",
     Decision::kMended,
     "A shell reads the launch of leader and workers, by $LWS_LEADER_ADDRESS and "
     "$LWS_WORKER_INDEX; where none does, nothing is created.",
     "Launch.InALeaderWorkerSetIsAlwaysReadByAShell"},
    {"Q22", "Checkpoints made by users are not found by their identity", Decision::kLater,
     "A change of a checkpoint wakes the graphs of its namespace; the label is for the controller "
     "of checkpoints to write.",
     "WakingTest.WhatAllPodsOfANamespaceDependOnWakesAllOfIt"},
    {"Q23", "A changed job spec is sent to a Job that cannot change", Decision::kLater,
     "The controllers of requests and checkpoints are not ours yet.", "case dckpt-life"},
    {"Q24", "Over Ray a shell in front of the script runs its first word only", Decision::kMended,
     "The user's shell stays in front of all of it; without one each word stays one. What "
     "cannot be told apart is refused.",
     "Launch.OverRayKeepsTheShellInFrontOfTheWholeScript"},
    {"Q25", "A request takes any error of the API for its end", Decision::kLater,
     "The controller of requests is not ours yet.", "case dgdr-job-failed"},
    {"Q26", "Services that select nothing, as pods lack the labels that are asked for",
     Decision::kMended,
     "Pods carry what the Service of their component selects by. Pods that lack it roll once when "
     "a cluster changes hands.",
     "ComponentChildren.AreSelectedByTheirOwnService"},
    {"Q27", "A request edited while it is pending is refused for ever after", Decision::kLater,
     "The controller of requests is not ours yet.", "case dgdr-spec-change-rejected"},
    {"Q28", "A restart shows in status.restart alone", Decision::kKept,
     "State and Ready tell of the pods there are; who waits for a restart looks at status.restart.",
     "GraphPlan.ARestartGoesFromServiceToService"},
    {"Q29", "A child that is taken over gets no owner", Decision::kMended,
     "Nothing of somebody else's is taken over: a condition names it.",
     "ComponentPlan.NeverTouchesWhatIsSomebodyElses"},
    {"Q30", "The pod of a checkpoint's job lacks the graph's variables and discovery",
     Decision::kMended, "It is made as the serving pod is, so that what is captured can serve.",
     "GraphChildren.CaptureAPodAsItServes"},
    {"Q31", "A service that asks for Kubernetes discovery names an account that nobody makes",
     Decision::kMended,
     "The account is made as soon as one service needs it; what a service says stands.",
     "GraphChildren.MakeTheAccountThatOneServiceAsksFor"},
    {"Q32",
     "Sizes of vLLM in command, as --flag=N, in quotes or right in front of the end of a command "
     "are not read: each node starts alone",
     Decision::kMended,
     "All are read, and the short flags. The rules of the webhook still tell what the reference "
     "reads.",
     "Launch.IsToldByWhatTheFirstOperatorsRead"},
    {"Q33", "mpirun's inner command stands between single quotes as it is", Decision::kMended,
     "It is quoted, and so is a variable's name that is no plain word; words without a shell each "
     "stay one.",
     "Launch.OfTensorRtHandsWordsOnAsTheyAre"},
    {"Q34", "VLLM_CACHE_ROOT of the user is there twice, and the operator's wins",
     Decision::kMended,
     "It is written once, and the user's stays. Pods with both roll once when a cluster changes "
     "hands.",
     "ComponentChildren.GiveAVariableOnceThoughTwoAreMeant"},
    {"Q35", "Volumes or mounts of the user take an endpoint picker's config away", Decision::kKept,
     "A list of the user replaces the type's, as everywhere; the webhook's rules judge the same "
     "rendering.",
     "Mounts.OfTheUserReplaceThoseOfAnEndpointPicker"},
    {"Q36", "A failed checkpoint is told and written at each pass", Decision::kLater,
     "The controller of checkpoints is not ours yet.", "case dckpt-life"},
    {"Q37", "A request may replace the labels by which it finds its graph", Decision::kLater,
     "The controller of requests is not ours yet.", "case dgdr-auto-apply-life"},
    {"Q38", "A renamed main container leaves the edits of a checkpoint to a sidecar",
     Decision::kMended, "The rename is refused where a checkpoint or several nodes need the name.",
     "ComponentChildren.OfACheckpointAreRefusedUnderAnotherNameThanMain"},
}};

constexpr std::string_view kHead =
    "# Where our controllers differ from the first operators'\n\n"
    "Oddities of the controllers of the first operators, by number, and what ours do about each: "
    "*mended*, *kept* as it was measured, or *later*, where the controller is not ours\nyet. "
    "`controller-cases --explain DIR` tells which golden cases show them. Written by "
    "`controller-cases --page`; its table is `tests/controller_cases/oddities.cpp`.\n\n"
    "| | the first operators | ours | | shown by |\n|---|---|---|---|---|\n";

}  // namespace

std::string_view word_of(Decision decision) {
  switch (decision) {
    case Decision::kMended:
      return "mended";
    case Decision::kKept:
      return "kept";
    case Decision::kLater:
      break;
  }
  return "later";
}

std::span<const Oddity> oddities() {
  return kTable;
}

std::string oddities_page() {
  std::string page(kHead);
  for (const Oddity& each : kTable) {
    page += "| ";
    page += each.id;
    page += " | ";
    page += each.fact;
    page += " | ";
    page += each.about;
    page += " | ";
    page += word_of(each.decision);
    page += " | `";
    page += each.shown;
    page += "` |\n";
  }
  return page;
}

}  // namespace dynamo::cases
