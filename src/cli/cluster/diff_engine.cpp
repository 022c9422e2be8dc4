#include "cli/cluster/diff_engine.hpp"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <exception>

#include "api/kinds/objects.hpp"
#include "cli/cluster/later_rendering.hpp"
#include "cluster/facts.hpp"
#include "conversion/convert.hpp"
#include "desired/desired_objects_plan.hpp"
#include "desired/graph_pathway.hpp"
#include "desired/graph_services.hpp"
#include "desired/kept_job.hpp"
#include "desired/kinds.hpp"
#include "desired/object_diff.hpp"
#include "desired/settings.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "kube/http/http_transport.hpp"
#include "kube/object/object_meta.hpp"
#include "manifests/secret.hpp"
#include "runtime/build_info.hpp"
#include "schema/table.hpp"

namespace dynamo::cli {
namespace {

using reconciler::kComponents;
using reconciler::graph::pathway_of;
using reconciler::graph::refusal_of_leaving;
using reconciler::graph::restart_of;

// For one request, including all pages of its response.
constexpr std::chrono::milliseconds kDeadline{60'000};
constexpr std::size_t kMaxBytes = std::size_t{64} << 20U;

kube::Resource resource_of(std::string_view kind) {
  return {.group = api::kGroup,
          .version = api::kVersion,
          .plural = schema::find_resource(kind)->plural,
          .kind = kind};
}

kube::ListOptions bounded() {
  kube::ListOptions options;
  options.most_bytes = kMaxBytes;
  return options;
}

// The object as its controller leaves it in the end: keeps its status, and marks a requested
// restart as complete.
std::string in_the_end(json::Value object, json::Value status) {
  std::string text;
  json::Writer out(text);
  out.start_object();
  for (const json::Member member : object.members()) {
    if (member.name != "status") out.key(member.name).value(member.value);
  }
  const std::string_view asked = object["spec"]["restart"]["id"].string_or_empty();
  out.key("status").start_object();
  for (const json::Member member : status.members()) {
    if (asked.empty() || member.name != "restart") out.key(member.name).value(member.value);
  }
  if (!asked.empty()) {
    out.key("restart").start_object().member("observedID", asked);
    out.member("phase", "Completed").end_object();
  }
  out.end_object().end_object();
  return text;
}

// "DynamoGraphDeployment g "
std::string object_line(const PlannedObject& object) {
  return std::string(api::names(object.kind).name) + " " + std::string(object.name) + " ";
}

json::Value first(json::Value list) {
  for (const json::Value each : list.elements()) return each;
  return {};
}

const render::DesiredObject* find_desired_object(const render::Tree& tree,
                                                 const render::TreeChange& change) {
  const auto found = std::ranges::find_if(tree.items, [&change](const render::DesiredObject& each) {
    return each.kind == change.kind && each.name == change.name;
  });
  return found == tree.items.end() ? nullptr : &*found;
}

// nullopt for an object that does not exist.
kube::Result<std::optional<kube::Object>> if_found(kube::Result<kube::Object> answer) {
  if (answer) return std::optional<kube::Object>(*std::move(answer));
  if (answer.error().is("NotFound")) return std::optional<kube::Object>{};
  return answer.error();
}

// The object in v1alpha1; an object that cannot be converted is returned as it is, and reported
// when it is rendered.
std::unique_ptr<json::ParsedText> in_v1alpha1(const PlannedObject& object) {
  std::string text;
  conversion::Converter converter;
  const bool is_alpha = object.value["apiVersion"].string_or_empty() == api::kApiVersion;
  if (is_alpha || converter.convert_known(api::names(object.kind).name, object.value,
                                          api::Version::kV1alpha1, text)) {
    text = json::to_text(object.value);
  }
  return json::parse_copy(text);
}

void complete_for_graph(const api::ClusterFacts& facts, const api::GraphDeployment& graph,
                        std::string_view uid, const reconciler::ObservedObjects& workloads,
                        render::Pathway pathway, render::RenderEnvironment& environment) {
  environment.profile.pathway = pathway;
  if (facts.kai_scheduler_served != api::Fact::kUnknown) {
    environment.profile.kai_scheduler = facts.kai_scheduler_served;
  }
  environment.restarts = restart_of(graph, uid, workloads, pathway).marks;
}

}  // namespace

struct DiffEngine::Space {
  reconciler::NamespaceObjects listed = {};
  std::vector<kube::Object> components = {};
  std::vector<kube::Object> clique_sets = {};
  std::vector<kube::Object> cliques = {};

