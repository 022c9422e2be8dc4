// Fields that accept only a few words; see vocabulary.hpp. Iterates over the object's members, not
// over the table.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>

#include "schema/quantity.hpp"
#include "schema/suggest.hpp"
#include "schema/wording.hpp"
#include "validators/rendered/pod/visit.hpp"
#include "validators/rendered/pod/vocabulary.hpp"
#include "validators/rendered/proof.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::pod {

using api::Context;

namespace {

using api::ErrorType;
using api::FieldPath;

bool has_word(const Vocabulary& vocabulary, std::string_view text) {
  if (std::ranges::find(vocabulary.words, text) != vocabulary.words.end()) return true;
  return !vocabulary.before_size.empty() && text.starts_with(vocabulary.before_size) &&
         schema::is_quantity(text.substr(vocabulary.before_size.size()));
}

std::string must_be(const Vocabulary& vocabulary) {
  std::string text = "must be one of " + schema::quoted_list(vocabulary.words);
  if (!vocabulary.before_size.empty()) {
    text += ", or a size behind " + quoted(vocabulary.before_size);
  }
  return text;
}

// Whether this rule validates a word of the field or of one below it.
bool is_checked(const WordField& field) {
  if (field.vocabulary != nullptr) return !field.vocabulary->is_offered_only;
  return std::ranges::any_of(field.below, is_checked);
}

// Finds the row of a name. Most names in a pod have no row, which their length and first letter
// usually rule out.
class Rows {
 public:
  explicit Rows(std::span<const WordField> fields) : fields_(fields) {
    for (const WordField& field : fields) {
      if (is_checked(field)) beginnings_ |= bit(field.name);
    }
  }
  // Null if no row with that name is validated here.
  const WordField* find(std::string_view name) const {
    if ((beginnings_ & bit(name)) == 0) return nullptr;
    const auto field = std::ranges::find(fields_, name, &WordField::name);
    return field == fields_.end() || !is_checked(*field) ? nullptr : &*field;
  }

 private:
  static std::uint64_t bit(std::string_view name) {
    const std::size_t first = name.empty() ? 0 : static_cast<unsigned char>(name.front());
    return std::uint64_t{1} << (name.size() + first) % 64;
  }

  std::span<const WordField> fields_;
  std::uint64_t beginnings_ = 0;
};

class Words {
 public:
  Words(const Context& context, Report& report)
      : kubernetes_minor_(context.facts.kubernetes_minor), report_(report) {}

  // Checks the fields of an object, or of each object of a list. The recursion is as deep as the
  // value, which the parser limits.
  void check(json::Value value, std::span<const WordField> fields, const FieldPath& path) {
    if (value.is_array()) {
      std::size_t index = 0;
      for (const json::Value element : value.elements())
        check(element, fields, path.index(index++));
      return;
    }
    for (const auto [name, member] : value.members()) {
      const auto field = std::ranges::find(fields, name, &WordField::name);
      if (field == fields.end() || is_refused_by_another(value, *field, member)) continue;
      check(member, *field, path.child(name));
    }
  }

  void check(json::Value value, const WordField& field, const FieldPath& path) {
    if (field.vocabulary == nullptr) return check(value, field.below, path);
    if (field.vocabulary->is_offered_only) return;
    if (!value.is_array()) return check_word(value, *field.vocabulary, path);
    std::size_t index = 0;
    for (const json::Value element : value.elements()) {
      check_word(element, *field.vocabulary, path.index(index++));
    }
  }

 private:
  static bool is_refused_by_another(json::Value object, const WordField& field, json::Value word) {
    if (field.vocabulary == nullptr || field.vocabulary->announced_requires.empty()) return false;
    const auto& announced = field.vocabulary->announced;
    return object[field.vocabulary->announced_requires].string_or_empty().empty() &&
           std::ranges::find(announced, word.string_or_empty()) != announced.end();
  }

