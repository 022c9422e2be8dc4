#include "tests/support/fake_store.hpp"

#include <algorithm>
#include <charconv>

#include "json/parser.hpp"
#include "json/patch.hpp"
#include "json/writer.hpp"

namespace dynamo::test {
namespace {

std::string unescape(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%' || i + 2 >= text.size()) {
      plain += text[i];
      continue;
    }
    int byte = 0;
    std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16);
    plain += static_cast<char>(byte);
    i += 2;
  }
  return plain;
}

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = text.find(at);
    if (end != 0) parts.push_back(unescape(text.substr(0, end)));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return parts;
}

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

using Term = std::tuple<std::string, std::string, std::string>;

std::optional<std::vector<Term>> terms(const std::string& selector) {
  std::vector<Term> found;
  for (const std::string& part : split(selector, ',')) {
    if (part.find('(') != std::string::npos || part.find(' ') != std::string::npos) {
      return std::nullopt;
    }
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos) {
      const bool without = part.starts_with('!');
      found.emplace_back(without ? part.substr(1) : part, without ? "!" : "?", "");
      continue;
    }
    const bool differs = equals > 0 && part[equals - 1] == '!';
    const std::size_t value = part.substr(equals, 2) == "==" ? equals + 2 : equals + 1;
    found.emplace_back(part.substr(0, differs ? equals - 1 : equals), differs ? "!=" : "=",
                       part.substr(value));
  }
  return found;
}

bool holds(const Term& term, const Tree* value) {
  const auto& [name, sign, wanted] = term;
  if (sign == "?") return value != nullptr;
  if (sign == "!") return value == nullptr;
  const bool same = value != nullptr && value->text == wanted;
  return sign == "=" ? same : !same;
}

const Tree* at_path(const Tree& object, const std::string& path) {
  const Tree* at = &object;
  for (const std::string& name : split(path, '.')) {
    at = at->find(name);
    if (at == nullptr) return nullptr;
  }
  return at;
}

void merge_patch(Tree& live, const Tree& patch) {
  if (!patch.is_object()) {
    live = patch;
    return;
  }
  if (!live.is_object()) live = Tree::object();
  for (std::size_t i = 0; i < patch.children.size(); ++i) {
    if (patch.children[i].type == json::Type::kNull) {
      live.erase(patch.names[i]);
    } else {
      merge_patch(live[patch.names[i]], patch.children[i]);
    }
  }
}

// List items of built-in kinds omit apiVersion and kind; those of custom resources have them.
bool is_custom(const std::string& group) {
  return group.find('.') != std::string::npos && !group.ends_with(".k8s.io");
}

// Accepts "2026-01-01T00:00:00.000000Z": the server requires exactly six decimals.
bool is_micro_time(const Tree& time) {
  if (time.type == json::Type::kNull) return true;
  const std::size_t dot = time.text.find('.');
  return dot != std::string::npos && time.text.find_first_not_of("0123456789", dot + 1) == dot + 7;
}

// The server's validation of the kinds that we write.
std::optional<Answer> refused(const Address& address, const Tree& object) {
  const auto invalid = [&](const std::string& text) {
    return refusal(
        422, "Invalid",
        object.at({"kind"}) + " \"" + object.at({"metadata", "name"}) + "\" is invalid: " + text);
  };
  if (address.collection() == "coordination.k8s.io/leases") {
    for (const char* name : {"renewTime", "acquireTime"}) {
      const Tree* time = at_path(object, std::string("spec.") + name);
      if (time != nullptr && !is_micro_time(*time)) {
        return refusal(400, "BadRequest",
                       std::string("spec.") + name + " must have exactly six digits of a second");
      }
    }
    const Tree* duration = at_path(object, "spec.leaseDurationSeconds");
    if (duration != nullptr && duration->integer <= 0) {
      return invalid("spec.leaseDurationSeconds: must be greater than 0");
    }
  }
  if (address.plural.ends_with("webhookconfigurations")) {
    const Tree* webhooks = object.find("webhooks");
    for (const Tree& webhook : webhooks == nullptr ? std::vector<Tree>{} : webhooks->children) {
      const Tree* config = webhook.find("clientConfig");
      const bool complete =
          webhook.find("sideEffects") != nullptr &&
          webhook.find("admissionReviewVersions") != nullptr && config != nullptr &&
          (config->find("service") != nullptr) != (config->find("url") != nullptr);
      if (!complete) {
        return invalid("webhooks[" + webhook.at({"name"}) +
                       "]: sideEffects, admissionReviewVersions and one of clientConfig.service "
                       "and clientConfig.url are required");
      }
    }
  }
  return std::nullopt;
}

}  // namespace

