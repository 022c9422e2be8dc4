#include "reconciler/desired/seen.hpp"

namespace dynamo::reconciler {

void Seen::add(const kube::Object& object) {
  by_kind_[std::string(object.kind())].insert_or_assign(std::string(object.name()), object);
}

const kube::Object* Seen::find(std::string_view kind, std::string_view name) const {
  const Objects& objects = all(kind);
  const auto found = objects.find(name);
  return found == objects.end() ? nullptr : &found->second;
}

const Seen::Objects& Seen::all(std::string_view kind) const {
  static const Objects nothing;
  const auto found = by_kind_.find(kind);
  return found == by_kind_.end() ? nothing : found->second;
}

}  // namespace dynamo::reconciler
