// Actions: their --dry-run output, and equality.
#include "desired/action.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace dynamo::reconciler {
namespace {

Target model() {
  return {.resource = {"nvidia.com", "v1alpha1", "dynamomodels", "DynamoModel"},
          .namespace_name = "team-a",
          .name = "llama",
          .uid = "u-1",
          .resource_version = "17"};
}

TEST(Action, BodyIsPrintedAsYaml) {
  EXPECT_EQ(to_yaml(patch_status(model(), R"({"status":{"ready":1}})")),
            "action: patch\n"
            "apiVersion: nvidia.com/v1alpha1\n"
            "kind: DynamoModel\n"
            "namespace: team-a\n"
            "name: llama\n"
            "subresource: status\n"
            "uid: u-1\n"
            "resourceVersion: \"17\"\n"
            "body:\n"
            "  status:\n"
            "    ready: 1\n");
}

TEST(Action, NoteIsPresentableAndCut) {
  EXPECT_EQ(note_of("two\nlines"), "two lines");
  EXPECT_EQ(note_of(std::string(kMaxEventNote, 'x')), std::string(kMaxEventNote, 'x'));
  EXPECT_EQ(note_of(std::string(kMaxEventNote + 1, 'x')), std::string(kMaxEventNote, 'x') + "…");
}

TEST(Action, TakesOverIsComparedAndPrinted) {
  Apply action = apply(model(), "{}");
  const Apply other = action;
  action.takes_over = true;
  EXPECT_NE(action, other);
  EXPECT_NE(to_yaml(action).find("takesOver: true\n"), std::string::npos) << to_yaml(action);
}

TEST(Action, SeveralActionsArePrintedAsYamlDocuments) {
  const std::vector<Action> actions{remove(model()),
                                    event(model(), true, "ValidationFailed", "two\nlines")};
  EXPECT_EQ(to_yaml(actions),
            "---\n"
            "action: delete\n"
            "apiVersion: nvidia.com/v1alpha1\n"
            "kind: DynamoModel\n"
            "namespace: team-a\n"
            "name: llama\n"
            "uid: u-1\n"
            "resourceVersion: \"17\"\n"
            "propagation: Background\n"
            "---\n"
            "action: event\n"
            "apiVersion: nvidia.com/v1alpha1\n"
            "kind: DynamoModel\n"
            "namespace: team-a\n"
            "name: llama\n"
            "uid: u-1\n"
            "type: Warning\n"
            "reason: ValidationFailed\n"
            "note: |-\n"
            "  two\n"
            "  lines\n");
}

TEST(Action, DataOfASecretIsMasked) {
  const Target secret{.resource = {"", "v1", "secrets", "Secret"},
                      .namespace_name = "team-a",
                      .name = "keys",
                      .uid = {},
                      .resource_version = {}};
  EXPECT_EQ(to_yaml(create(secret, R"({"type":"Opaque","data":{"private.key":"a2V5"},)"
                                   R"("stringData":{"b":"key"}})")),
            "action: create\n"
            "apiVersion: v1\n"
            "kind: Secret\n"
            "namespace: team-a\n"
            "name: keys\n"
            "body:\n"
            "  type: Opaque\n"
            "  data:\n"
            "    private.key: \"***\"\n"
            "  stringData:\n"
            "    b: \"***\"\n");
}

TEST(Action, CallIsPrintedWithMethodAndUrl) {
  EXPECT_EQ(to_yaml(http_call("POST", "http://10.0.0.7:9090/v1/loras", R"({"lora_name":"a"})")),
            "action: call\n"
            "method: POST\n"
            "url: http://10.0.0.7:9090/v1/loras\n"
            "body:\n"
            "  lora_name: a\n");
}

TEST(Action, NonJsonBodyIsPrintedAsText) {
  EXPECT_EQ(to_yaml(http_call("POST", "http://h/", "{oops")),
            "action: call\n"
            "method: POST\n"
            "url: http://h/\n"
            "body: \"{oops\"\n");
}

TEST(Action, EventRegardsAnyVersionOfItsObject) {
  const Action action = event(model(), false, "Changed", "why");
  Target regarding = model();
  regarding.resource_version.clear();
  EXPECT_EQ(*target_of(action), regarding);
  EXPECT_EQ(body_of(action), "");
}

TEST(Action, CallHasABodyAndNoTarget) {
  const Action action = http_call("POST", "http://h/", "{}");
  EXPECT_EQ(target_of(action), nullptr);
  EXPECT_EQ(body_of(action), "{}");
  EXPECT_EQ(subresource_of(action), "");
}

TEST(Action, EqualityComparesAllMembers) {
  const Apply first = apply(model(), "{}");
  EXPECT_EQ(first, apply(model(), "{}"));
  EXPECT_NE(first, apply(model(), R"({"a":1})"));
  EXPECT_NE(first, apply_status(model(), "{}"));
  EXPECT_NE(Action(first), Action(create(model(), "{}")));
  Target other = model();
  other.resource.plural = "dynamocheckpoints";
  EXPECT_NE(first, apply(other, "{}"));
  other = model();
  other.uid = "u-2";
  EXPECT_NE(first, apply(other, "{}"));
}

}  // namespace
}  // namespace dynamo::reconciler