Address Address::of(std::string_view target) {
  Address address;
  const std::size_t mark = target.find('?');
  address.path = target.substr(0, mark);
  if (mark != std::string_view::npos) {
    std::string_view rest = target.substr(mark + 1);
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('&'), rest.size());
      const std::string_view pair = rest.substr(0, end);
      const std::size_t equals = std::min(pair.find('='), pair.size());
      address.query[std::string(pair.substr(0, equals))] =
          unescape(pair.substr(std::min(equals + 1, pair.size())));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  std::vector<std::string> parts = split(address.path, '/');
  const auto take = [&parts] {
    if (parts.empty()) return std::string();
    std::string first = std::move(parts.front());
    parts.erase(parts.begin());
    return first;
  };
  const std::string root = take();
  if (root != "api" && root != "apis") return address;
  if (root == "apis") address.group = take();
  address.version = take();
  const bool of_namespace = parts.size() >= 3 && parts[0] == "namespaces" && parts[2] != "status" &&
                            parts[2] != "finalize";
  if (of_namespace) {
    take();
    address.namespace_name = take();
  }
  address.plural = take();
  address.name = take();
  address.subresource = take();
  return address;
}

std::string Address::option(std::string_view option_name) const {
  const auto found = query.find(option_name);
  return found == query.end() ? std::string() : found->second;
}

Answer refusal(int code, std::string_view reason, std::string_view message) {
  Answer answer{code, {}};
  json::Writer writer(answer.body);
  writer.start_object().member("kind", "Status").member("apiVersion", "v1");
  writer.key("metadata").start_object().end_object();
  writer.member("status", "Failure").member("message", message).member("reason", reason);
  writer.key("code").integer(code).end_object();
  return answer;
}

std::optional<Selection> Selection::of(const Address& address) {
  Selection selection;
  selection.namespace_name_ = address.namespace_name;
  auto labels = terms(address.option("labelSelector"));
  auto fields = terms(address.option("fieldSelector"));
  if (!labels || !fields) return std::nullopt;
  for (const auto& [name, sign, value] : *fields) {
    const bool known = name == "metadata.name" || name == "metadata.namespace" ||
                       (address.plural == "secrets" && name == "type") || name == "status.phase" ||
                       (address.plural == "events" &&  // also "re": reason, regarding and reporting
                        (name.starts_with("involvedObject.") || name.starts_with("re")));
    if (!known) return std::nullopt;
  }
  selection.labels_ = std::move(*labels);
  selection.fields_ = std::move(*fields);
  return selection;
}

bool Selection::fits(const Tree& object) const {
  if (!namespace_name_.empty() && object.at({"metadata", "namespace"}) != namespace_name_) {
    return false;
  }
  const Tree* metadata = object.find("metadata");
  const Tree* labels = metadata == nullptr ? nullptr : metadata->find("labels");
  return std::ranges::all_of(
             labels_,
             [&](const Term& term) {
               return holds(term, labels == nullptr ? nullptr : labels->find(std::get<0>(term)));
             }) &&
         std::ranges::all_of(fields_, [&](const Term& term) {
           return holds(term, at_path(object, std::get<0>(term)));
         });
}

