// The table of vocabularies is compared with the schema of pods: every text field has a row or is
// listed here as free text. A new field of a newer schema fails until it is added to one of the
// two.
#include "validators/rendered/pod/vocabulary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "schema/properties.hpp"
#include "schema/table.hpp"
#include "validators/content/container_syntax.hpp"

namespace dynamo::validators::pod {
namespace {

using schema::Schema;
using schema::Type;
using testing::IsEmpty;

// Names of fields that are free text anywhere: names, paths, keys, addresses.
constexpr auto kFreeNames = std::to_array<std::string_view>({
    "add",
    "apiGroup",
    "args",
    "audience",
    "certificateChainPath",
    "claimName",
    "command",
    "conditionType",
    "containerName",
    "credentialBundlePath",
    "datasetName",
    "datasetUUID",
    "devicePath",
    "directory",
    "diskName",
    "diskURI",
    "driver",
    "drop",
    "endpoints",
    "fsType",
    "gateway",
    "gmsaCredentialSpec",
    "gmsaCredentialSpecName",
    "group",
    "host",
    "hostIP",
    "hostname",
    "hostnameOverride",
    "hostnames",
    "image",
    "initiatorName",
    "ip",
    "iqn",
    "iscsiInterface",
    "key",
    "keyPath",
    "keyring",
    "level",
    "localhostProfile",
    "matchLabelKeys",
    "mismatchLabelKeys",
    "monitors",
    "mountPath",
    "name",
    "nameservers",
    "namespace",
    "namespaces",
    "nodeName",
    "path",
    "pdID",
    "pdName",
    "pool",
    "portals",
    "prefix",
    "priorityClassName",
    "protectionDomain",
    "reference",
    "registry",
    "repository",
    "request",
    "resourceClaimName",
    "resourceClaimTemplateName",
    "revision",
    "role",
    "runAsUserName",
    "runtimeClassName",
    "schedulerName",
    "searches",
    "secretFile",
    "secretName",
    "server",
    "service",
    "serviceAccount",
    "serviceAccountName",
    "shareName",
    "signerName",
    "storageClassName",
    "storagePolicyID",
    "storagePolicyName",
    "storagePool",
    "subPath",
    "subPathExpr",
    "subdomain",
    "system",
    "targetPortal",
    "targetWWNs",
    "tenant",
    "terminationMessagePath",
    "topologyKey",
    "user",
    "value",
    "values",
    "volume",
    "volumeAttributesClassName",
    "volumeID",
    "volumeName",
    "volumeNamespace",
    "volumePath",
    "workingDir",
    "wwids",
});

// Ends of paths without a row, and the reason.
struct UncoveredPath {
  std::string_view end;
  std::string_view why;
};
constexpr auto kUncoveredPaths = std::to_array<UncoveredPath>({
    {"metadata.finalizers", "names"},
    {"dataSource.kind", "kinds of any group"},
    {"dataSourceRef.kind", "kinds of any group"},
    {"seLinuxOptions.type", "the policy of the node"},
});

const Schema& element_of(const Schema& schema) {
  const Schema* at = &schema;
  while (at->type == Type::kArray && at->each != nullptr) at = at->each;
  return *at;
}

// Texts without a row, below a pod.
class TextsWithoutWords {
 public:
  void walk(const Schema& schema, std::span<const WordField> fields, const std::string& path) {
    for (const schema::Property& property : schema.properties) {
      // These are added to running pods, and are refused in a template.
      if (property.name == "ephemeralContainers") continue;
      const WordField* const row = find_word_field(fields, property.name);
      const std::string at = path + '.' + std::string(property.name);
      const Schema& value = element_of(*property.schema);
      if (value.type == Type::kString) {
        if (row == nullptr && !is_free(property.name, at)) found_.insert(at);
        if (row == nullptr) names_.insert(std::string(property.name));
      } else {
        walk(value, row == nullptr ? std::span<const WordField>{} : row->below, at);
      }
    }
  }

  const std::set<std::string>& found() const { return found_; }
  const std::set<std::string>& names() const { return names_; }

 private:
  static bool is_free(std::string_view name, std::string_view path) {
    return std::ranges::find(kFreeNames, name) != kFreeNames.end() ||
           std::ranges::any_of(kUncoveredPaths, [path](const UncoveredPath& other) {
             return ("." + std::string(path)).ends_with("." + std::string(other.end));
           });
  }

