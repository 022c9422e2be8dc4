#include "admission/client_words.hpp"

#include <algorithm>
#include <span>

namespace dynamo::admission {
namespace {

struct Replacement {
  std::string_view from;
  std::string_view to;
};

// Of several that begin alike, the longest comes first.
constexpr Replacement kToBeta[] = {
    {"spec.services", "spec.components"},
    {"services", "components"},
    {"service", "component"},
    {"extraPodMetadata", "podTemplate.metadata"},
    {"extraPodSpec", "podTemplate.spec"},
    {"mainContainer.ports", "ports of container main"},
    {"mainContainer.volumeMounts", "volumeMounts of container main"},
    {"mainContainer", "container main"},
    {"planner, epp or a name of your own", "planner or epp"},
    {"componentType", "type"},
    {"subComponentType", "type"},
    {"limits.gpu", "limits[nvidia.com/gpu]"},
    {"requests.gpu", "requests[nvidia.com/gpu]"},
    {"sharedMemory.disabled is true", "sharedMemorySize is 0"},
    {"sharedMemory", "sharedMemorySize"},
    {"topologyProfile", "clusterTopologyName"},
    {"interPod", "InterPod"},
    {"intraPod", "IntraPod"},
    {"a request whose status.state", "a request whose status.phase"},
};

constexpr Replacement kToAlpha[] = {
    {"components", "services"},
    {"component", "service"},
    {"podTemplate.spec", "extraPodSpec"},
    {"podTemplate", "extraPodSpec"},
    {"container main", "mainContainer"},
    {"unless type is", "unless componentType is"},
    {"type epp", "componentType epp"},
    {"clusterTopologyName", "topologyProfile"},
    {"InterPod", "interPod"},
    {"IntraPod", "intraPod"},
};

bool is_in_word(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || letter == '_' || letter == '-';
}

bool begins_with_word(std::string_view text, std::string_view word) {
  return text.starts_with(word) && (text.size() == word.size() || !is_in_word(text[word.size()]));
}

}  // namespace

std::string in_words_of(conversion::Version target, std::string_view detail) {
  const auto replacements = target == conversion::Version::kV1beta1
                                ? std::span<const Replacement>(kToBeta)
                                : std::span<const Replacement>(kToAlpha);
  std::string text;
  bool is_quoted = false;
  bool is_start = true;  // of a word
  while (!detail.empty()) {
    const Replacement* found = nullptr;
    if (is_start && !is_quoted) {
      const auto at = std::ranges::find_if(replacements, [detail](const Replacement& each) {
        return begins_with_word(detail, each.from);
      });
      if (at != replacements.end()) found = &*at;
    }
    const char letter = detail.front();
    if (letter == '"') is_quoted = !is_quoted;
    is_start = !is_in_word(letter);
    if (found == nullptr) {
      text += letter;
      detail.remove_prefix(1);
      continue;
    }
    text += found->to;
    detail.remove_prefix(found->from.size());
  }
  return text;
}

}  // namespace dynamo::admission