Tree metadata_only(const Tree& object) {
  Tree partial = Tree::object();
  partial["kind"] = Tree::string("PartialObjectMetadata");
  partial["apiVersion"] = Tree::string("meta.k8s.io/v1");
  if (const Tree* metadata = object.find("metadata")) partial["metadata"] = *metadata;
  return partial;
}

FakeStore::FakeStore(std::function<void(const Change&)> changed, std::function<std::string()> now)
    : changed_(std::move(changed)), now_(std::move(now)) {}

const Tree* FakeStore::find(const std::string& collection, const std::string& namespace_name,
                            const std::string& name) const {
  const auto found = objects_.find(Key(collection, namespace_name, name));
  return found == objects_.end() ? nullptr : &found->second.tree;
}

std::vector<Tree> FakeStore::all(const std::string& collection) const {
  std::vector<Tree> found;
  for (const auto& [key, stored] : objects_) {
    if (std::get<0>(key) == collection) found.push_back(stored.tree);
  }
  return found;
}

std::vector<std::string> FakeStore::managers(const std::string& collection,
                                             const std::string& namespace_name,
                                             const std::string& name,
                                             std::string_view field) const {
  const auto found = objects_.find(Key(collection, namespace_name, name));
  if (found == objects_.end()) return {};
  return found->second.owners.managers(field);
}

std::optional<std::vector<Change>> FakeStore::since(std::uint64_t version) const {
  if (version < forgotten_) return std::nullopt;
  std::vector<Change> changes;
  for (const Change& change : history_) {
    if (change.version > version) changes.push_back(change);
  }
  return changes;
}

void FakeStore::compact() {
  // Advances the version, as changes to other objects of a real cluster do; so even the newest
  // version that a client can know is too old.
  forgotten_ = ++version_;
  history_.clear();
}

Answer FakeStore::handle(kube::HttpMethod method, const Address& address, const std::string& accept,
                         const std::string& content_type, const std::string& body,
                         const std::string& client) {
  std::string manager = address.option("fieldManager");
  if (manager.empty()) manager = client;
  if (method == kube::HttpMethod::kGet && address.name.empty()) return list(address, accept);
  Answer answer = whole_answer(method, address, content_type, body, manager);
  const bool partial = accept.find("as=PartialObjectMetadata") != std::string::npos;
  if (partial && answer.status < 300) {
    answer.body = metadata_only(Tree::parse(answer.body)).to_text();
  }
  return answer;
}

Answer FakeStore::whole_answer(kube::HttpMethod method, const Address& address,
                               const std::string& content_type, const std::string& body,
                               const std::string& manager) {
  Tree object = Tree::object();
  if (!body.empty() && method != kube::HttpMethod::kPatch) {
    object = Tree::parse(body);
    if (!object.is_object()) return refusal(400, "BadRequest", "the body is not a JSON object");
  }
  if (method == kube::HttpMethod::kPost) return create(address, std::move(object), manager);
  if (method == kube::HttpMethod::kPatch) return patch(address, content_type, body, manager);

  const auto found = objects_.find(Key(address.collection(), address.namespace_name, address.name));
  if (found == objects_.end() && method == kube::HttpMethod::kPut && address.plural == "leases") {
    // Lease is the only kind we write that the server creates on PUT.
    object["metadata"].erase("resourceVersion");
    return create(address, std::move(object), manager);
  }
  if (found == objects_.end()) {
    return refusal(404, "NotFound", address.plural + " \"" + address.name + "\" not found");
  }
  if (method == kube::HttpMethod::kGet) return {200, found->second.tree.to_text()};
  if (method == kube::HttpMethod::kPut)
    return update(address, found->second, std::move(object), manager);
  return remove(address, object);
}

