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
  std::span<const std::string_view> announced = {};  // what a feature gate or a later one adds
  // Kubernetes before that minor version drops the field unread; 0: all read it.
  int read_since = 0;
  // Whether the API server refuses what is none of them; else the pod is made and does not start.
  bool is_refused = true;
  // Words that are known may also end in more, as HugePages-2Mi does.
  bool takes_suffix = false;
  // A word in another case is told by the rule that judges the rest of the field.
  bool case_is_told_elsewhere = false;
};

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

}  // namespace dynamo::validators::pod
