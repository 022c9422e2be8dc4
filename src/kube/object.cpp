#include "kube/object.hpp"

namespace dynamo::kube {

Result<Object> Object::parse(std::string_view text, std::size_t skip_managed_fields_at) {
  json::ParseOptions options;
  options.skip_managed_fields_at = skip_managed_fields_at;
  std::shared_ptr<const json::ParsedText> parsed = json::parse_copy(text, options);
  if (parsed->error || !parsed->root().is_object()) {
    Error error;
    error.failure = Failure::kProtocol;
    error.text = parsed->error ? "the answer must be a JSON object: " + parsed->error->message()
                               : "the answer must be a JSON object, but is of type " +
                                     std::string(json::type_name(parsed->root().type()));
    return error;
  }
  Object object;
  object.root_ = parsed->root();
  object.parsed_ = std::move(parsed);
  return object;
}

Object Object::part(json::Value value) const {
  Object object;
  object.parsed_ = parsed_;
  object.root_ = value;
  return object;
}

}  // namespace dynamo::kube
