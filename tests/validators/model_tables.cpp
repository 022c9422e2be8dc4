#include "tests/validators/rule_table.hpp"

namespace dynamo::test {

// One row per line if it fits.
// clang-format off

using enum api::ErrorType;
using enum api::Kind;

namespace {

#define NAMES "modelName: m, baseModelName: b"
#define LORA(source) "{modelType: lora, " NAMES source "}"
#define LORA_FROM(uri) LORA(", source: {uri: '" uri "'}")

RuleTable lora_scheme() {
  const std::vector<Finding> refused{{kInvalid, "spec.source.uri"}};
  return {"dm.lora.scheme", kModel, {
      {.name = "s3", .spec = LORA_FROM("s3://bucket/key")},
      {.name = "hf", .spec = LORA_FROM("hf://org/model")},
      {.name = "file", .spec = LORA_FROM("file:///models/lora")},
      {.name = "nothing_behind_s3", .spec = LORA_FROM("s3://")},
      {.name = "https", .spec = LORA_FROM("https://example.com/a"), .errors = refused},
      {.name = "upper_case", .spec = LORA_FROM("S3://bucket/key"), .errors = refused},
      {.name = "one_slash", .spec = LORA_FROM("s3:/bucket/key"), .errors = refused},
      {.name = "leading_blank", .spec = LORA_FROM(" s3://bucket/key"), .errors = refused},
      {.name = "file_with_host", .spec = LORA_FROM("file://host/models"), .errors = refused},
      {.name = "file_of_nothing", .spec = LORA_FROM("file:///"), .errors = refused},
      {.name = "another_type", .spec = "{modelType: base, " NAMES ", source: {uri: https://x}}"},
      {.name = "no_type", .spec = "{" NAMES ", source: {uri: https://x}}"},
      {.name = "broken_before_and_after", .spec = LORA_FROM("https://x"),
       .old_spec = LORA_FROM("https://x"), .errors = refused},
  }};
}

}  // namespace

std::vector<RuleTable> model_tables() {
  return {
      {"dm.model-name", kModel, {
          {.name = "set", .spec = "{" NAMES "}"},
          {.name = "absent", .spec = "{baseModelName: b}",
           .errors = {{kRequired, "spec.modelName"}}},
          {.name = "empty", .spec = "{baseModelName: b, modelName: ''}",
           .errors = {{kRequired, "spec.modelName"}}},
      }},
      {"dm.base-model-name", kModel, {
          {.name = "set", .spec = "{" NAMES "}"},
          {.name = "empty", .spec = "{modelName: m, baseModelName: ''}",
           .errors = {{kRequired, "spec.baseModelName"}}},
          {.name = "both_absent", .spec = "{}",
           .errors = {{kRequired, "spec.baseModelName"},
                      {kRequired, "spec.modelName", "dm.model-name"}}},
      }},
      {"dm.base.immutable", kModel, {
          {.name = "same", .spec = "{" NAMES "}", .old_spec = "{" NAMES "}"},
          {.name = "changed", .spec = "{modelName: m, baseModelName: c}",
           .old_spec = "{" NAMES "}", .errors = {{kForbidden, "spec.baseModelName"}},
           .warnings = {{"spec.baseModelName", ""}}},
          {.name = "the_name_may_change", .spec = "{modelName: other, baseModelName: b}",
           .old_spec = "{" NAMES "}"},
      }},
      {"dm.type.immutable", kModel, {
          {.name = "same", .spec = "{modelType: base, " NAMES "}",
           .old_spec = "{modelType: base, " NAMES "}"},
          {.name = "absent_and_empty_are_equal", .spec = "{modelType: '', " NAMES "}",
           .old_spec = "{" NAMES "}"},
          {.name = "changed", .spec = "{modelType: adapter, " NAMES "}",
           .old_spec = "{modelType: base, " NAMES "}", .errors = {{kForbidden, "spec.modelType"}},
           .warnings = {{"spec.modelType", ""}}},
          {.name = "removed", .spec = "{" NAMES "}", .old_spec = "{modelType: base, " NAMES "}",
           .errors = {{kForbidden, "spec.modelType"}}, .warnings = {{"spec.modelType", ""}}},
      }},
      {"dm.lora.source", kModel, {
          {.name = "set", .spec = LORA_FROM("s3://bucket/key")},
          {.name = "another_type", .spec = "{modelType: base, " NAMES "}"},
          {.name = "case_matters", .spec = "{modelType: LoRA, " NAMES "}"},
          {.name = "no_source", .spec = LORA(""), .errors = {{kRequired, "spec.source"}}},
          {.name = "null_source", .spec = LORA(", source: null"),
           .errors = {{kRequired, "spec.source"}}},
          {.name = "no_uri", .spec = LORA(", source: {}"),
           .errors = {{kRequired, "spec.source.uri"}}},
          {.name = "empty_uri", .spec = LORA_FROM(""), .errors = {{kRequired, "spec.source.uri"}}},
      }},
      lora_scheme(),
  };
}

// clang-format on

}  // namespace dynamo::test

#undef NAMES
#undef LORA
#undef LORA_FROM
