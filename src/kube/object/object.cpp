#include "kube/object/object.hpp"

#include <span>
#include <utility>

namespace dynamo::kube {

namespace {

json::ParseOptions options_of(std::size_t skip_managed_fields_at, std::size_t max_depth) {
  json::ParseOptions options;
  options.max_depth = max_depth;
  options.skip_managed_fields_at = skip_managed_fields_at;
  return options;
}

}  // namespace

Result<Object> Object::parse(std::string_view text, std::size_t skip_managed_fields_at) {
  return made_of(json::parse_copy(text, options_of(skip_managed_fields_at, kDeepestObject)));
}

Result<Object> Object::take(std::string text, std::size_t skip_managed_fields_at,
                            std::size_t max_depth) {
  const json::ParseOptions options = options_of(skip_managed_fields_at, max_depth);
  const std::size_t size = text.size();
  // Growing the text would copy it anyway and need more memory.
  if (text.capacity() < size + json::kParsePadding) {
    return made_of(json::parse_copy(text, options));
  }
  auto parsed = std::make_shared<json::ParsedText>();
  text.append(json::kParsePadding, '\0');
  parsed->text = std::move(text);
  json::Parser parser;
  parsed->error = parser.parse(std::span{parsed->text.data(), size}, options, parsed->document);
  return made_of(std::move(parsed));
}

Result<Object> Object::made_of(std::shared_ptr<const json::ParsedText> parsed) {
  if (parsed->error || !parsed->root().is_object()) {
    Error error;
    error.failure = FailureKind::kProtocol;
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
