#include "tests/support/schema_objects.hpp"

namespace dynamo::test {
namespace {

// A path to a schema, as the text before a value and after it.
struct Way {
  std::string before;
  std::string after;
};

class ObjectGenerator {
 public:
  explicit ObjectGenerator(const VisitSchema& visit) : visit_(visit) {}

  void at(const schema::Schema& schema, const Way& way) {
    visit_(schema,
           [&way](std::string_view json) { return way.before + std::string(json) + way.after; });
    for (const schema::Property& property : schema.properties) {
      at(*property.schema,
         {way.before + "{\"" + std::string(property.name) + "\":", "}" + way.after});
    }
    if (schema.each == nullptr) return;
    if (schema.type == schema::Type::kArray) {
      at(*schema.each, {way.before + "[", "]" + way.after});
    } else {
      at(*schema.each, {way.before + R"({"key":)", "}" + way.after});
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