  std::set<std::string> found_;
  std::set<std::string> names_;
};

// A position in the schema, reached by names; kAnyName for names that users choose.
struct Place {
  const Schema* schema = nullptr;
  std::span<const WordField> fields = {};
  const Vocabulary* vocabulary = nullptr;  // null: the field has none
};

Place place_of(std::string_view kind, const std::vector<std::string_view>& path) {
  Place place{schema::find_resource(kind)->schema, word_fields_of(kind)};
  for (const std::string_view name : path) {
    const Schema& object = element_of(*place.schema);
    const auto* const property = schema::find_property(object, name);
    const WordField* const row = find_word_field(place.fields, name);
    if (row == nullptr) return {};
    place = {property == nullptr ? object.each : property->schema, row->below, row->vocabulary};
  }
  return place;
}

// Other rules also read these words: a lost word would be refused or misunderstood in valid
// manifests.
TEST(Vocabularies, ContainKubernetesWords) {
  using testing::ElementsAre;
  EXPECT_THAT(kRestartPolicies.words, ElementsAre("Always", "OnFailure", "Never"));
  EXPECT_THAT(kDnsPolicies.words,
              ElementsAre("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"));
  EXPECT_THAT(kTolerationOperators.words, ElementsAre("Exists", "Equal"));
  EXPECT_THAT(kTolerationOperators.announced, ElementsAre("Lt", "Gt"));
  EXPECT_THAT(kEffects.words, ElementsAre("NoSchedule", "PreferNoSchedule", "NoExecute"));
  EXPECT_THAT(kSpreadActions.words, ElementsAre("DoNotSchedule", "ScheduleAnyway"));
  EXPECT_THAT(kInclusionPolicies.words, ElementsAre("Honor", "Ignore"));
  EXPECT_THAT(kLabelOperators.words, ElementsAre("In", "NotIn", "Exists", "DoesNotExist"));
  EXPECT_THAT(kNodeOperators.words,
              ElementsAre("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"));
  EXPECT_THAT(kNodeFieldOperators.words, ElementsAre("In", "NotIn"));
  EXPECT_THAT(kProfileTypes.words, ElementsAre("Localhost", "RuntimeDefault", "Unconfined"));
  EXPECT_THAT(kGroupChangePolicies.words, ElementsAre("OnRootMismatch", "Always"));
  EXPECT_THAT(kHostPathTypes.words, ElementsAre("DirectoryOrCreate", "Directory", "FileOrCreate",
                                                "File", "Socket", "CharDevice", "BlockDevice"));
  EXPECT_THAT(kComponentTypes.words,
              ElementsAre("frontend", "worker", "prefill", "decode", "planner", "epp"));
  EXPECT_THAT(kClaimModes.words,
              ElementsAre("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"));
}

// Suggested words of a field that another rule validates.
TEST(Vocabularies, OfferWordsOfFieldsWithOtherRules) {
  const std::vector<std::string_view> service{"spec", "services", kAnyName};
  const auto in_service = [&](std::vector<std::string_view> below) {
    below.insert(below.begin(), service.begin(), service.end());
    return place_of("DynamoGraphDeployment", below).vocabulary;
  };
  const std::vector<std::pair<std::vector<std::string_view>, std::string_view>> rows{
      {{"componentType"}, "prefill"},
      {{"extraPodSpec", "restartPolicy"}, "Never"},
      {{"envs", "valueFrom", "fieldRef", "fieldPath"}, "status.podIP"},
      {{"envs", "valueFrom", "fieldRef", "apiVersion"}, "v1"},
      {{"envs", "valueFrom", "resourceFieldRef", "resource"}, "limits.cpu"},
      {{"extraPodSpec", "mainContainer", "env", "valueFrom", "fieldRef", "fieldPath"},
       "metadata.name"},
      {{"extraPodSpec", "volumes", "downwardAPI", "items", "fieldRef", "fieldPath"},
       "metadata.labels"},
      {{"extraPodSpec", "volumes", "projected", "sources", "downwardAPI", "items",
        "resourceFieldRef", "resource"},
       "requests.memory"},
      {{"extraPodSpec", "affinity", "nodeAffinity",
        "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms", "matchFields",
        "key"},
       "metadata.name"},
      {{"extraPodSpec", "affinity", "nodeAffinity",
        "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms", "matchFields",
        "operator"},
       "NotIn"}};
  for (const auto& [path, word] : rows) {
    const Vocabulary* const vocabulary = in_service(path);
    ASSERT_NE(vocabulary, nullptr) << testing::PrintToString(path);
    EXPECT_TRUE(vocabulary->is_offered_only) << testing::PrintToString(path);
    EXPECT_THAT(vocabulary->words, testing::Contains(word)) << testing::PrintToString(path);
  }
  const Place claims = place_of("DynamoGraphDeployment", {"spec", "pvcs", "volumeAccessMode"});
  ASSERT_NE(claims.vocabulary, nullptr);
  EXPECT_THAT(claims.vocabulary->words, testing::Contains("ReadWriteMany"));
}

// The suggested words are the words that the rules of these fields accept.
TEST(Vocabularies, OfferOnlyAcceptedWords) {
  const auto words_of = [](std::vector<std::string_view> path) {
    return place_of("DynamoGraphDeployment", path).vocabulary->words;
  };
  const auto source = [&](std::string_view reference, std::string_view field) {
    return words_of({"spec", "envs", "valueFrom", reference, field});
  };
  for (const std::string_view word : source("fieldRef", "fieldPath")) {
    EXPECT_TRUE(is_variable_field_path(word)) << word;
  }
  for (const std::string_view word : source("resourceFieldRef", "resource")) {
    EXPECT_TRUE(is_container_resource(word)) << word;
  }
  for (const std::string_view word :
       words_of({"spec", "services", kAnyName, "extraPodSpec", "volumes", "downwardAPI", "items",
                 "fieldRef", "fieldPath"})) {
    EXPECT_TRUE(is_volume_field_path(word)) << word;
  }
}

TEST(Vocabularies, CoverEveryPodTextThatIsNotFree) {
  TextsWithoutWords texts;
  const Place of_graph =
      place_of("DynamoGraphDeployment", {"spec", "services", kAnyName, "extraPodSpec"});
  texts.walk(*of_graph.schema, of_graph.fields, "extraPodSpec");
  const Place of_job = place_of("DynamoCheckpoint", {"spec", "job", "podTemplateSpec", "spec"});
  texts.walk(*of_job.schema, of_job.fields, "podTemplateSpec.spec");
  EXPECT_THAT(texts.found(), IsEmpty())
      << "a field must have its words in vocabulary.cpp, or be free here";
  for (const std::string_view name : kFreeNames) {
    EXPECT_TRUE(texts.names().contains(std::string(name))) << name << " is no field any more";
  }
}

// A row without a field would never be used.
void expect_fields(const Schema& schema, std::span<const WordField> fields,
                   const std::string& path) {
  for (const WordField& field : fields) {
    const std::string at = path + '.' + std::string(field.name);
    const auto* const property = schema::find_property(schema, field.name);
    const Schema* const below = property != nullptr ? property->schema : schema.each;
    ASSERT_TRUE(property != nullptr || field.name == kAnyName) << at;
    ASSERT_NE(below, nullptr) << at;
    const Schema& value = element_of(*below);
    if (field.vocabulary == nullptr) {
      EXPECT_FALSE(field.below.empty()) << at;
      expect_fields(value, field.below, at);
      continue;
    }
    EXPECT_EQ(value.type, Type::kString) << at;
    EXPECT_FALSE(field.vocabulary->words.empty()) << at;
  }
}

TEST(Vocabularies, NameExistingFields) {
  std::size_t kinds = 0;
  for (const schema::Resource& resource : schema::resources()) {
    if (word_fields_of(resource.kind).empty()) continue;
    ++kinds;
    expect_fields(*resource.schema, word_fields_of(resource.kind), std::string(resource.kind));
  }
  EXPECT_EQ(kinds, 4U);
  for (const schema::Resource& resource : schema::later_resources()) {
    const std::string_view version = schema::version_of(resource);
    if (version != "v1beta1" || word_fields_of(resource.kind, version).empty()) continue;
    ++kinds;
    expect_fields(*resource.schema, word_fields_of(resource.kind, version),
                  std::string(resource.kind));
  }
  EXPECT_EQ(kinds, 7U);
}

}  // namespace
}  // namespace dynamo::validators::pod
