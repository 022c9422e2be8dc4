#include "schema/catalog.hpp"

#include <algorithm>
#include <array>

#include "schema/check_ids.hpp"

namespace dynamo::schema {
namespace {

// clang-format off
constexpr std::array kCatalog = std::to_array<CheckText>({
    {ids::kAnnotations, Stage::kSchema,
     "annotations have qualified names and take at most 256 KiB together",
     "An annotation's key is a name of at most 63 letters, digits, '-', '_' and '.', which begins and ends with a letter "
     "or digit, after an optional DNS domain and '/'. All keys and values of an object count together. Large data belongs "
     "in a ConfigMap."},
    {ids::kFinalizers, Stage::kSchema,
     "finalizers are qualified names",
     "A finalizer is a name such as example.com/clean-up: at most 63 letters, digits, '-', '_' and '.', after an optional "
     "DNS domain and '/'. Controllers set them; manifests rarely need any."},
    {ids::kGenerateName, Stage::kSchema,
     "generateName is the beginning of a DNS subdomain name",
     "The API server appends five letters or digits to generateName, so it may end with '-'. It takes lower case letters, "
     "digits, '-' and '.'."},
    {ids::kLabels, Stage::kSchema,
     "labels have qualified names and short values",
     "A label's key is a name of at most 63 letters, digits, '-', '_' and '.', after an optional DNS domain and '/'. Its "
     "value is empty or follows the rule for names. Longer text belongs in an annotation."},
    {ids::kName, Stage::kSchema,
     "an object has a name, or generateName, that is a DNS subdomain",
     "At most 253 lower case letters, digits, '-' and '.', and each part between dots begins and "
     "ends with a letter or digit: the names of the objects that are created for it contain it."},
    {ids::kNamespace, Stage::kSchema,
     "a namespace is a DNS label",
     "At most 63 lower case letters, digits and '-', beginning and ending with a letter or digit."},
    {ids::kOwnerReferences, Stage::kSchema,
     "an owner reference names its owner in full, and one owner at most is the controller",
     "apiVersion, kind, name and uid must be set. Controllers write owner references; a manifest cannot know the uid, so it "
     "should have none."},
    {ids::kApiVersion, Stage::kSchema,
     "apiVersion is that of the resource",
     "Objects of this API have apiVersion nvidia.com/v1alpha1, or nvidia.com/v1beta1 for the later generation of operators."},
    {ids::kCheckpointJob, Stage::kSchema,
     "a checkpoint with a checkpointRef has no job",
     "checkpointRef names a checkpoint that exists, so there is no job to change. Remove one of the two. A rule of "
     "the later operator's CRD (x-kubernetes-validations)."},
    {ids::kCheckpointSource, Stage::kSchema,
     "an enabled checkpoint has checkpointRef, or an identity with model and backendFramework",
     "A service with checkpoint.enabled starts from a checkpoint, so it must say which: by the name of a DynamoCheckpoint, "
     "or by the identity that the operator finds or makes one for. A rule of the CRD (x-kubernetes-validations)."},
    {ids::kClaimCreation, Stage::kSchema,
     "a volume claim with create: true has size, storageClass and volumeAccessMode",
     "The operator makes the claim from these three fields. Without create, the claim must exist already and its name is "
     "enough. A rule of the CRD (x-kubernetes-validations)."},
    {ids::kComponentNames, Stage::kSchema,
     "names of components differ in more than case",
     "The operator derives lower case names from them, so two components would have the same objects. Rename one. A "
     "rule of the later operator's CRD (x-kubernetes-validations)."},
    {ids::kContainerImage, Stage::kSchema,
     "a container other than main has an image",
     "Only the image of the container main may come from elsewhere. A rule of the later operator's CRD "
     "(x-kubernetes-validations)."},
    {ids::kEppConfigSource, Stage::kSchema,
     "an endpoint picker has either config or configMapRef",
     "The picker reads one configuration. Remove one of the two, or set one. A rule of the later operator's CRD "
     "(x-kubernetes-validations)."},
    {ids::kEppConfigType, Stage::kSchema,
     "only a component of type epp has an eppConfig",
     "Other components do not read it. Set type: epp, or remove the configuration. A rule of the later operator's "
     "CRD (x-kubernetes-validations)."},
    {ids::kExecutorBackend, Stage::kSchema,
     "the annotation of vLLM's executor is mp or ray",
     "nvidia.com/vllm-distributed-executor-backend is mp or ray in any case. Without the annotation, the operator "
     "chooses. A rule of the later operator's CRD (x-kubernetes-validations)."},
    {ids::kGmsClientContainers, Stage::kSchema,
     "extraClientContainers are set with the intra-pod mode only",
     "Containers of the pod reach a memory service in the same pod only. A rule of the later operator's CRD "
     "(x-kubernetes-validations)."},
    {ids::kGmsClientPods, Stage::kSchema,
     "extraClientPods are set with the inter-pod mode only",
     "Other pods do not reach a memory service in the worker's pod. A rule of the later operator's CRD "
     "(x-kubernetes-validations)."},
    {ids::kGmsClientPodsReserved, Stage::kSchema,
     "extraClientPods are empty",
     "The field is reserved for later releases. A rule of the later operator's CRD (x-kubernetes-validations)."},
    {ids::kIdentityUnchanged, Stage::kSchema,
     "a checkpoint's identity never changes",
     "The identity decides which checkpoint it is. Create another DynamoCheckpoint for another identity. A rule of the CRD "
     "(x-kubernetes-validations), asked on updates."},
    {ids::kInitContainerImage, Stage::kSchema,
     "an init container has an image",
     "The operator has no default for it. A rule of the later operator's CRD (x-kubernetes-validations)."},
    {ids::kKvPreferredWeight, Stage::kSchema,
     "a transfer policy with enforcement preferred has a preferredWeight",
     "The weight says how much the domain is preferred. Set it, or enforcement: required. A rule of the later "
     "operator's CRD (x-kubernetes-validations)."},
    {ids::kKvTopology, Stage::kSchema,
     "a transfer policy has either labelKey or clusterTopologyName",
     "The domain is found by a label of the nodes or by a topology of Grove, not by both. A rule of the later "
     "operator's CRD (x-kubernetes-validations)."},
    {ids::kKvWeightEnforcement, Stage::kSchema,
     "only a transfer policy with enforcement preferred has a preferredWeight",
     "enforcement: required ignores the weight. Remove it, or set enforcement: preferred. A rule of the later "
     "operator's CRD (x-kubernetes-validations)."},
    {ids::kLabelPrefix, Stage::kSchema,
     "the prefix of a label key has at most 253 characters",
     "A label key is a name after an optional DNS domain and '/'. A rule of the later operator's CRD "
     "(x-kubernetes-validations)."},
    {ids::kMinAvailable, Stage::kSchema,
     "minAvailable is at most replicas",
     "Replicas that must be scheduled together cannot be more than there are. Without replicas there is 1; 0 "
     "replicas are allowed. A rule of the later operator's CRD (x-kubernetes-validations)."},
    {ids::kMinAvailableUnchanged, Stage::kSchema,
     "minAvailable never changes",
     "It may be added, but neither changed nor removed. Asked on updates. A rule of the later operator's CRD "
     "(x-kubernetes-validations)."},
    {ids::kRestartOnCreate, Stage::kSchema,
     "a new graph has no restart",
     "There is nothing to restart yet. Set restart by an update. A rule of the later operator's CRD "
     "(x-kubernetes-validations)."},
    {ids::kSharedMemorySize, Stage::kSchema,
     "shared memory has a size above 0, or is disabled",
     "Write a size such as 16Gi, or disabled: true. A rule of the later operator's CRD (x-kubernetes-validations)."},
    {ids::kSingleEpp, Stage::kSchema,
     "a graph has at most one component of type epp",
     "One endpoint picker chooses among all workers of the graph. A rule of the later operator's CRD "
     "(x-kubernetes-validations)."},
    {ids::kDroppedDocument, Stage::kDecode,
     "a document follows a separator (---)",
     "A line \"...\" ends a document. kubectl reads nothing of what follows it up to the next \"---\", and reports no error. "
     "The checker validates the object all the same and warns. Write \"---\" in front of it."},
    {ids::kDuplicateField, Stage::kDecode,
     "a field occurs once in its object",
     "If two fields have one name, the last one counts, and a reader of the manifest may have "
     "seen the first. The API server refuses it with strict field validation, which kubectl asks "
     "for."},
    {ids::kDuplicateItem, Stage::kSchema,
     "items of a keyed list differ in their keys, items of a set differ",
     "Lists such as env, ports and volumes are keyed: server-side apply identifies items by "
     "their keys, for instance name. A key that is left out counts with its default. On an "
     "update nothing is reported if the stored object has such items already."},
    {ids::kEnum, Stage::kSchema,
     "a value is one of those that the field knows",
     "The field takes one of a closed list of words, written exactly so."},
    {ids::kFormat, Stage::kSchema,
     "a text has the format of its field: base64, or a time",
     "Times are written as in RFC 3339: 2025-01-31T12:00:00Z. Bytes are base64 with padding."},
    {ids::kItems, Stage::kSchema,
     "a list has no fewer and no more items than its field allows",
     "The API bounds the length of some lists."},
    {ids::kKind, Stage::kSchema,
     "kind is that of the resource",
     "The object was sent to a resource of another kind."},
    {ids::kLength, Stage::kSchema,
     "a text is no shorter and no longer than its field allows",
     "Lengths count characters (Unicode code points), not bytes."},
    {ids::kMaximum, Stage::kSchema,
     "a number is not above the greatest that its field allows",
     "The API bounds the number."},
    {ids::kMinimum, Stage::kSchema,
     "a number is not below the least that its field allows",
     "The API bounds the number."},
    {ids::kPattern, Stage::kSchema,
     "a text matches the pattern of its field",
     "Most often a quantity: a number with an optional suffix, such as 500m, 2, 16Gi or 1e3. Quantities have no unit of "
     "their own: bytes are written 1Gi, not 1GB."},
    {ids::kProperties, Stage::kSchema,
     "a map has no more entries than its field allows",
     "The API bounds the size of some maps; a graph has at most 25 services."},
    {ids::kRequired, Stage::kSchema,
     "required fields are set",
     "null counts as not set. A required field that has a default need not be written."},
    {ids::kType, Stage::kSchema,
     "a value has the type of its field",
     "In YAML 8, true, null and 1.5 are no texts: where a string is wanted write \"8\" in quotes. An entry of a list must not "
     "be null; a field that is null counts as not set."},
    {ids::kUnknownField, Stage::kDecode,
     "only fields that the API knows are written",
     "The API server drops a field that it does not know, so a misspelt one would be without effect. With strict field "
     "validation, which kubectl asks for, it refuses the object instead. Operators of the later generation know more fields: "
     "set --operator-generation later. v1alpha1 and v1beta1 have different fields; `kubectl dynamo convert` converts an object "
     "of one to the other."},
});
// clang-format on
static_assert(std::ranges::is_sorted(kCatalog, {}, &CheckText::id));

}  // namespace

std::string_view name(Stage stage) {
  return stage == Stage::kDecode ? "decode" : "schema";
}

std::span<const CheckText> catalog() {
  return kCatalog;
}

const CheckText* find_check(std::string_view id) {
  const auto at = std::ranges::lower_bound(kCatalog, id, {}, &CheckText::id);
  return at != kCatalog.end() && at->id == id ? &*at : nullptr;
}

}  // namespace dynamo::schema
