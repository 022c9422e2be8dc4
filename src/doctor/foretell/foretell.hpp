// What an apply would do to a cluster: an object is rendered with what lies in its namespace, as it
// is stored and as it is to be, by the functions that dynamo-reconciler plans with. Reads only.
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
#include "doctor/connect.hpp"
#include "json/document.hpp"
#include "kube/client.hpp"
#include "kube/discovery.hpp"
#include "kube/transport.hpp"
#include "reconciler/children/found_environment.hpp"
#include "reconciler/children/seen.hpp"
#include "render/children/tree.hpp"
#include "runtime/clock.hpp"

namespace dynamo::doctor {

// How the operator is started, and what is said of the cluster.
struct ForetellingSettings {
  render::ChildEnvironment environment = {};  // but for what lies in a namespace
  std::string mpi_secret_namespace = {};      // empty: the keys of MPI are copied from nowhere
  api::ClusterFacts facts = {};  // those of Foreteller::served(), or what overrides them
};

// An object as it is to be stored.
struct ForetoldObject {
  api::Kind kind = api::Kind::kGraphDeployment;
  std::string_view namespace_name = {};
  std::string_view name = {};
  json::Value value = {};
};

struct Foretold {
  render::Tree now = {};
  std::vector<render::TreeChange> changes = {};  // where they are asked for
  // "Service g-a must be free to be made; found …": children that cannot be made, and are none of
  // the changes.
  std::vector<std::string> obstacles = {};
};

// Asks one question after the other, and none twice; any thread may ask. All errors are one line
// for people.
class Foreteller {
 public:
  // `transport` lives on `loop` and belongs to `server`; both must outlive it.
  Foreteller(kube::Transport& transport, boost::asio::io_context& loop, std::string server);
  Foreteller(const Foreteller&) = delete;
  Foreteller& operator=(const Foreteller&) = delete;
  ~Foreteller();

  // To be asked first: what the API server serves.
  kube::Result<api::ClusterFacts> served();

  // As it is stored, as JSON with managedFields; null when it is not there. Kept as long as the
  // foreteller.
  kube::Result<const std::string*> stored(std::string_view kind, std::string_view namespace_name,
                                          std::string_view name);

  kube::Result<Foretold> foretell(const ForetellingSettings& settings, const ForetoldObject& object,
                                  bool with_changes);

  // What may not be read, one line each, since the last time; children are then rendered without.
  std::vector<std::string> take_notes();

 private:
  struct Space;  // what lies in a namespace
  using Key = std::tuple<std::string, std::string, std::string>;

  template <class T>
  kube::Result<T> ask(aio::Task<kube::Result<T>> task);
  // Nothing when it is not there.
  kube::Result<std::optional<kube::Object>> read(const kube::Resource& resource,
                                                 std::string_view namespace_name,
                                                 std::string_view name);
  // The same, with managedFields.
  kube::Result<std::optional<kube::Object>> read_whole(const kube::Resource& resource,
                                                       std::string_view namespace_name,
                                                       std::string_view name);
  kube::Result<std::vector<kube::Object>> list(const kube::Resource& resource,
                                               std::string_view namespace_name,
                                               const kube::ListOptions& options);
  const kube::Result<std::optional<kube::Object>>& find_stored(const kube::Resource& resource,
                                                               std::string_view namespace_name,
                                                               std::string_view name);
  kube::Result<const Space*> look_at(std::string_view namespace_name);
  kube::Result<void> add_mpi_secret(const ForetellingSettings& settings,
                                    std::string_view namespace_name,
                                    reconciler::FoundEnvironment& found);
  kube::Result<void> settle(const ForetoldObject& object, const Space& space, std::string_view uid,
                            Foretold& foretold);
  bool serves(const kube::Resource& resource) const;
  // False: it is an error that ends all. A right that lacks, or a definition, is no such error.
  bool forgive(const kube::Error& error, std::string_view without);

  std::mutex one_at_a_time_;
  boost::asio::io_context& loop_;
  const std::string server_;
  kube::Client client_;
  NoLog log_;
  kube::Discovery discovery_;
  std::map<Key, kube::Result<std::optional<kube::Object>>> stored_;
  std::map<Key, std::string> texts_;
  std::map<std::string, std::unique_ptr<const Space>, std::less<>> spaces_;
  std::vector<std::string> notes_;
  std::vector<std::string> told_;
};

// One with its connection.
class ConnectedForeteller {
 public:
  // Reads files; nothing is sent yet. `clock` must outlive it.
  static kube::Result<std::unique_ptr<ConnectedForeteller>> connect(const ClusterAddress& address,
                                                                    const runtime::Clock& clock);
  ConnectedForeteller(kube::ConnectionConfig config, const runtime::Clock& clock);
  ~ConnectedForeteller();

  Foreteller& foreteller() { return *foreteller_; }
  // Of the context; empty: it names none.
  const std::string& namespace_name() const { return namespace_; }

 private:
  const std::string namespace_;
  NoLog log_;
  boost::asio::io_context loop_;
  std::unique_ptr<kube::Transport> transport_;
  std::unique_ptr<Foreteller> foreteller_;
};

}  // namespace dynamo::doctor
