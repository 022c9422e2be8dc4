// The fields of a pod that take one of a few words, as a table: which words, and since when
// Kubernetes reads the field.
#pragma once

#include <span>
#include <string_view>

namespace dynamo::validators::pod {

// The newest Kubernetes whose words the table has.
inline constexpr int kNewestWords = 35;

struct Vocabulary {
  std::span<const std::string_view> words;           // what Kubernetes 1.35 takes
  std::span<const std::string_view> announced = {};  // what only a feature gate adds to them
  // Kubernetes before that minor version drops the field unread; 0: all read it.
  int read_since = 0;
  // Whether the API server refuses what is none of them; else the pod is made and does not start,
  // or the field is read behind a feature gate alone.
  bool is_refused = true;
  // What a size may follow, as in HugePages-2Mi; empty: none.
  std::string_view before_size = {};
  // A word in another case is told by the rule that judges the rest of the field.
  bool case_is_told_elsewhere = false;
  // The field beside it without which an announced word is refused in any case, by another rule.
  std::string_view announced_beside = {};
  // The words are some of the names that there are, such as those of resources: another name close
  // by means another thing.
  bool has_other_names = false;
  // Another rule judges the field, and may take more than these words, which are offered only.
  bool is_offered_only = false;
};

// Those that rules about the rest of their fields read, too.
extern const Vocabulary kRestartPolicies;
extern const Vocabulary kDnsPolicies;
extern const Vocabulary kTolerationOperators;
extern const Vocabulary kEffects;
extern const Vocabulary kSpreadActions;
extern const Vocabulary kInclusionPolicies;
extern const Vocabulary kLabelOperators;
extern const Vocabulary kNodeOperators;
extern const Vocabulary kNodeFieldOperators;
extern const Vocabulary kNodeFields;
extern const Vocabulary kProfileTypes;
extern const Vocabulary kGroupChangePolicies;
extern const Vocabulary kHostPathTypes;
extern const Vocabulary kComponentTypes;
extern const Vocabulary kClaimModes;

// A field by its name: one of the words, or an object with such fields. A list of either is meant
// by the same row.
struct WordField {
  std::string_view name;
  const Vocabulary* vocabulary = nullptr;
  std::span<const WordField> below = {};
};

std::span<const WordField> pod_word_fields();        // of extraPodSpec, without its containers
std::span<const WordField> container_word_fields();  // of any container, without its probes
std::span<const WordField> probe_word_fields();
std::span<const WordField> toleration_word_fields();

// All of these in a whole object, from its root, for those who show what may be written; empty for
// kinds without any. Names that users give, as those of services, are kAnyName.
inline constexpr std::string_view kAnyName = "*";
std::span<const WordField> word_fields_of(std::string_view kind);

// The row of that name, or of any name; null: there is none.
const WordField* find_word_field(std::span<const WordField> fields, std::string_view name);

}  // namespace dynamo::validators::pod
