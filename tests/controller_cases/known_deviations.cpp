#include "tests/controller_cases/known_deviations.hpp"

#include <array>

namespace dynamo::cases {
namespace {

constexpr std::array<KnownDeviation, kKnownDeviationCount> kTable = {{
    {"Q1", "A new marker lease has no renewTime, so it counts as expired at first",
     Decision::kFixed, "The first lease is written with its renewTime.",
     "MarkerLeaseTest.FirstLeaseHasRenewTime"},
    {"Q2",
     "Labels, annotations, data and rules of an owned object never change after its "
     "creation",
     Decision::kFixed, "They follow their owner, by server-side apply; fields of others stay.",
     "ComponentPlan.RemovedAnnotationTriggersAnApply"},
    {"Q3", "resources_total keeps series of deleted objects", Decision::kFixed,
     "All objects are counted again each time, and a series without objects ends.",
     "test_metrics_have_the_names_of_the_operator"},
    {"Q4", "The controllers validate whether or not webhooks do", Decision::kKept,
     "Validation is always on: it is cheap, and the webhook may have been unavailable.",
     "ComponentPlan.InvalidObjectGetsConditionAndOneEvent"},
    {"Q5", "An invalid model or component that is deleted keeps its finalizer forever",
     Decision::kFixed, "Deletion comes before validation.",
     "ModelTest.DeletionOfInvalidModelIsNotBlocked"},
    {"Q6", "A pod behind three Services is counted and called three times", Decision::kFixed,
     "An address of a pod counts once.", "ModelEndpoints.PodOfSeveralServicesIsListedOnce"},
    {"Q7", "The Service of a model is deleted with the component that created it first",
     Decision::kFixed,
     "All components that serve the model own it; it is deleted with the last one.",
     "ComponentPlan.ModelServiceIsSharedByComponents"},
    {"Q8", "Each component has Services -p and -d under Kubernetes discovery", Decision::kKept,
     "Clients and monitors may use them by name, and they cost nothing; without them a cluster "
     "would lose Services when the controllers are replaced.",
     "ComponentObjects.AreListedInCreationOrder"},
    {"Q9",
     "Merging: a probe keeps the default's handler in addition to the user's, zero and false "
     "override nothing, VLLM_CACHE_ROOT needs a mount point, mainContainer.name renames main",
     Decision::kKept,
     "The rules of the webhook validate the same rendering and warn or deny where it is harmful; "
     "another merge would roll every pod when the controllers are replaced. A rename that cannot "
     "work is refused (Q38).",
     "Probes.MainContainerProbesMergeWithDefaults"},
    {"Q10", "Files under /etc/podinfo are empty: no controller writes the annotations",
     Decision::kFixed,
     "Pods that start from a checkpoint carry the annotations that these files show.",
     "ComponentObjects.CheckpointPodsHavePodInformationAnnotations"},
    {"Q11", "An error wipes services and restart from the status", Decision::kFixed,
     "An error writes its condition and keeps the rest of the status.",
     "GraphPlan.FailureKeepsKnownStatus"},
    {"Q12", "Ready gets a new transition time at each reconcile, so each reconcile writes",
     Decision::kFixed,
     "A transition time changes only with its status; each condition has its observedGeneration; "
     "an unchanged status is not written.",
     "ComponentPlan.PlanIsEmptyWhenUpToDate"},
    {"Q13", "The component pathway drops the labels of a service", Decision::kFixed,
     "They are merged under the operator's own. Pods of a service with labels roll once when the "
     "controllers are replaced.",
     "GraphObjects.OperatorLabelsOverrideServiceLabels"},
    {"Q14", "A graph may be successful because of a component's status for an older spec",
     Decision::kFixed,
     "Ready never refers to pods from before the newest change. The status of a LeaderWorkerSet "
     "without observedGeneration may be trusted too early: between our write and its "
     "controller's first reconcile nothing shows that the status is old.",
     "GraphPlan.ChangedComponentIsNotReady"},
    {"Q15", "Grove: a service without replicas crashes the reconcile", Decision::kFixed,
     "It has one replica.", "CliqueSet.ServiceWithoutReplicaCountHasOne"},
    {"Q16", "Grove: the first status has an entry without a kind, which the API refuses",
     Decision::kFixed, "The entry of an absent clique has its kind and name, and counts no pods.",
     "GroveGraphPlan.AbsentCliquesAreCountedByName"},
    {"Q17", "An autoscaler's write may be reverted by the graph", Decision::kFixed,
     "The replicas of an existing adapter are never written.",
     "GraphPlan.ReplicaCountOfAdapterIsNotOverwritten"},
    {"Q18", "A request with extra resources loses its condition Profiling", Decision::kFixed,
     "All conditions are written in one patch of the status.",
     "RequestPlan.OtherKindsThanConfigMapsAreNamed"},
    {"Q19", "A failed checkpoint creates its Job again forever", Decision::kFixed,
     "It stays failed, also when its Job is deleted, until its spec or its annotation "
     "nvidia.com/retry changes.",
     "CheckpointPlan.FailedCheckpointStaysFailedWithoutItsJob"},
    {"Q20", "The job of a checkpoint edits the first container, which may be a sidecar",
     Decision::kFixed, "The one named main is captured, else the first.",
     "CheckpointJob.CapturesTheContainerNamedMain"},
    {"Q21",
     "A LeaderWorkerSet's address is passed without a shell, and its rank inside of $(( )) is "
     "never filled in",
     Decision::kFixed,
     "A shell reads the launch of leader and workers, by $LWS_LEADER_ADDRESS and "
     "$LWS_WORKER_INDEX; where none does, nothing is created.",
     "Launch.LeaderWorkerSetAlwaysUsesShell"},
    {"Q22", "Checkpoints made by users are not found by their identity", Decision::kFixed,
     "Each checkpoint gets the label of its hash, and a change of a checkpoint wakes the graphs of "
     "its namespace.",
     "CheckpointPlan.UserLabelIsReplacedByTheHash"},
    {"Q23", "A changed job spec is sent to a Job that cannot change", Decision::kFixed,
     "A Job is created once and never changed.",
     "CheckpointPlan.JobOfAnInterruptedReconcileIsAdopted"},
    {"Q24", "Over Ray a shell in front of the script runs its first word only", Decision::kFixed,
     "The user's shell stays in front of all of it; without one each word stays one word. "
     "Ambiguous commands are refused.",
     "Launch.RayKeepsShellForWholeScript"},
    {"Q25", "A request treats any error of the API as final", Decision::kFixed,
     "Errors of the API are retried and stay visible in a condition; a failed request is retried "
     "after an edit of its spec or its annotation nvidia.com/retry.",
     "RequestPlan.EditRetriesFailedRequest"},
    {"Q26", "Services select nothing, because pods lack the selected labels", Decision::kFixed,
     "Pods carry the labels that the Service of their component selects. Pods that lack them "
     "roll once when the controllers are replaced.",
     "ComponentObjects.AreSelectedByTheirOwnService"},
    {"Q27", "A request edited while it is pending is refused from then on", Decision::kFixed,
     "The spec counts as observed when its Job is created.",
     "RequestPlan.EditWhilePendingIsUsedForTheJob"},
    {"Q28", "A restart shows in status.restart alone", Decision::kKept,
     "State and Ready describe the existing pods; status.restart shows the progress of a restart.",
     "GraphPlan.SequentialRestartProceedsServiceByService"},
    {"Q29", "An object that is taken over gets no owner", Decision::kFixed,
     "Objects of other owners are not taken over: a condition names it.",
     "ComponentPlan.ForeignObjectIsNotWritten"},
    {"Q30", "The pod of a checkpoint's job lacks the graph's variables and discovery",
     Decision::kFixed,
     "It is rendered like the serving pod, so that the captured state can "
     "serve.",
     "GraphObjects.CheckpointJobMatchesServingPod"},
    {"Q31",
     "A service that asks for Kubernetes discovery names an account that no controller "
     "creates",
     Decision::kFixed,
     "The account is created as soon as one service needs it; an account that a service sets is "
     "kept.",
     "GraphObjects.DiscoveryAnnotationCreatesServiceAccount"},
    {"Q32",
     "Sizes of vLLM in command, as --flag=N, in quotes or right in front of the end of a command "
     "are not read: each node starts alone",
     Decision::kFixed,
     "All are read, and the short flags. The rules of the webhook still report what the "
     "reference reads.",
     "Launch.VllmSizesAreReadFromEveryForm"},
    {"Q33", "mpirun's inner command is put between single quotes without escaping",
     Decision::kFixed,
     "It is quoted, and so is a variable's name that is no plain word; without a shell each word "
     "stays one word.",
     "Launch.TensorRtPassesWordsUnchanged"},
    {"Q34", "VLLM_CACHE_ROOT of the user is there twice, and the operator's wins", Decision::kFixed,
     "It is written once, with the user's value. Pods with both roll once when the controllers "
     "are replaced.",
     "ComponentObjects.SetEachVariableOnce"},
    {"Q35", "Volumes or mounts of the user remove an endpoint picker's config", Decision::kKept,
     "A list of the user replaces the type's, as everywhere; the webhook's rules validate the "
     "same rendering.",
     "Mounts.UserMountsReplaceEndpointPickerDefaults"},
    {"Q36", "A failed checkpoint is reported and written at each reconcile", Decision::kFixed,
     "Each transition is written and reported once.",
     "CheckpointPlan.FailureIsReportedOncePerTransition"},
    {"Q37", "A request may replace the labels by which it finds its graph", Decision::kFixed,
     "The tracking labels win.", "GeneratedGraph.TrackingLabelsWinOverOverrides"},
    {"Q38", "A renamed main container leaves the edits of a checkpoint to a sidecar",
     Decision::kFixed, "The rename is refused where a checkpoint or several nodes need the name.",
     "ComponentObjects.CheckpointRequiresMainContainerName"},
}};

constexpr std::array<OwnDecision, 25> kOwnDecisions = {{
    {"E1",
     "Two events report each created object, one each object that was read, and one or two the end "
     "of each reconcile",
     "An event reports a change, once. Further events name the services of a graph that roll, the "
     "missing target of an adapter, and a refused object that is valid again.",
     "ComponentPlan.UpdateEventNamesTheChange"},
    {"S1", "An update replaces the whole spec of an owned object, with the fields of other writers",
     "Fields of other writers stay, by server-side apply, and cause no write.",
     "case dcd-manual-drift"},
    {"S2", "Two annotations record the spec that was applied last",
     "A third one has the hash of all other fields, so that a label or a key that is no longer "
     "desired is removed.",
     "ComponentPlan.RemovedAnnotationTriggersAnApply"},
    {"S3", "A change to an object of a kind without a generation stays",
     "A change to a desired field is reverted, for every kind.", "case dcd-service-edited"},
    {"S4", "Some objects that their owner no longer desires stay",
     "They are deleted, except claims, accounts, roles and checkpoints.", "case dgd-epp-taken-out"},
    {"S5", "An object in deletion that another finalizer keeps is reconciled further",
     "It gets no owned objects and emits no events.", "case dcd-going-of-others"},
    {"S6", "An owned object in deletion counts as existing",
     "The controller waits for its deletion, and for that of an object of an earlier owner of the "
     "same name.",
     "case dcd-service-going"},
    {"S7",
     "A restart waits for a service that the graph no longer has, and restarts none of the others",
     "It continues with the others.", "case dgd-restart-current-gone"},
    {"S8",
     "A checkpoint that is named by its hash, but has no label of it, is overwritten by a graph",
     "An existing checkpoint is never changed, whatever labels it has.",
     "case dgd-checkpoint-by-hand-unlabelled"},
    {"S9", "A path in its pods, file:///, is refused as the adapter of a model", "It is loaded.",
     "case dm-lora-file"},
    {"S10", "Each adapter of a service scales it",
     "One adapter scales a service; another one gets a condition that says it is ignored.",
     "case dgdsa-two-of-one-service"},
    {"S11",
     "Each graph of a cluster-wide operator gets a copy of the Secret with the MPI keys in its "
     "namespace",
     "Only a graph that mounts the Secret gets it, because any reader of the Secret can log in to "
     "the pods of all graphs.",
     "case dgd-multinode-no-orchestrator"},
    {"S12", "A generated graph is stored in its request without validation",
     "A graph that the operator's rules deny fails its request; the condition lists the causes.",
     "case dgdr-graph-denied"},
    {"S13",
     "The profiler gets addresses of NATS and etcd that contain its namespace, whatever the "
     "operator has",
     "It gets those of --natsAddr and --etcdAddr; only without these flags the addresses with the "
     "namespace.",
     "case dgdr-addresses"},
    {"S14",
     "Generated objects that are neither the graph nor ConfigMaps are not created, without notice",
     "An event names them.", "case dgdr-additional-resources"},
    {"S15", "A request adopts any graph of the name that it generates",
     "It does not adopt the graph of another request or owner; a condition names the holder.",
     "case dgdr-graph-of-other-request"},
    {"S16", "A checkpoint is always stored, and found, in a claim",
     "The status and the pods have the storage of --checkpoint-storage-type.", "case dckpt-job-s3"},
    {"S17", "A request in an unknown state fails without a condition",
     "A condition and an event name the state, and the request can be retried.",
     "case dgdr-unknown-state"},
    {"S18",
     "The API server refuses the Job of a checkpoint whose name has more than 52 characters, and "
     "the controller retries forever",
     "Nothing is sent; the condition JobCreated has the reason NameTooLong and the limit.",
     "CheckpointPlan.TooLongNameIsReported"},
    {"S19",
     "The API server refuses the Job of a request whose name has more than 55 characters, and the "
     "request fails with that error",
     "The request fails before a Job is sent; the condition Validation has the limit.",
     "RequestTest.NameTooLongForTheJobIsRefused"},
    {"S20", "A checkpoint that violates the rules gets a Job",
     "It gets the condition Valid, False with ValidationFailed, and no Job.",
     "CheckpointPlan.BrokenRulesAreReportedOncePerGeneration"},
    {"S21", "Any number of profiling Jobs runs at once",
     "At most --max-profiling-jobs run, by default ten; the other requests stay Pending with the"
     " reason WaitingForProfilingSlot.",
     "RequestPlan.RequestWaitsWhileAllSlotsAreTaken"},
    {"S22",
     "The results of a profiling Job are copied by bitnami/kubectl:latest with a shell script",
     "With --profile-copier-image, which the chart sets, dynamo-reconciler copy-profile copies "
     "them; without it the reconciler logs a warning.",
     "RunningTest.MissingCopierImageIsLoggedOnce"},
    {"S23",
     "The namespace of a generated object is replaced by that of the request, without notice",
     "The condition and the event SpecGenerated name the replaced namespace.",
     "RequestPlan.NamespaceOfTheResultIsReported"},
    {"S24",
     "A restart of a graph over Grove may be Completed while the cliques have their old pods: it "
     "only waits until the set is observed",
     "It also waits until Grove has put the restart mark on its cliques and reports the newest "
     "hash "
     "of the set for them. A clique without an owner needs no mark, and one without a hash needs "
     "only its counts.",
     "GroveGraphPlan.RestartCompletesAfterGroveMarksTheCliques"},
}};

constexpr std::string_view kHead =
    "# Known deviations\n\n"
    "Known deviations of the controllers of the first operators, by number, and what ours do about "
    "each: *fixed*, *kept* as measured, or *later*, if ours do not have that controller\nyet. "
    "`controller-cases --explain DIR` lists the golden cases that show them. Written by "
    "`controller-cases --page`; its table is `tests/controller_cases/known_deviations.cpp`.\n\n"
    "| | the first operators | ours | | shown by |\n|---|---|---|---|---|\n";

constexpr std::string_view kOwnHead =
    "\n## Other differences\n\n"
    "Ours differ here by decision. The rows of `tests/controller_cases/allowed_differences.cpp` "
    "have the same names.\n\n"
    "| | the first operators | ours | shown by |\n|---|---|---|---|\n";

}  // namespace

std::string_view word_of(Decision decision) {
  switch (decision) {
    case Decision::kFixed:
      return "fixed";
    case Decision::kKept:
      return "kept";
    case Decision::kLater:
      break;
  }
  return "later";
}

std::span<const KnownDeviation> known_deviations() {
  return kTable;
}

std::span<const OwnDecision> own_decisions() {
  return kOwnDecisions;
}

std::string known_deviations_page() {
  std::string page(kHead);
  for (const KnownDeviation& each : kTable) {
    page += "| ";
    page += each.id;
    page += " | ";
    page += each.fact;
    page += " | ";
    page += each.about;
    page += " | ";
    page += word_of(each.decision);
    page += " | `";
    page += each.shown_by;
    page += "` |\n";
  }
  page += kOwnHead;
  for (const OwnDecision& each : kOwnDecisions) {
    page += "| ";
    page += each.id;
    page += " | ";
    page += each.fact;
    page += " | ";
    page += each.about;
    page += " | `";
    page += each.shown_by;
    page += "` |\n";
  }
  return page;
}

}  // namespace dynamo::cases