Answer FakeStore::list(const Address& address, const std::string& accept) const {
  const auto selection = Selection::of(address);
  if (!selection) return refusal(400, "BadRequest", "the selector is not supported");
  const bool partial = accept.find("as=PartialObjectMetadataList") != std::string::npos;

  // Rejects versions above the current one; "0" is served from cache, unpaginated.
  std::size_t limit = number(address.option("limit"));
  if (address.option("resourceVersion") == "0") limit = 0;
  std::uint64_t version = version_;
  std::size_t skipped = 0;
  if (const std::string token = address.option("continue"); !token.empty()) {
    const std::size_t colon = token.find(':');
    version = number(std::string_view(token).substr(0, colon));
    skipped = number(std::string_view(token).substr(colon + 1));
    if (version < forgotten_) {
      return refusal(410, "Expired", "The provided continue parameter is too old");
    }
  }

  std::string items;
  json::Writer writer(items);
  writer.start_array();
  std::size_t position = 0;
  std::size_t written = 0;
  std::string next;
  for (const auto& [key, stored] : objects_) {
    if (std::get<0>(key) != address.collection() || !selection->fits(stored.tree)) continue;
    if (position++ < skipped) continue;
    if (limit != 0 && written == limit) {
      next = std::to_string(version) + ":" + std::to_string(skipped + written);
      break;
    }
    ++written;
    Tree item = partial ? metadata_only(stored.tree) : stored.tree;
    if (!is_custom(address.group)) {
      item.erase("kind");
      item.erase("apiVersion");
    }
    writer.raw(item.to_text());
  }
  writer.end_array();

  Answer answer;
  json::Writer whole(answer.body);
  whole.start_object().member("kind", partial ? "PartialObjectMetadataList" : "List");
  whole.member("apiVersion", partial ? "meta.k8s.io/v1" : address.api_version());
  whole.key("metadata").start_object().member("resourceVersion", std::to_string(version));
  if (!next.empty()) whole.member("continue", next);
  whole.end_object().key("items").raw(items).end_object();
  return answer;
}

void FakeStore::set_metadata(const Address& address, Tree& object) {
  Tree& metadata = object["metadata"];
  if (!address.namespace_name.empty()) {
    metadata["namespace"] = Tree::string(address.namespace_name);
  }
  metadata["uid"] = Tree::string("uid-" + std::to_string(++made_));
  metadata["creationTimestamp"] = Tree::string(now_());
  if (address.has_generation()) metadata["generation"] = Tree::number_of(1);
}

Answer FakeStore::create(const Address& address, Tree object, const std::string& manager) {
  const std::string namespace_name = object.at({"metadata", "namespace"});
  if (!namespace_name.empty() && namespace_name != address.namespace_name) {
    return refusal(400, "BadRequest",
                   "the namespace of the object does not match the namespace of the request");
  }
  if (!object.at({"metadata", "resourceVersion"}).empty()) {
    return refusal(500, "InternalError",
                   "resourceVersion should not be set on objects to be created");
  }
  if (object.at({"apiVersion"}) != address.api_version() || object.at({"kind"}).empty()) {
    return refusal(400, "BadRequest", "the object's apiVersion and kind must be those of the path");
  }
  std::string name = object.at({"metadata", "name"});
  if (const std::string prefix = object.at({"metadata", "generateName"});
      name.empty() && !prefix.empty()) {
    name = prefix + std::to_string(made_ + 1);
    object["metadata"]["name"] = Tree::string(name);
  }
  if (name.empty()) return refusal(422, "Invalid", "metadata.name: Required value");
  const Key key(address.collection(), address.namespace_name, name);
  if (objects_.contains(key)) {
    return refusal(409, "AlreadyExists", address.plural + " \"" + name + "\" already exists");
  }
  if (auto answer = refused(address, object)) return *answer;
  set_metadata(address, object);
  FieldOwners owners;
  owners.updated(Tree::object(), object, manager);
  return commit(address, key, nullptr, std::move(object), std::move(owners), 201);
}

