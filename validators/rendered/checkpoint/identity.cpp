// Compares the identity of a checkpoint with the command line that saves or restores the state.
#include <array>
#include <optional>

#include "render/document/origin.hpp"
#include "validators/content/whole_number.hpp"
#include "validators/rendered/engine_command.hpp"
#include "validators/rendered/pod/visit.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::checkpoints {

using api::Context;

namespace {

using api::ErrorType;
using api::FieldPath;
using render::Container;
using render::Framework;

// The flags of the engines for each setting.
constexpr std::array<std::string_view, 3> kModel = {"--model", "--model-path",
                                                    "--served-model-name"};
constexpr std::array<std::string_view, 4> kTensor = {"--tensor-parallel-size", "--tp-size", "--tp",
                                                     "-tp"};
constexpr std::array<std::string_view, 4> kPipeline = {"--pipeline-parallel-size", "--pp-size",
                                                       "--pp", "-pp"};
constexpr std::array<std::string_view, 1> kType = {"--dtype"};
constexpr std::array<std::string_view, 3> kLength = {"--max-model-len", "--context-length",
                                                     "--max-seq-len"};
constexpr std::array<std::string_view, 1> kFile = {"--config"};

template <std::size_t Count>
CommandFlag first_given(const std::array<CommandFlag, Count>& flags) {
  const auto first = std::ranges::find_if(flags, &CommandFlag::given);
  return first == flags.end() ? CommandFlag{} : *first;
}

// The engines treat these names as the same type.
std::string_view canonical_type(std::string_view type) {
  if (type == "half" || type == "fp16") return "float16";
  if (type == "float" || type == "fp32") return "float32";
  if (type == "bf16") return "bfloat16";
  return type;
}

class Comparison {
 public:
  Comparison(json::Value identity, const Container& main, const FieldPath& path, Report& report)
      : identity_(identity),
        main_(main),
        engine_(engine_of(main)),
        all_written_(!has_computed_words(main) && !find_flags(main, kFile)[0].given),
        path_(path),
        report_(report) {}

  void run() const {
    check_engine();
    check_model();
    check_size("tensorParallelSize", find_flags(main_, kTensor));
    check_size("pipelineParallelSize", find_flags(main_, kPipeline));
    check_type();
    check_length();
  }

 private:
  void add_finding(std::string_view field, std::string_view identity,
                   std::string_view command) const {
    std::string detail =
        "must be as on the command line, or a state is saved and found under a wrong "
        "description; found ";
    detail.append(identity).append(" where the command line says ").append(command);
    detail += "; correct one of the two";
    report_.add(ErrorType::kInvalid, path_.child(field), std::move(detail));
  }

  void check_engine() const {
    const std::string_view declared = identity_["backendFramework"].string_or_empty();
    const std::string_view runs = render::framework_name(engine_);
    if (engine_ == Framework::kNoop || declared.empty() || declared == runs) return;
    add_finding("backendFramework", quoted(declared), quoted(runs));
  }

  void check_model() const {
    const std::string_view model = identity_["model"].string_or_empty();
    if (model.empty()) return;
    const std::array flags = find_flags(main_, kModel);
    for (const CommandFlag& flag : flags) {
      // The content of a path is unknown.
      const bool unknown = flag.given && (flag.is_computed() || is_path(flag.value));
      if (unknown || (flag.given && flag.value == model)) return;
    }
    const CommandFlag found = first_given(flags);
    if (!found.given) return;
    add_finding("model", quoted(model), quoted(found.value));
  }

  void check_size(std::string_view field, const std::array<CommandFlag, 4>& flags) const {
    const std::int64_t declared = identity_[field].integer().value_or(1);
    const CommandFlag flag = first_given(flags);
    std::optional<std::int64_t> size;
    if (flag.given) {
      size = parse_whole_number(flag.value);
    } else if (all_written_ && (engine_ == Framework::kVllm || engine_ == Framework::kSglang)) {
      size = 1;  // the default of both sizes
    }
    if (!size || *size == declared) return;
    add_finding(field, std::to_string(declared), std::to_string(*size));
  }

  void check_type() const {
    const std::string_view declared = identity_["dtype"].string_or_empty();
    const CommandFlag flag = find_flags(main_, kType)[0];
    if (declared.empty() || declared == "auto") return;
    if (!flag.given || flag.is_computed() || flag.value.empty() || flag.value == "auto") return;
    if (canonical_type(flag.value) == canonical_type(declared)) return;
    add_finding("dtype", quoted(declared), quoted(flag.value));
  }

  void check_length() const {
    const auto declared = identity_["maxModelLen"].integer();
    const std::optional<std::int64_t> found =
        parse_whole_number(first_given(find_flags(main_, kLength)).value);
    if (!declared || !found || *declared == *found) return;
    add_finding("maxModelLen", std::to_string(*declared), std::to_string(*found));
  }

  const json::Value identity_;
  const Container& main_;
  const Framework engine_;
  const bool all_written_;  // no setting comes from text that cannot be read here
  const FieldPath& path_;
  Report& report_;
};

void identity_mismatch(const Context&, const RenderedPod& pod, Report& report) {
  if (pod.pod->block == render::Block::kTemplate) {
    const FieldPath spec{"spec"};
    const FieldPath path = spec.child("identity");
    const json::Value identity = pod.object.spec()["identity"];
    if (identity.is_object()) Comparison(identity, pod.pod->main(), path, report).run();
    return;
  }
  if (!pod.component->from_checkpoint) return;
  const json::Value checkpoint = pod.component->service.value()["checkpoint"];
  const json::Value identity = checkpoint["identity"];
  // A reference takes precedence over an identity.
  if (!identity.is_object() || !checkpoint["checkpointRef"].string_or_empty().empty()) return;
  const FieldPath parent = pod.path->child("checkpoint");
  const FieldPath path = parent.child("identity");
  Comparison(identity, pod.pod->main(), path, report).run();
}

}  // namespace

extern constexpr Rule kIdentityMismatchRule{
    .id = "ckpt.identity.mismatch",
    .kinds = kinds::kPods,
    .severity = Severity::kWarn,
    .function = &identity_mismatch,
    .field = "spec.identity, P.checkpoint.identity",
};

}  // namespace dynamo::validators::checkpoints
