#include "cli/commands/rendering.hpp"

#include <algorithm>
#include <ostream>
#include <utility>

#include "cli/pipeline.hpp"
#include "cli/pipeline_tally.hpp"
#include "json/parser.hpp"

namespace dynamo::cli {
namespace {

// An operator of one namespace, started without flags, in a cluster of which only that is known
// what the options say.
render::ChildEnvironment environment_of(const Circumstances& circumstances) {
  render::ChildEnvironment environment;
  environment.profile = render::default_operator_profile();
  environment.namespace_restricted = true;
  const render::Profile known = render::profile_of(circumstances.facts);
  if (known.pathway != render::Pathway::kUnknown && known.pathway != render::Pathway::kNotGrove) {
    environment.profile.pathway = known.pathway;
  }
  if (known.discovery != render::Discovery::kUnknown) {
    environment.profile.discovery = known.discovery;
  }
  return environment;
}

std::optional<api::Kind> kind_of(std::string_view name) {
  const auto* const found = std::ranges::find(api::kKinds, name, &api::KindNames::name);
  if (found == api::kKinds.end()) return std::nullopt;
  return found->kind;
}

class TreeSink final : public BatchSink {
 public:
  TreeSink(const Options& options, const Circumstances& circumstances, const OldObjects* old,
           Streams& streams, const std::function<void(const RenderedTree&)>& take)
      : streams_(streams),
        namespace_(circumstances.namespace_name),
        environment_(environment_of(circumstances)),
        old_(old),
        take_(take) {
    ReporterOptions how;
    how.colours = use_colours(options.colour, streams.err_is_terminal, streams.no_color);
    how.quiet = true;
    reporter_ = make_reporter(Format::kText, streams.err, how);
  }

  void fault(const InputFault& fault) {
    ++summary_.faults;
    reporter_->fault(fault);
  }

  bool take(Batch batch) override {
    count_rest(batch, summary_);
    for (auto& entry : batch.entries) {
      if (const auto* const fault = std::get_if<InputFault>(&entry)) {
        reporter_->fault(*fault);
        continue;
      }
      auto& judged = std::get<JudgedObject>(entry);
      drop_told_better(judged.report.findings);
      count(judged.report, summary_);
      reporter_->object(judged.report);
      if (judged.report.valid()) render(judged);
    }
    return streams_.out.good();
  }

  const Summary& summary() const { return summary_; }
  bool refused() const { return refused_; }

 private:
  std::string_view namespace_of(const ObjectReport& report) const {
    return report.namespace_name.empty() ? std::string_view(namespace_)
                                         : std::string_view(report.namespace_name);
  }

  render::Tree tree_of(api::Kind kind, std::string_view text, std::string_view space) const {
    const auto document = json::parse_copy(text);
    return render::tree_of(kind, document->root(), space, environment_);
  }

  void render(const JudgedObject& judged) {
    const std::optional<api::Kind> kind = kind_of(judged.report.kind);
    if (!kind) return;
    const std::string_view space = namespace_of(judged.report);
    const render::Tree now = tree_of(*kind, judged.stored, space);
    for (const std::string& line : now.refused) {
      refused_ = true;
      streams_.err << judged.report.file << ": cannot be rendered further: " << line << '\n';
    }
    render::Tree before;
    if (old_ != nullptr) {
      const OldObject found = old_->find({judged.report.kind, space, judged.report.name},
                                         old_->path_of(judged.report.file));
      if (found.json_text != nullptr) before = tree_of(*kind, *found.json_text, space);
    }
    take_({judged.report, now, before});
  }

  Streams& streams_;
  const std::string namespace_;
  const render::ChildEnvironment environment_;
  const OldObjects* const old_;
  const std::function<void(const RenderedTree&)>& take_;
  std::unique_ptr<Reporter> reporter_;
  Summary summary_;
  bool refused_ = false;
};

}  // namespace

int run_rendering(const Options& options, Streams& streams,
                  const std::function<void(const RenderedTree&)>& take) {
  const auto known = circumstances_of(options);
  if (const auto* const fault = std::get_if<CircumstancesFault>(&known)) {
    return refuse(streams, fault->reason);
  }
  const auto& circumstances = std::get<Circumstances>(known);
  auto old = load_old_objects(options, circumstances);
  if (const auto* const fault = std::get_if<OldObjectsFault>(&old)) {
    return refuse(streams, fault->reason);
  }
  const auto& loaded = std::get<std::optional<LoadedOldObjects>>(old);
  const OldObjects* const old_objects = loaded ? &loaded->objects : nullptr;
  TreeSink sink(options, circumstances, old_objects, streams, take);
  if (loaded) {
    for (const InputFault& fault : loaded->faults) sink.fault(fault);
  }
  const auto source = input_source(wanted_inputs(options, streams), streams.in);
  run_pipeline(*source, circumstances, old_objects,
               {.jobs = options.jobs, .stored = StoredForm::kJson}, sink);
  if (sink.summary().faults > 0) return kExitUnusable;
  return sink.summary().invalid > 0 || sink.refused() ? kExitInvalid : kExitValid;
}

}  // namespace dynamo::cli