Answer FakeStore::update(const Address& address, StoredObject& stored, Tree object,
                         const std::string& manager) {
  const Tree& live = stored.tree;
  const std::string wanted = object.at({"metadata", "resourceVersion"});
  const std::string uid = object.at({"metadata", "uid"});
  if ((!wanted.empty() && wanted != live.at({"metadata", "resourceVersion"})) ||
      (!uid.empty() && uid != live.at({"metadata", "uid"}))) {
    return refusal(409, "Conflict",
                   "Operation cannot be fulfilled on " + address.plural + " \"" + address.name +
                       "\": the object has been modified; please apply your changes to the latest "
                       "version and try again");
  }
  if (object.at({"metadata", "name"}) != address.name) {
    return refusal(400, "BadRequest", "the name of the object does not match the name on the URL");
  }
  if (address.subresource == "status") {
    Tree with_status = live;
    if (const Tree* status = object.find("status")) with_status["status"] = *status;
    object = std::move(with_status);
  }
  Tree& metadata = object["metadata"];
  for (const char* kept : {"namespace", "uid", "creationTimestamp", "generation"}) {
    if (const Tree* value = live.find("metadata")->find(kept)) metadata[kept] = *value;
  }
  if (auto answer = refused(address, object)) return *answer;
  FieldOwners owners = stored.owners;
  owners.updated(live, object, manager);
  const Tree before = live;
  return commit(address, Key(address.collection(), address.namespace_name, address.name), &before,
                std::move(object), std::move(owners), 200);
}

Answer FakeStore::patch(const Address& address, const std::string& content_type,
                        const std::string& body, const std::string& manager) {
  const auto found = objects_.find(Key(address.collection(), address.namespace_name, address.name));
  StoredObject* stored = found == objects_.end() ? nullptr : &found->second;
  const auto parsed = json::parse_copy(body);
  if (parsed->error) return refusal(400, "BadRequest", "the body is not JSON");
  if (content_type == "application/apply-patch+yaml") {
    if (address.option("fieldManager").empty()) {
      return refusal(422, "Invalid", "fieldManager: Required value: is required for apply patch");
    }
    return apply(address, stored, Tree::of(parsed->root()), manager);
  }
  if (stored == nullptr) {
    return refusal(404, "NotFound", address.plural + " \"" + address.name + "\" not found");
  }
  Tree after = stored->tree;
  if (content_type == "application/json-patch+json") {
    const auto live = json::parse_copy(stored->tree.to_text());
    json::Document output;
    if (auto failure = json::apply_patch(live->root(), parsed->root(), output)) {
      return refusal(422, "Invalid", *failure);
    }
    after = Tree::of(output.root());
  } else if (content_type == "application/merge-patch+json") {
    merge_patch(after, Tree::of(parsed->root()));
  } else {
    return refusal(415, "UnsupportedMediaType", "the content type is not supported");
  }
  return update(address, *stored, std::move(after), manager);
}

Answer FakeStore::apply(const Address& address, StoredObject* stored, const Tree& config,
                        const std::string& manager) {
  if (config.at({"apiVersion"}) != address.api_version() || config.at({"kind"}).empty()) {
    return refusal(400, "BadRequest", "apiVersion and kind must be set, and be those of the path");
  }
  if (config.at({"metadata", "name"}) != address.name) {
    return refusal(400, "BadRequest", "metadata.name must be set, and be that of the path");
  }
  Tree after = Tree::object();
  FieldOwners owners;
  const std::string uid = config.at({"metadata", "uid"});
  if (stored == nullptr && !uid.empty()) {
    return refusal(409, "Conflict", "Precondition failed: UID in precondition: " + uid);
  }
  if (stored != nullptr) {
    after = stored->tree;
    owners = stored->owners;
    const std::string wanted = config.at({"metadata", "resourceVersion"});
    if ((!wanted.empty() && wanted != after.at({"metadata", "resourceVersion"})) ||
        (!uid.empty() && uid != after.at({"metadata", "uid"}))) {
      return refusal(409, "Conflict", "the object has been modified");
    }
  }
  // A subresource has its own field manager entry, separate from the object's.
  const std::string who =
      address.subresource.empty() ? manager : manager + "/" + address.subresource;
  const auto conflicts = owners.apply(after, config, who, address.option("force") == "true");
  if (!conflicts.empty()) {
    return refusal(409, "Conflict",
                   "Apply failed with " + std::to_string(conflicts.size()) + " conflict: ." +
                       conflicts.front());
  }
  if (auto answer = refused(address, after)) return *answer;
  const Key key(address.collection(), address.namespace_name, address.name);
  if (stored == nullptr) {
    set_metadata(address, after);
    return commit(address, key, nullptr, std::move(after), std::move(owners), 201);
  }
  const Tree before = stored->tree;
  return commit(address, key, &before, std::move(after), std::move(owners), 200);
}

