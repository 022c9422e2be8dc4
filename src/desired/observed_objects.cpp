#include "desired/observed_objects.hpp"

namespace dynamo::reconciler {

void ObservedObjects::add(const kube::Object& object) {
  by_kind_[std::string(object.kind())].insert_or_assign(std::string(object.name()), object);
}

const kube::Object* ObservedObjects::find(std::string_view kind, std::string_view name) const {
  const ByName& objects = all(kind);
  const auto found = objects.find(name);
  return found == objects.end() ? nullptr : &found->second;
}

const ObservedObjects::ByName& ObservedObjects::all(std::string_view kind) const {
  static const ByName nothing;
  const auto found = by_kind_.find(kind);
  return found == by_kind_.end() ? nothing : found->second;
}

}  // namespace dynamo::reconciler
