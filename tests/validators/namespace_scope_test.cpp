// cross.namespace-scope reports the object's namespace, not the one of the request.
#include <gtest/gtest.h>

#include <string>

#include "render/document/arena.hpp"
#include "tests/support/objects.hpp"
#include "validators/severities.hpp"
#include "validators/validate.hpp"

namespace dynamo::test {
namespace {

std::string namespace_warning(std::string_view object, std::string_view namespace_name) {
  const json::Document document = from_yaml(object);
  const api::Settings settings;
  const api::ClusterFacts facts;
  const api::Context context{.kind = api::Kind::kModel,
                             .namespace_name = namespace_name,
                             .object_name = "m",
                             .user = "jane@example.com",
                             .sub_resource = {},
                             .settings = settings,
                             .facts = facts};
  api::ErrorList found;
  render::Arena arena;
  validators::validate(context, document.root(), {}, found, validators::default_severities(),
                       arena);
  for (const api::Warning& warning : found.warnings()) {
    if (warning.rule == "cross.namespace-scope") return warning.detail;
  }
  return {};
}

TEST(NamespaceScope, ReportsNamespaceOfObject) {
  EXPECT_NE(namespace_warning("{metadata: {name: m, namespace: ephemeral-1}}", "default")
                .find("found \"ephemeral-1\""),
            std::string::npos);
}

TEST(NamespaceScope, ReportsNamespaceOfRequestIfObjectHasNone) {
  EXPECT_NE(namespace_warning("{metadata: {name: m}}", "ephemeral-2").find("found \"ephemeral-2\""),
            std::string::npos);
}

}  // namespace
}  // namespace dynamo::test
