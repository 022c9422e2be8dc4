#include "cli/commands/rendering.hpp"
#include "cli/cluster/later_rendering.hpp"
#include "cli/formats/formats.hpp"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <ostream>
#include <string>
#include <utility>

#include "cli/check/pipeline.hpp"
#include "cli/check/pipeline_tally.hpp"
#include "cli/cluster/diff_engine.hpp"
#include "cli/report/wording.hpp"
#include "desired/kept_job.hpp"
#include "desired/kinds.hpp"
#include "desired/render_options.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "runtime/clock.hpp"

namespace dynamo::cli {
namespace {

// An operator with the flags in the options. It serves one namespace, unless the options name the
// cluster role for planners or profiling Jobs in all namespaces.
render::RenderEnvironment render_environment(const Options& options,
                                             const EvaluationOptions& evaluation_options) {
  render::RenderEnvironment environment;
  environment.profile = render::default_operator_profile();
  reconciler::set_environment(options, environment);
  environment.namespace_restricted =
      !options.namespace_scope.empty() ||
      (options.planner_cluster_role.empty() && options.profiling_cluster_role.empty());
  const render::Profile known = render::profile_of(evaluation_options.facts);
  if (known.pathway != render::Pathway::kUnknown && known.pathway != render::Pathway::kNotGrove) {
    environment.profile.pathway = known.pathway;
  }
  if (known.kai_scheduler != api::Fact::kUnknown) {
    environment.profile.kai_scheduler = known.kai_scheduler;
  }
  if (known.discovery != render::DiscoveryBackend::kUnknown) {
    environment.profile.discovery = known.discovery;
  }
  return environment;
}

std::optional<api::Kind> kind_of(std::string_view name) {
  const auto* const found = std::ranges::find(api::kKinds, name, &api::KindNames::name);
  if (found == api::kKinds.end()) return std::nullopt;
  return found->kind;
}

// The cluster to query, if any.
struct QueriedCluster {
  std::unique_ptr<ConnectedDiffEngine> connection;
  std::string fault;  // one line; empty: none

  DiffEngine* engine() const { return connection ? &connection->engine() : nullptr; }
};

// Facts that the options leave open are those of the cluster.
void complete(EvaluationOptions& evaluation_options, const api::ClusterFacts& served) {
  api::ClusterFacts& facts = evaluation_options.facts;
  const auto take = [](api::Fact& fact, api::Fact found) {
    if (fact == api::Fact::kUnknown) fact = found;
  };
  take(facts.inference_pool_served, served.inference_pool_served);
  take(facts.grove_served, served.grove_served);
  take(facts.leader_worker_set_served, served.leader_worker_set_served);
  take(facts.kai_scheduler_served, served.kai_scheduler_served);
  take(facts.v1beta1_served, served.v1beta1_served);
  if (facts.operator_generation == api::OperatorGeneration::kUnknown) {
    facts.operator_generation = served.operator_generation;
  }
  if (!facts.kubernetes_minor) facts.kubernetes_minor = served.kubernetes_minor;
}

// Without another old side, a diff compares with the current context's cluster, as kubectl does;
// render needs no cluster.
bool should_query_cluster(const Options& options, const std::string& kubeconfig) {
  if (!options.kubeconfig.empty() || !options.kube_context.empty()) return true;
  const bool has_before = !options.old_path.empty() || !options.against.empty();
  return options.command == Command::kDiff && !has_before && !kubeconfig.empty();
}

QueriedCluster query_cluster(const Options& options, const Streams& streams,
                             const runtime::Clock& clock, EvaluationOptions& evaluation_options) {
  QueriedCluster cluster;
  const std::string& file =
      options.kubeconfig.empty() ? streams.cluster.kubeconfig : options.kubeconfig;
  if (!should_query_cluster(options, file)) return cluster;
  auto connection = ConnectedDiffEngine::connect(
      {.kubeconfig = file,
       .kubeconfig_source = kubeconfig_source_of(options, streams.cluster),
       .context = options.kube_context},
      clock);
  if (!connection) {
    cluster.fault = connection.error().text;
    return cluster;
  }
  const auto served = (*connection)->engine().served();
  if (!served) {
    cluster.fault = served.error().text;
    return cluster;
  }
  complete(evaluation_options, *served);
  cluster.connection = *std::move(connection);
  const bool names_space = options.namespace_is_configured ||
                           std::ranges::any_of(options.given, [](const runtime::ParsedFlag& flag) {
                             return flag.name == "namespace";
                           });
  if (!names_space && !cluster.connection->namespace_name().empty()) {
    evaluation_options.namespace_name = cluster.connection->namespace_name();
  }
  return cluster;
}

OldObject stored_in(DiffEngine& cluster, const ManifestKey& key) {
  const auto stored = cluster.stored(key.kind, key.namespace_name, key.name);
  if (stored) return {.json_text = *stored, .uncertainty = {}};
  return {.json_text = nullptr, .uncertainty = stored.error().text};
}

// Names as the API server generates them: five characters after the base, which it cuts to 58. The
// first object of a base and namespace gets "xxxxx", the next ones "xxxx2", "xxxx3", ..., "xxx10".
class StandInNames {
 public:
  std::string next(std::string_view namespace_name, std::string_view generate_name) {
    constexpr std::size_t kLongestBase = 58;
    constexpr std::size_t kSuffix = 5;
    std::string base(generate_name.substr(0, kLongestBase));
    std::string key(namespace_name);
    key += '/';
    key += base;
    const std::uint64_t number = ++used_[std::move(key)];
    const std::string digits = number == 1 ? std::string() : std::to_string(number);
    base.append(kSuffix - std::min(kSuffix, digits.size()), 'x');
    return base + digits;
  }