  reconciler::graph::GraphWorkloads workloads_of(std::string_view uid) const {
    const auto has = [uid](const std::vector<kube::Object>& objects) {
      return !uid.empty() && std::ranges::any_of(objects, [uid](const kube::Object& each) {
        return kube::is_owned_by(each, uid);
      });
    };
    return {.has_components = has(components), .has_clique_set = has(clique_sets)};
  }
  void add_to(reconciler::ObservedObjects& workloads) const {
    for (const auto* const objects : {&components, &clique_sets, &cliques}) {
      for (const kube::Object& each : *objects) workloads.add(each);
    }
  }
  std::string_view uid_of_component(std::string_view name) const {
    const auto found = std::ranges::find(components, name, &kube::Object::name);
    return found == components.end() ? std::string_view{} : found->uid();
  }
};

DiffEngine::DiffEngine(kube::Transport& transport, boost::asio::io_context& loop,
                       std::string server)
    : loop_(loop), server_(std::move(server)), client_(transport), discovery_(client_, log_) {}

DiffEngine::~DiffEngine() = default;

template <class T>
kube::Result<T> DiffEngine::ask(aio::Task<kube::Result<T>> task) {
  // Shared with the coroutine, which may still exist after the deadline.
  struct CallState {
    std::optional<kube::Result<T>> answer;
    std::exception_ptr defect;
    bool is_over = false;
  };
  const auto call = std::make_shared<CallState>();
  boost::asio::co_spawn(loop_, std::move(task),
                        [this, call](const std::exception_ptr& defect, kube::Result<T> answer) {
                          call->is_over = true;
                          call->defect = defect;
                          call->answer.emplace(std::move(answer));
                          loop_.stop();
                        });
  loop_.restart();
  loop_.run_for(kDeadline);
  if (call->defect) std::rethrow_exception(call->defect);
  if (call->is_over) return *std::move(call->answer);
  kube::Error error;
  error.failure = kube::FailureKind::kDeadline;
  error.text = server_ + " did not answer in time";
  return error;
}

kube::Result<std::optional<kube::Object>> DiffEngine::read(const kube::Resource& resource,
                                                           std::string_view namespace_name,
                                                           std::string_view name) {
  if (name.empty()) return std::optional<kube::Object>{};  // the name will be generated
  return if_found(
      ask(client_.get(resource, std::string(namespace_name), std::string(name), std::string{})));
}

kube::Result<std::optional<kube::Object>> DiffEngine::read_whole(const kube::Resource& resource,
                                                                 std::string_view namespace_name,
                                                                 std::string_view name) {
  if (name.empty()) return std::optional<kube::Object>{};
  return if_found(ask(client_.get_path(resource.path(namespace_name, name))));
}

kube::Result<std::vector<kube::Object>> DiffEngine::list(const kube::Resource& resource,
                                                         std::string_view namespace_name,
                                                         const kube::ListOptions& options) {
  auto answer = ask(client_.list(resource, std::string(namespace_name), options));
  if (!answer) return answer.error();
  return std::move(answer->items);
}

bool DiffEngine::is_tolerated(const kube::Error& error, std::string_view without) {
  if (error.is("NotFound")) return true;
  if (!error.is("Forbidden")) return false;
  std::string note = "rendered without " + std::string(without) + ": " + error.text;
  if (std::ranges::find(reported_, note) == reported_.end()) {
    reported_.push_back(note);
    notes_.push_back(std::move(note));
  }
  return true;
}

std::vector<std::string> DiffEngine::take_notes() {
  const std::scoped_lock lock(one_at_a_time_);
  return std::exchange(notes_, {});
}

kube::Result<api::ClusterFacts> DiffEngine::served() {
  const std::scoped_lock lock(one_at_a_time_);
  const auto groups = ask(discovery_.read_groups());
  if (!groups) return groups.error();
  const auto served = [this](std::string_view group) {
    const std::optional<bool> answer = discovery_.served(group);
    if (!answer) return api::Fact::kUnknown;
    return *answer ? api::Fact::kYes : api::Fact::kNo;
  };
  const auto serves = [this](api::Version version) {
    return discovery_.served(api::kGroup, api::name(version), reconciler::kGraphs.plural) == true;
  };
  api::Fact v1beta1 = serves(api::Version::kV1alpha1) ? api::Fact::kNo : api::Fact::kUnknown;
  if (serves(api::Version::kV1beta1)) v1beta1 = api::Fact::kYes;
  return cluster::facts_of({.served = served,
                            .v1beta1_served = v1beta1,
                            .kubernetes_minor = discovery_.kubernetes_minor()},
                           {});
}

bool DiffEngine::serves(const kube::Resource& resource) const {
  return resource.group.empty() || discovery_.served(resource.group).value_or(true);
}

const kube::Result<std::optional<kube::Object>>& DiffEngine::find_stored(
    const kube::Resource& resource, std::string_view namespace_name, std::string_view name) {
  const Key key{resource.kind, namespace_name, name};
  const auto known = stored_.find(key);
  if (known != stored_.end()) return known->second;
  return stored_.emplace(key, read_whole(resource, namespace_name, name)).first->second;
}

kube::Result<const std::string*> DiffEngine::stored(std::string_view kind,
                                                    std::string_view namespace_name,
                                                    std::string_view name) {
  const std::scoped_lock lock(one_at_a_time_);
  const auto& found = find_stored(resource_of(kind), namespace_name, name);
  if (!found) return found.error();
  if (!*found) return static_cast<const std::string*>(nullptr);
  const auto [text, is_new] = texts_.try_emplace(Key{kind, namespace_name, name});
  if (is_new) text->second = json::to_text((*found)->root());
  return static_cast<const std::string*>(&text->second);
}

kube::Result<const DiffEngine::Space*> DiffEngine::read_namespace(std::string_view namespace_name) {
  const auto known = spaces_.find(namespace_name);
  if (known != spaces_.end()) return known->second.get();
  auto space = std::make_unique<Space>();
  kube::ListOptions registries = bounded();
  registries.field_selector = "type=" + std::string(reconciler::kRegistrySecret);
  auto secrets = list(kube::kSecrets, namespace_name, registries);
  if (secrets) {
    space->listed.secrets = *std::move(secrets);
  } else if (!is_tolerated(secrets.error(), "the Secrets of registries")) {
    return secrets.error();
  }
  kube::ListOptions marked = bounded();
  marked.label_selector = std::string(reconciler::kFallbackAccount) + "=true";
  const auto accounts =
      list(reconciler::find_managed_kind("ServiceAccount")->resource, namespace_name, marked);
  if (accounts) {
    if (!accounts->empty()) space->listed.fallback_account = accounts->front().name();
  } else if (!is_tolerated(accounts.error(), "the account that pods fall back to")) {
    return accounts.error();
  }
  auto checkpoints =
      list(reconciler::find_managed_kind("DynamoCheckpoint")->resource, namespace_name, bounded());
  if (checkpoints) {
    space->listed.checkpoints = *std::move(checkpoints);
  } else if (!is_tolerated(checkpoints.error(), "checkpoints")) {
    return checkpoints.error();
  }
  struct Listed {
    const kube::Resource& resource;
    std::vector<kube::Object>& objects;
    std::string_view what;
  };
  for (const Listed& each :
       {Listed{kComponents, space->components, "the status of components"},
        Listed{reconciler::kPodCliqueSets, space->clique_sets, "the PodCliqueSets of Grove"},
        Listed{reconciler::kPodCliques, space->cliques, "the status of Grove's cliques"}}) {
    if (!serves(each.resource)) continue;
    auto found = list(each.resource, namespace_name, bounded());
    if (found) {
      each.objects = *std::move(found);
    } else if (!is_tolerated(found.error(), each.what)) {
      return found.error();
    }
  }
  return spaces_.emplace(namespace_name, std::move(space)).first->second.get();
}

// Adds the Secret that the graph's controller would create or copy if the namespace has none. The
// keys are masked, because the result is only printed.
kube::Result<void> DiffEngine::add_mpi_secret(const DiffSettings& settings,
                                              const PlannedObject& object,
                                              reconciler::NamespaceEnvironment& found) {
  const std::string name = settings.environment.profile.mpi_secret_name.value_or("");
  const api::GraphDeployment graph{object.value};
  if (name.empty() ||
      !render::needs_mpi_secret(graph, object.namespace_name, settings.environment.profile)) {
    return {};
  }
  constexpr std::string_view kWhat = "the Secret with the keys of MPI";
  const auto forgiven = [&](const kube::Error& error) -> kube::Result<void> {
    if (is_tolerated(error, kWhat)) return {};
    return error;
  };
  const auto& here = find_stored(kube::kSecrets, object.namespace_name, name);
  if (!here) return forgiven(here.error());
  if (*here) return {};
  if (!settings.mpi_secret_copies.includes(object.namespace_name)) {
    found.documents.push_back(reconciler::masked_mpi_secret(name));
    found.environment.mpi_secret_is_generated = true;
  } else {
    const auto& source =
        find_stored(kube::kSecrets, settings.mpi_secret_copies.source_namespace, name);
    if (!source) return forgiven(source.error());
    if (!*source && !settings.mpi_secret_copies.creates_source) return {};
    auto masked = *source ? kube::Object::parse(reconciler::with_masked_data((*source)->root()))
                          : kube::Result<kube::Object>(reconciler::masked_mpi_secret(name));
    if (!masked) return masked.error();
    found.documents.push_back(*std::move(masked));
  }
  found.environment.mpi_secret_source = found.documents.back().root();
  return {};
}

// An object to create may already exist: owned by us, shared, or in conflict. An object to change
// may not exist.
kube::Result<void> DiffEngine::settle(const PlannedObject& object, const Space& space,
                                      std::string_view uid, PlannedChanges& planned) {
  std::vector<render::TreeChange> settled;
  for (render::TreeChange& change : planned.changes) {
    const bool is_creation = change.operation == render::TreeChange::Operation::kCreate;
    const bool is_deletion = change.operation == render::TreeChange::Operation::kDelete;
    const reconciler::ManagedKind* const kind = reconciler::find_managed_kind(change.kind);
    const render::DesiredObject* const desired = find_desired_object(planned.now, change);
    if (is_deletion || kind == nullptr || desired == nullptr) {
      settled.push_back(std::move(change));
      continue;
    }
    reconciler::ObservedObjects objects;
    if (!serves(kind->resource)) {
      objects.mark_not_served(change.kind);
    } else {
      const auto live = read(kind->resource, object.namespace_name, change.name);
      if (!live && !is_tolerated(live.error(), "a read of " + change.kind + " " + change.name)) {
        return live.error();
      }
      if (live && *live) objects.add(**live);
    }
    const auto manifest = json::parse_copy(desired->manifest);
    const json::Value reference = first(manifest->root()["metadata"]["ownerReferences"]);
    const std::string_view owner_kind = reference["kind"].string_or_empty();
    const std::string_view owner_name = reference["name"].string_or_empty();
    const bool is_own = owner_kind == api::names(object.kind).name && owner_name == object.name;
    const reconciler::Owner owner{
        .resource = resource_of(is_own || owner_kind.empty() ? api::names(object.kind).name
                                                             : kComponents.kind),
        .namespace_name = object.namespace_name,
        .name = owner_name.empty() ? object.name : owner_name,
        .uid = is_own ? uid : space.uid_of_component(owner_name)};
    const reconciler::ObjectDiff step = reconciler::diff_object(*desired, owner, objects);
    if (std::string why = reconciler::obstacle_of(step); !why.empty()) {
      planned.obstacles.push_back(change.kind + " " + change.name + " " + why);
      continue;
    }
    if (step.step == reconciler::Step::kNothing) continue;
    if (is_creation && step.step != reconciler::Step::kCreate) {
      change.operation = render::TreeChange::Operation::kUpdate;
      change.changes = step.note;
    }
    settled.push_back(std::move(change));
  }
  planned.changes = std::move(settled);
  return {};
}

kube::Result<PlannedChanges> DiffEngine::compute_diff(const DiffSettings& settings,
                                                      const PlannedObject& object,
                                                      bool with_changes) {
  const std::scoped_lock lock(one_at_a_time_);
  const auto stored =
      find_stored(resource_of(api::names(object.kind).name), object.namespace_name, object.name);
  if (!stored) return stored.error();
  const auto found_space = read_namespace(object.namespace_name);
  if (!found_space) return found_space.error();
  const Space& space = **found_space;
  const json::Value before = *stored ? (*stored)->root() : json::Value{};
  const std::string_view uid = before["metadata"]["uid"].string_or_empty();

  reconciler::NamespaceEnvironment found =
      reconciler::namespace_environment(settings.environment, space.listed);
  const bool is_graph = object.kind == api::Kind::kGraphDeployment;
  const bool by_later = is_rendered_by_later_operators(object.kind, object.value, settings.facts);
  const auto alpha = in_v1alpha1(object);
  reconciler::ObservedObjects workloads;
  if (is_graph) {
    const api::GraphDeployment graph{alpha->root()};
    if (!by_later && pathway_of(settings.facts, graph, space.workloads_of(uid)).leaves_grove) {
      return PlannedChanges{.obstacles = {object_line(object) + refusal_of_leaving(graph)}};
    }
    space.add_to(workloads);
    const auto copied = add_mpi_secret(
        settings, {object.kind, object.namespace_name, object.name, alpha->root()}, found);
    if (!copied) return copied.error();
  }
  const auto tree_of = [&](json::Value given, json::Value given_in_alpha) {
    const auto parsed = json::parse_copy(in_the_end(given, before["status"]));
    const auto parsed_alpha = json::parse_copy(in_the_end(given_in_alpha, before["status"]));
    render::RenderEnvironment environment = found.environment;
    environment.profile.pathway = reconciler::component_pathway(settings.facts);
    if (is_graph) {
      const api::GraphDeployment graph{parsed_alpha->root()};
      const auto pathway = pathway_of(settings.facts, graph, space.workloads_of(uid)).pathway;
      complete_for_graph(settings.facts, graph, uid, workloads, pathway, environment);
    }
    const auto& render_by = by_later ? later_tree_of : render::tree_of;
    return render_by(object.kind, parsed->root(), object.namespace_name, environment);
  };
  PlannedChanges planned;
  planned.now = tree_of(object.value, alpha->root());
  if (!with_changes) return planned;
  render::Tree old = before.exists() ? tree_of(before, before) : render::Tree{};
  planned.changes = render::changes_of(old, planned.now);
  std::string kept = reconciler::remove_kept_job(object.kind, before, planned.changes);
  if (!kept.empty()) notes_.push_back(std::move(kept));
  planned.refused_before = std::move(old.refused);
  // The operator marks its objects in its own way, so they are not compared one by one.
  if (!by_later) {
    const auto settled = settle(object, space, uid, planned);
    if (!settled) return settled.error();
  }
  reconciler::mark_created_job(object.kind, before, planned.changes);
  return planned;
}

kube::Result<std::unique_ptr<ConnectedDiffEngine>> ConnectedDiffEngine::connect(
    const doctor::ClusterAddress& address, const runtime::Clock& clock) {
  auto config = doctor::find_cluster(address, clock);
  if (!config) return config.error();
  return std::make_unique<ConnectedDiffEngine>(*std::move(config), clock);
}

ConnectedDiffEngine::ConnectedDiffEngine(kube::ConnectionConfig config, const runtime::Clock& clock)
    : namespace_(config.namespace_name) {
  const std::string server = config.address();
  kube::HttpTransportOptions options;
  options.user_agent = runtime::user_agent("kubectl-dynamo");
  transport_ = std::make_unique<kube::HttpTransport>(loop_, std::move(config), std::move(options),
                                                     clock, log_);
  engine_ = std::make_unique<DiffEngine>(*transport_, loop_, server);
}

ConnectedDiffEngine::~ConnectedDiffEngine() = default;

}  // namespace dynamo::cli
