#include "tests/support/schema_objects.hpp"

namespace dynamo::test {
namespace {

// A path to a schema, as the text before a value and after it.
struct SchemaPath {
  std::string before;
  std::string after;
};

class ObjectGenerator {
 public:
  explicit ObjectGenerator(const VisitSchema& visit) : visit_(visit) {}

  void at(const schema::Schema& schema, const SchemaPath& path) {
    visit_(schema,
           [&path](std::string_view json) { return path.before + std::string(json) + path.after; });
    for (const schema::Property& property : schema.properties) {
      at(*property.schema,
         {path.before + "{\"" + std::string(property.name) + "\":", "}" + path.after});
    }
    if (schema.each == nullptr) return;
    if (schema.type == schema::Type::kArray) {
      at(*schema.each, {path.before + "[", "]" + path.after});
    } else {
      at(*schema.each, {path.before + R"({"key":)", "}" + path.after});
    }
  }

 private:
  const VisitSchema& visit_;
};

}  // namespace

void for_each_schema(const schema::Resource& resource, const VisitSchema& visit) {
  for (const schema::Property& property : resource.schema->properties) {
    if (property.name != "spec") continue;
    ObjectGenerator(visit).at(
        *property.schema,
        {R"({"apiVersion":"nvidia.com/v1alpha1","kind":")" + std::string(resource.kind) +
             R"(","metadata":{"name":"example","namespace":"default"},"spec":)",
         "}"});
  }
}

}  // namespace dynamo::test
