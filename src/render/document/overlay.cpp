#include "render/document/overlay.hpp"

namespace dynamo::render {

bool is_empty(json::Value value) {
  if (value.is_nothing()) return true;
  switch (value.type()) {
    case json::Type::kBoolean:
      return !value.boolean().value_or(false);
    case json::Type::kInteger:
    case json::Type::kNumber:
      return value.number() == 0.0;
    case json::Type::kString:
      return value.string_or_empty().empty();
    case json::Type::kArray:
    case json::Type::kObject:
      return value.size() == 0;
    case json::Type::kNull:
      break;
  }
  return true;
}

Overlay::Overlay(json::Value user, json::Value base) {
  if (!base.exists()) {
    user_ = user;
  } else if (is_empty(user)) {
    base_ = base;
  } else if (user.is_object() && base.is_object()) {
    user_ = user;
    base_ = base;
  } else if (user.is(json::Type::kInteger) && base.is_string()) {
    base_ = base;
  } else {
    user_ = user;
  }
}

}  // namespace dynamo::render
