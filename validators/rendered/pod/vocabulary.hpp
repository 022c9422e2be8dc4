// The table of pod fields that accept only a few words: which words, and since which Kubernetes
// version the field is read.
#pragma once

#include <span>
#include <string_view>

namespace dynamo::validators::pod {

// The newest Kubernetes minor version that the table covers.
inline constexpr int kNewestWords = 35;

struct Vocabulary {
  std::span<const std::string_view> words;           // accepted by Kubernetes 1.35
  std::span<const std::string_view> announced = {};  // accepted in addition with a feature gate
  // Kubernetes before this minor version drops the field unread; 0: all versions read it.
  int read_since = 0;
  // Whether the API server refuses other words. If not, the pod is created and does not start, or
  // only a feature gate enables the field.
  bool is_refused = true;
  // The prefix of a size, as in HugePages-2Mi; empty: none.
  std::string_view before_size = {};
  // The rule for the rest of the field reports a word in another case.
  bool case_is_reported_elsewhere = false;
  // The related field without which another rule refuses an announced word in any case.
  std::string_view announced_requires = {};
  // The words are only some of the valid names, such as those of resources. A similar name can be a
  // different valid one.
  bool has_other_names = false;
  // Another rule validates the field and may accept more words. These are only suggestions.
  bool is_offered_only = false;
};

// These are also used by rules on the rest of their fields.
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

// A field by its name: one of the words, or an object with such fields. The row also covers a list
// of either.
struct WordField {
  std::string_view name;
  const Vocabulary* vocabulary = nullptr;
  std::span<const WordField> below = {};
};

std::span<const WordField> pod_word_fields();        // of extraPodSpec, without its containers
std::span<const WordField> container_word_fields();  // of any container, without its probes
std::span<const WordField> probe_word_fields();
std::span<const WordField> toleration_word_fields();

// All of these fields in a whole object of that version ("v1beta1"), from its root, for completion
// and documentation. Empty for kinds without any. Names that users choose, such as those of
// services, are kAnyName.
inline constexpr std::string_view kAnyName = "*";
std::span<const WordField> word_fields_of(std::string_view kind,
                                          std::string_view version = "v1alpha1");

// The row with that name or with kAnyName; null if there is none.
const WordField* find_word_field(std::span<const WordField> fields, std::string_view name);

}  // namespace dynamo::validators::pod