Answer FakeStore::remove(const Address& address, const Tree& options) {
  const Key key(address.collection(), address.namespace_name, address.name);
  StoredObject& stored = objects_.at(key);
  const std::string uid = options.at({"preconditions", "uid"});
  const std::string version = options.at({"preconditions", "resourceVersion"});
  if ((!uid.empty() && uid != stored.tree.at({"metadata", "uid"})) ||
      (!version.empty() && version != stored.tree.at({"metadata", "resourceVersion"}))) {
    return refusal(409, "Conflict",
                   "Precondition failed: UID or ResourceVersion in precondition differs");
  }
  if (address.option("dryRun") == "All") return {200, stored.tree.to_text()};
  const Tree* finalizers = at_path(stored.tree, "metadata.finalizers");
  if (finalizers != nullptr && !finalizers->children.empty()) {
    Tree after = stored.tree;
    const Tree before = stored.tree;
    after["metadata"]["deletionTimestamp"] = Tree::string(now_());
    return commit(address, key, &before, std::move(after), stored.owners, 200);
  }
  Tree last = std::move(stored.tree);
  objects_.erase(key);
  last["metadata"]["resourceVersion"] = Tree::string(std::to_string(++version_));
  Answer answer{200, last.to_text()};
  note({version_, address.collection(), std::move(last), std::nullopt});
  return answer;
}

Answer FakeStore::commit(const Address& address, const Key& key, const Tree* before, Tree after,
                         FieldOwners owners, int status) {
  for (const auto& [collection, patch] : rewrites_) {
    const bool is_of_it = collection == address.collection() && address.subresource.empty();
    if (is_of_it) merge_patch(after, patch);
  }
  if (before != nullptr) {
    after["metadata"]["resourceVersion"] =
        Tree::string(before->at({"metadata", "resourceVersion"}));
    const bool same = after == *before;
    if (same) {
      if (address.option("dryRun").empty()) objects_[key].owners = std::move(owners);
      return {status, after.to_text()};
    }
    Tree spec_before = *before;
    Tree spec_after = after;
    for (Tree* tree : {&spec_before, &spec_after}) {
      tree->erase("metadata");
      tree->erase("status");
    }
    if (address.has_generation() && !(spec_before == spec_after)) {
      ++after["metadata"]["generation"].integer;
    }
  }
  if (!address.option("dryRun").empty()) return {status, after.to_text()};

  after["metadata"]["resourceVersion"] = Tree::string(std::to_string(++version_));
  const Tree* finalizers = at_path(after, "metadata.finalizers");
  const bool ends = at_path(after, "metadata.deletionTimestamp") != nullptr &&
                    (finalizers == nullptr || finalizers->children.empty());
  Answer answer{status, after.to_text()};
  Change change{version_, address.collection(), std::nullopt, std::nullopt};
  if (before != nullptr) change.before = *before;
  if (ends) {
    objects_.erase(key);
    change.before = std::move(after);
  } else {
    change.after = after;
    objects_[key] = {std::move(after), std::move(owners)};
  }
  note(std::move(change));
  return answer;
}

void FakeStore::note(Change change) {
  history_.push_back(std::move(change));
  changed_(Change(history_.back()));
}

}  // namespace dynamo::test
