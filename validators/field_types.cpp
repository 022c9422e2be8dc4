// Checks the JSON type of every field of this API against the tables of its resources, including
// embedded core Kubernetes types. Other rules read a field of the wrong type as absent; this rule
// reports it if an object arrives that was not validated against its schema.
#include <array>
#include <cassert>
#include <string>
#include <string_view>
#include <utility>

#include "api/kind.hpp"
#include "schema/properties.hpp"
#include "schema/table.hpp"
#include "schema/types.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators {
namespace {

class Findings final : public schema::TypeFindings {
 public:
  explicit Findings(Report& report) : report_(report) {}

  void found(api::ErrorType type, const api::FieldPath& path, std::string detail) override {
    report_.add(type, path, std::move(detail));
  }
  bool wants_text() const override { return report_.wants_text(); }
  void counted() override { report_.omit(); }

 private:
  Report& report_;
};

// The schema of the whole object.
const schema::Schema& schema_of(api::Kind kind) {
  static const auto all = [] {
    std::array<const schema::Schema*, api::kKindCount> schemas{};
    for (const api::KindNames& names : api::kKinds) {
      const schema::Resource* const resource = schema::find_resource(names.name);
      assert(resource != nullptr);
      schemas[static_cast<std::size_t>(names.kind)] = resource->schema;
    }
    return schemas;
  }();
  return *all[static_cast<std::size_t>(kind)];
}

void field_types(const api::Context& context, const api::Object& now, const api::Object*,
                 Report& report) {
  Findings findings{report};
  const schema::Schema& whole = schema_of(context.kind);
  for (const std::string_view name : {"metadata", "spec"}) {
    const json::Value value = now.value()[name];
    const schema::Property* const property = schema::find_property(whole, name);
    if (value.is_nothing() || property == nullptr) continue;
    schema::check_types(*property->schema, value, api::FieldPath(name), findings);
  }
}

}  // namespace

extern constexpr Rule kFieldTypesRule{
    .id = "type.mismatch",
    .kinds = kinds::kAll,
    .ratchet = Ratchet::kNo,
    .function = &field_types,
    .field = "any",
};

}  // namespace dynamo::validators