  // An empty text counts as not set, or the rule of its field reports it; type.mismatch reports one
  // of another type.
  void check_word(json::Value value, const Vocabulary& vocabulary, const FieldPath& path) {
    const std::string_view text = value.string_or_empty();
    if (text.empty() || has_word(vocabulary, text)) return;
    const bool in_other_case = !value_in_other_case(text, vocabulary.words).empty() ||
                               !value_in_other_case(text, vocabulary.announced).empty();
    if (in_other_case && vocabulary.case_is_reported_elsewhere) return;
    if (std::ranges::find(vocabulary.announced, text) != vocabulary.announced.end()) {
      return report_.also_warn(path, [&] {
        return must_be(vocabulary) + "; found " + quoted(text) +
               ", which Kubernetes takes only behind a feature gate";
      });
    }
    const auto detail = [&] {
      return must_be(vocabulary) + "; found " + quoted(text) +
             schema::did_you_mean(schema::nearest_word(vocabulary.words, text));
    };
    if (is_certain(vocabulary)) return report_.add(ErrorType::kNotSupported, path, detail);
    report_.also_warn(path, detail);
  }

  // Words of a Kubernetes newer than the table are unknown, and a version that does not read the
  // field refuses nothing.
  bool is_certain(const Vocabulary& vocabulary) const {
    if (!vocabulary.is_refused) return false;
    if (!kubernetes_minor_) return vocabulary.read_since == 0;
    return *kubernetes_minor_ >= vocabulary.read_since && *kubernetes_minor_ <= kNewestWords;
  }

  const std::optional<int> kubernetes_minor_;
  Report& report_;
};

void check_probe(Words& words, const RenderedPod& pod, const render::Probe& probe) {
  const json::Value user = probe.fields.user();
  if (probe.origin.is_generated() || !user.is_object()) return;
  const render::OriginPath at(*pod.path, probe.origin);
  words.check(user, probe_word_fields(), at.path());
}

// The controller replaces the probes of the first container of a checkpoint's template. Probes of
// an init container that ends are refused by another rule.
bool keeps_probes(const render::Container& container) {
  if (container.block == render::Block::kTemplateContainer) return container.index != 0;
  return !is_init_container(container) ||
         container.user["restartPolicy"].string_or_empty() == "Always";
}

void check_container(Words& words, const RenderedPod& pod, const render::Container& container) {
  static const Rows rows{container_word_fields()};
  for (const auto [name, value] : container.user.members()) {
    const WordField* const field = rows.find(name);
    if (field == nullptr) continue;
    // For init containers pod.forbidden-in-template reports restart policies.
    if (name == "restartPolicy" && is_init_container(container)) continue;
    const render::OriginPath at(*pod.path, container.field(field->name));
    words.check(value, *field, at.path());
  }
  if (!keeps_probes(container)) return;
  check_probe(words, pod, container.liveness);
  check_probe(words, pod, container.readiness);
  check_probe(words, pod, container.startup);
}

void check_pod(Words& words, const RenderedPod& pod) {
  static const Rows rows{pod_word_fields()};
  for (const auto [name, value] : pod.pod->user.members()) {
    const WordField* const field = rows.find(name);
    if (field == nullptr) continue;
    // The controller of a checkpoint replaces the pod's security context.
    if (name == "securityContext" && pod.pod->block == render::Block::kTemplate) continue;
    const render::OriginPath at(*pod.path, pod.pod->field(field->name));
    words.check(value, *field, at.path());
  }
  for_each_container(*pod.pod, [&](const render::Container& container) {
    check_container(words, pod, container);
  });
}

void vocabulary(const Context& context, const RenderedObject& rendered, Report& report) {
  Words words(context, report);
  for (const RenderedPod& pod : rendered.changed_pods()) check_pod(words, pod);
  if (context.kind != api::Kind::kGraphDeploymentRequest) return;
  constexpr FieldPath kSpec{"spec"};
  const FieldPath profiling = kSpec.child("profilingConfig");
  const json::Value tolerations = rendered.object.spec()["profilingConfig"]["tolerations"];
  words.check(tolerations, toleration_word_fields(), profiling.child("tolerations"));
}

}  // namespace

extern constexpr Rule kVocabularyRule{
    .id = "pod.vocabulary",
    .kinds = kinds::kPodsAndRequests,
    .function = &vocabulary,
    .field =
        "C.imagePullPolicy, C.terminationMessagePolicy, C.ports, E.dnsPolicy, E.tolerations, "
        "E.topologySpreadConstraints",
};

}  // namespace dynamo::validators::pod
