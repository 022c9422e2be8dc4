// Computes what an apply would change in a cluster. Renders an object as stored and as desired,
// with the other objects of its namespace and the functions that dynamo-reconciler plans with.
// Reads only.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "api/context.hpp"
#include "api/kind.hpp"
#include "desired/mpi_secret.hpp"
#include "desired/namespace_environment.hpp"
#include "desired/observed_objects.hpp"
#include "doctor/connect.hpp"
#include "json/document.hpp"
#include "kube/client/client.hpp"
#include "kube/client/discovery.hpp"
#include "kube/http/transport.hpp"
#include "manifests/tree.hpp"
#include "runtime/clock.hpp"

namespace dynamo::cli {

// The operator's configuration, and facts about the cluster.
struct DiffSettings {
  render::RenderEnvironment environment = {};  // without the namespace's objects
  reconciler::MpiSecretCopies mpi_secret_copies = {};
  api::ClusterFacts facts = {};  // DiffEngine::served(), or overrides
};

// An object as it would be stored.
struct PlannedObject {
  api::Kind kind = api::Kind::kGraphDeployment;
  std::string_view namespace_name = {};
  std::string_view name = {};
  json::Value value = {};
};

struct PlannedChanges {
  render::Tree now = {};
  // Why objects of the stored state are missing on the old side; only with changes.
  std::vector<std::string> refused_before = {};
  std::vector<render::TreeChange> changes = {};  // only if requested
  // "Service g-a must be free to be created; found …": objects that cannot be created and are not
  // among the changes.
  std::vector<std::string> obstacles = {};
};

// Sends one request at a time, and no request twice. Callable from any thread. All errors are one
// line for users.
class DiffEngine {
 public:
  // `transport` lives on `loop` and talks to `server`; both must outlive this object.
  DiffEngine(kube::Transport& transport, boost::asio::io_context& loop, std::string server);
  DiffEngine(const DiffEngine&) = delete;
  DiffEngine& operator=(const DiffEngine&) = delete;
  ~DiffEngine();

  // Call this first: discovers what the API server serves.
  kube::Result<api::ClusterFacts> served();

  // The object as stored, as JSON with managedFields; null if it does not exist. Valid as long as
  // this object.
  kube::Result<const std::string*> stored(std::string_view kind, std::string_view namespace_name,
                                          std::string_view name);

  kube::Result<PlannedChanges> compute_diff(const DiffSettings& settings,
                                            const PlannedObject& object, bool with_changes);

  // Objects that the caller may not read, one line each, since the last call. Owned objects are
  // rendered without them.
  std::vector<std::string> take_notes();

 private:
  struct Space;  // objects of a namespace
  using Key = std::tuple<std::string, std::string, std::string>;

  template <class T>
  kube::Result<T> ask(aio::Task<kube::Result<T>> task);
  // nullopt if it does not exist.
  kube::Result<std::optional<kube::Object>> read(const kube::Resource& resource,
                                                 std::string_view namespace_name,
                                                 std::string_view name);
  // Like read(), with managedFields.
  kube::Result<std::optional<kube::Object>> read_whole(const kube::Resource& resource,
                                                       std::string_view namespace_name,
                                                       std::string_view name);
  kube::Result<std::vector<kube::Object>> list(const kube::Resource& resource,
                                               std::string_view namespace_name,
                                               const kube::ListOptions& options);
  const kube::Result<std::optional<kube::Object>>& find_stored(const kube::Resource& resource,
                                                               std::string_view namespace_name,
                                                               std::string_view name);
  kube::Result<const Space*> read_namespace(std::string_view namespace_name);
  kube::Result<void> add_mpi_secret(const DiffSettings& settings, const PlannedObject& object,
                                    reconciler::NamespaceEnvironment& found);
  kube::Result<void> settle(const PlannedObject& object, const Space& space, std::string_view uid,
                            PlannedChanges& planned);
  bool serves(const kube::Resource& resource) const;
  // False for an error that ends the run. A missing permission or CRD does not.
  bool is_tolerated(const kube::Error& error, std::string_view without);

  std::mutex one_at_a_time_;
  boost::asio::io_context& loop_;
  const std::string server_;
  kube::Client client_;
  doctor::NoLog log_;
  kube::Discovery discovery_;
  std::map<Key, kube::Result<std::optional<kube::Object>>> stored_;
  std::map<Key, std::string> texts_;
  std::map<std::string, std::unique_ptr<const Space>, std::less<>> spaces_;
  std::vector<std::string> notes_;
  std::vector<std::string> reported_;
};

// A DiffEngine with its own connection.
class ConnectedDiffEngine {
 public:
  // Reads files and sends nothing. `clock` must outlive the result.
  static kube::Result<std::unique_ptr<ConnectedDiffEngine>> connect(
      const doctor::ClusterAddress& address, const runtime::Clock& clock);
  ConnectedDiffEngine(kube::ConnectionConfig config, const runtime::Clock& clock);
  ~ConnectedDiffEngine();

  DiffEngine& engine() { return *engine_; }
  // The namespace of the context; empty: it names none.
  const std::string& namespace_name() const { return namespace_; }

 private:
  const std::string namespace_;
  doctor::NoLog log_;
  boost::asio::io_context loop_;
  std::unique_ptr<kube::Transport> transport_;
  std::unique_ptr<DiffEngine> engine_;
};

}  // namespace dynamo::cli