 private:
  std::map<std::string, std::uint64_t> used_;
};

// A copy of the object with this name.
std::string with_name(json::Value object, std::string_view name) {
  std::string text;
  json::Writer writer(text);
  writer.start_object();
  for (const json::Member member : object.members()) {
    writer.key(member.name);
    if (member.name != "metadata") {
      writer.value(member.value);
      continue;
    }
    writer.start_object().member("name", name);
    for (const json::Member field : member.value.members()) {
      if (field.name != "name") writer.key(field.name).value(field.value);
    }
    writer.end_object();
  }
  writer.end_object();
  return text;
}

class TreeSink final : public BatchSink {
 public:
  TreeSink(const Options& options, const EvaluationOptions& evaluation_options,
           const OldObjects* old, DiffEngine* cluster, Streams& streams,
           const std::function<void(const RenderedTree&)>& take)
      : streams_(streams),
        namespace_(evaluation_options.namespace_name),
        with_changes_(options.command == Command::kDiff),
        settings_{.environment = render_environment(options, evaluation_options),
                  .mpi_secret_copies = reconciler::mpi_secret_copies(options),
                  .facts = evaluation_options.facts},
        old_(old),
        cluster_(cluster),
        take_(take) {
    ReporterOptions how;
    how.colours = should_use_colours(options.colour, streams.err_is_terminal, streams.no_color);
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
      auto& validated = std::get<ValidatedObject>(entry);
      drop_reported_better(validated.report.findings);
      count(validated.report, summary_);
      reporter_->object(validated.report);
      if (validated.report.is_valid()) render_named(std::move(validated));
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

  bool is_later(api::Kind kind, std::string_view text) const {
    const auto document = json::parse_copy(text);
    return is_rendered_by_later_operators(kind, document->root(), settings_.facts);
  }

  // One operator renders the old state and the new one.
  render::Tree tree_of(api::Kind kind, std::string_view text, std::string_view space,
                       bool by_later) const {
    const auto document = json::parse_copy(text);
    if (by_later) return later_tree_of(kind, document->root(), space, settings_.environment);
    return render::tree_of(kind, document->root(), space, settings_.environment);
  }

  // An object whose name the API server generates is rendered under a placeholder name.
  void render_named(ValidatedObject validated) {
    const auto document = json::parse_copy(validated.stored);
    const json::Value metadata = document->root()["metadata"];
    const std::string_view base = metadata["generateName"].string_or_empty();
    if (base.empty() || !metadata["name"].string_or_empty().empty()) return render(validated);
    stand_in_name_ = stand_in_names_.next(namespace_of(validated.report), base);
    validated.stored = with_name(document->root(), stand_in_name_);
    validated.report.name = stand_in_name_;
    print_line({validated.report.file, ": the API server generates the name of ",
                validated.report.kind, " ", base, "*; ", stand_in_name_,
                " is a placeholder for it"});
    render(validated);
    stand_in_name_.clear();
  }

  std::vector<render::TreeChange> compare(const render::Tree& before,
                                          const render::Tree& now) const {
    return with_changes_ ? render::changes_of(before, now) : std::vector<render::TreeChange>{};
  }

  void render(const ValidatedObject& validated) {
    const std::optional<api::Kind> kind = kind_of(validated.report.kind);
    if (!kind) return;
    if (cluster_ != nullptr) return render_in_cluster(validated, *kind);
    const std::string_view space = namespace_of(validated.report);
    OldObject found;
    if (old_ != nullptr) {
      found = old_->find({validated.report.kind, space, validated.report.name},
                         old_->path_of(validated.report.file));
    }
    const bool by_later = is_later(*kind, validated.stored) ||
                          (found.json_text != nullptr && is_later(*kind, *found.json_text));
    const render::Tree now = tree_of(*kind, validated.stored, space, by_later);
    if (found.json_text == nullptr) return hand_over(validated.report, now, {}, compare({}, now));
    const render::Tree before = tree_of(*kind, *found.json_text, space, by_later);
    std::vector<render::TreeChange> changed = compare(before, now);
    const auto stored = json::parse_copy(*found.json_text);
    const std::string kept = reconciler::remove_kept_job(*kind, stored->root(), changed);
    if (!kept.empty()) print_line({kProgramName, ": ", kept});
    reconciler::mark_created_job(*kind, stored->root(), changed);
    hand_over(validated.report, now, before.refused, std::move(changed));
  }

  void render_in_cluster(const ValidatedObject& validated, api::Kind kind) {
    // The failed comparison was already reported.
    const std::string_view space = namespace_of(validated.report);
    if (!cluster_->stored(validated.report.kind, space, validated.report.name)) return;
    const auto document = json::parse_copy(validated.stored);
    auto planned = cluster_->compute_diff(settings_,
                                          {.kind = kind,
                                           .namespace_name = space,
                                           .name = validated.report.name,
                                           .value = document->root()},
                                          with_changes_);
    for (const std::string& note : cluster_->take_notes()) print_line({kProgramName, ": ", note});
    if (!planned) {
      ++summary_.faults;
      reporter_->fault(
          InputFault::at(validated.report.place, planned.error().text, validated.report.file));
      return;
    }
    for (const std::string& obstacle : planned->obstacles) {
      refused_ = true;
      print_line({validated.report.file, ": cannot be created: ", obstacle});
    }
    hand_over(validated.report, planned->now, planned->refused_before, std::move(planned->changes));
  }

  // Prints a line of texts that come from a repository or a server.
  void print_line(std::initializer_list<std::string_view> texts) {
    std::string line;
    for (const std::string_view text : texts) append_printable(line, text);
    streams_.err << line << '\n';
  }

  void hand_over(const ObjectReport& report, const render::Tree& now,
                 const std::vector<std::string>& refused_before,
                 std::vector<render::TreeChange> changes) {
    // An object that one side could not render looks created or deleted.
    std::erase_if(changes, [&](const render::TreeChange& change) {
      switch (change.operation) {
        case render::TreeChange::Operation::kCreate:
          return !refused_before.empty();
        case render::TreeChange::Operation::kDelete:
          return !now.refused.empty() || reconciler::is_kept(change.kind);
        case render::TreeChange::Operation::kUpdate:
          break;
      }
      return false;
    });
    for (const std::string& line : now.refused) {
      print_line({report.file, ": cannot be rendered further: ", line});
    }
    for (const std::string& line : refused_before) {
      if (std::ranges::find(now.refused, line) != now.refused.end()) continue;
      print_line({report.file, ": the old state cannot be rendered further: ", line});
    }
    const bool is_incomplete = !now.refused.empty() || !refused_before.empty();
    refused_ = refused_ || is_incomplete;
    take_({report, now, changes, is_incomplete, stand_in_name_});
  }

  Streams& streams_;
  const std::string namespace_;
  const bool with_changes_;
  const DiffSettings settings_;
  const OldObjects* const old_;
  DiffEngine* const cluster_;  // null: none is queried
  const std::function<void(const RenderedTree&)>& take_;
  std::unique_ptr<Reporter> reporter_;
  Summary summary_;
  bool refused_ = false;
  StandInNames stand_in_names_;
  std::string stand_in_name_;  // of the object being rendered; empty: it has a name
};

}  // namespace

int run_rendering(const Options& options, Streams& streams,
                  const std::function<void(const RenderedTree&)>& take) {
  auto known = read_evaluation_options(options);
  if (const auto* const fault = std::get_if<EvaluationOptionsFault>(&known)) {
    return refuse(streams, fault->reason);
  }
  auto& evaluation_options = std::get<EvaluationOptions>(known);
  evaluation_options.applies = true;
  const runtime::SystemClock clock;
  const QueriedCluster cluster = query_cluster(options, streams, clock, evaluation_options);
  if (!cluster.fault.empty()) return refuse(streams, cluster.fault);
  auto old = load_old_objects(options, evaluation_options);
  if (const auto* const fault = std::get_if<OldObjectsFault>(&old)) {
    return refuse(streams, fault->reason);
  }
  auto& loaded = std::get<std::optional<LoadedOldObjects>>(old);
  if (cluster.connection) {
    loaded.emplace().objects.set_source(
        [&cluster](const ManifestKey& key) { return stored_in(*cluster.engine(), key); });
  }
  const OldObjects* const old_objects = loaded ? &loaded->objects : nullptr;
  TreeSink sink(options, evaluation_options, old_objects, cluster.engine(), streams, take);
  if (loaded) {
    for (const InputFault& fault : loaded->faults) sink.fault(fault);
  }
  const auto source = input_source(wanted_inputs(options, streams), streams.in);
  run_pipeline(*source, evaluation_options, old_objects,
               {.jobs = options.jobs, .stored = StoredForm::kJson}, sink);
  report_left_out(sink.summary(), options, streams);
  if (sink.summary().faults > 0) return kExitUnusable;
  return sink.summary().invalid > 0 || sink.refused() ? kExitInvalid : kExitValid;
}

}  // namespace dynamo::cli
