// Objects of a fake cluster and the verbs on them. Used through fake_cluster.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "kube/http/transport.hpp"
#include "tests/support/field_owners.hpp"
#include "tests/support/json_tree.hpp"

namespace dynamo::test {

// A parsed request target: "/apis/GROUP/VERSION/namespaces/NS/PLURAL/NAME/SUB?query".
struct Address {
  std::string path;
  std::string group;
  std::string version;
  std::string plural;
  std::string namespace_name;
  std::string name;
  std::string subresource;
  std::map<std::string, std::string, std::less<>> query;

  static Address of(std::string_view target);
  bool is_resource() const { return !plural.empty(); }
  std::string collection() const { return group + "/" + plural; }
  // The API server maintains metadata.generation for kinds that have a controller or a CRD.
  bool has_generation() const { return !group.empty() && group != "rbac.authorization.k8s.io"; }
  std::string api_version() const { return group.empty() ? version : group + "/" + version; }
  std::string option(std::string_view name) const;
};

struct Answer {
  int status = 200;
  std::string body;
};

// metav1.Status.
Answer refusal(int code, std::string_view reason, std::string_view message);

// Selects objects of a collection.
class Selection {
 public:
  // Returns nullopt for a selector that this fake does not support.
  static std::optional<Selection> of(const Address& address);
  bool fits(const Tree& object) const;

 private:
  std::string namespace_name_;
  std::vector<std::tuple<std::string, std::string, std::string>> labels_;  // name, "=", value
  std::vector<std::tuple<std::string, std::string, std::string>> fields_;
};

struct Change {
  std::uint64_t version = 0;
  std::string collection;
  std::optional<Tree> before;
  std::optional<Tree> after;
};

class FakeStore {
 public:
  // Calls `changed` after each change; `now` returns the time as text.
  FakeStore(std::function<void(const Change&)> changed, std::function<std::string()> now);

  Answer handle(kube::HttpMethod method, const Address& address, const std::string& accept,
                const std::string& content_type, const std::string& body,
                const std::string& client);

  const Tree* find(const std::string& collection, const std::string& namespace_name,
                   const std::string& name) const;
  std::vector<Tree> all(const std::string& collection) const;
  std::vector<std::string> managers(const std::string& collection,
                                    const std::string& namespace_name, const std::string& name,
                                    std::string_view field) const;

  // Merges the patch into each object of that collection that is written from now on.
  void rewrite(std::string collection, Tree merge_patch) {
    rewrites_.emplace_back(std::move(collection), std::move(merge_patch));
  }

  std::uint64_t version() const { return version_; }
  // The changes after `version`; nullopt if that history was forgotten.
  std::optional<std::vector<Change>> since(std::uint64_t version) const;
  void compact();

 private:
  // The response for a single object or a write, before the Accept header is applied.
  Answer whole_answer(kube::HttpMethod method, const Address& address,
                      const std::string& content_type, const std::string& body,
                      const std::string& manager);

  struct StoredObject {
    Tree tree;
    FieldOwners owners;
  };
  using Key = std::tuple<std::string, std::string, std::string>;  // collection, namespace, name

  Answer list(const Address& address, const std::string& accept) const;
  Answer create(const Address& address, Tree object, const std::string& manager);
  Answer update(const Address& address, StoredObject& stored, Tree object,
                const std::string& manager);
  Answer patch(const Address& address, const std::string& content_type, const std::string& body,
               const std::string& manager);
  Answer apply(const Address& address, StoredObject* stored, const Tree& config,
               const std::string& manager);
  Answer remove(const Address& address, const Tree& options);
  Answer commit(const Address& address, const Key& key, const Tree* before, Tree after,
                FieldOwners owners, int status);
  void note(Change change);
  void set_metadata(const Address& address, Tree& object);

  std::function<void(const Change&)> changed_;
  std::function<std::string()> now_;
  std::map<Key, StoredObject> objects_;
  std::vector<Change> history_;
  std::vector<std::pair<std::string, Tree>> rewrites_;
  std::uint64_t version_ = 1000;
  std::uint64_t forgotten_ = 0;  // clients cannot resume from versions up to this one
  std::uint64_t made_ = 0;
};

// Converts the object to PartialObjectMetadata.
Tree metadata_only(const Tree& object);

}  // namespace dynamo::test
