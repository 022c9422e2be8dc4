// Pods that are used exactly as their template is written.
#include <gtest/gtest.h>

#include "api/field_path.hpp"
#include "render/document/origin.hpp"
#include "render/pod/pod.hpp"
#include "tests/render/rendering.hpp"

namespace dynamo::render {
namespace {

constexpr api::FieldPath kTemplatePath{"template"};

std::string path_of(const Origin& origin) {
  return OriginPath(kTemplatePath, origin).path().render();
}

TEST(PodTemplate, TemplateWithoutContainerHasNoPod) {
  for (const auto* text : {"{}", "{spec: {}}", "{spec: {containers: []}}", "{spec: 5}", "5"}) {
    const test::Yaml document(text);
    Arena arena;
    EXPECT_FALSE(render_template(document.root(), arena)) << text;
  }
}

TEST(PodTemplate, IsCopiedUnchanged) {
  const test::Yaml document(R"(
spec:
  terminationGracePeriodSeconds: 5
  containers:
    - {name: a, image: i, command: [run], env: [{name: B, value: x}, {name: A, value: y}]}
    - {name: b}
  initContainers: [{name: c}]
  volumes: [{name: v, emptyDir: {}}]
)");
  Arena arena;
  const auto pod = render_template(document.root(), arena);
  ASSERT_TRUE(pod.has_value());
  ASSERT_EQ(pod->containers.size(), 2U);
  EXPECT_EQ(pod->main().name, "a");
  EXPECT_FALSE(pod->main().is_main());
  ASSERT_EQ(pod->main().variables.size(), 2U);
  EXPECT_EQ(pod->main().variables[0].name, "B");
  EXPECT_EQ(pod->init_containers[0].name, "c");
  ASSERT_EQ(pod->volumes.size(), 1U);
  EXPECT_EQ(pod->volumes[0].kind, VolumeSource::kUser);
  EXPECT_EQ(pod->grace_period.integer(), 5);
}

TEST(PodTemplate, ItemsHaveOrigins) {
  const test::Yaml document(R"(
spec:
  containers: [{name: a}, {name: b, env: [{name: A}]}]
  initContainers: [{name: c}]
  volumes: [{name: v}]
)");
  Arena arena;
  const auto pod = render_template(document.root(), arena);
  ASSERT_TRUE(pod.has_value());
  EXPECT_EQ(path_of(pod->field("tolerations")), "template.spec.tolerations");
  EXPECT_EQ(path_of(pod->containers[1].name_origin()), "template.spec.containers[1].name");
  EXPECT_EQ(path_of(pod->containers[1].variables[0].origin), "template.spec.containers[1].env[0]");
  EXPECT_EQ(path_of(pod->init_containers[0].field("image")),
            "template.spec.initContainers[0].image");
  EXPECT_EQ(path_of(pod->volumes[0].origin.child("name")), "template.spec.volumes[0].name");
}

}  // namespace
}  // namespace dynamo::render
