// Rules for a DynamoModel.
#include "validators/content/uri.hpp"
#include "validators/operator_profile.hpp"
#include "validators/rule.hpp"
#include "validators/rules/immutable.hpp"

namespace dynamo::validators::model {

using api::Context;
using api::ErrorType;
using api::FieldPath;
using api::Model;

namespace {
constexpr FieldPath kSpec{"spec"};
// Later operators report a changed field as an invalid value.
ErrorType type_of_change(const Context& context) {
  return can_have_newer_fields(context.facts) ? ErrorType::kInvalid : ErrorType::kForbidden;
}

bool is_lora(const Model& model) {
  return model.model_type() == "lora";
}

void base_model_immutable(const Context& context, const Model& now, const Model* old,
                          Report& report) {
  if (old == nullptr) return;
  require_unchanged(old->base_model_name(), now.base_model_name(), kSpec.child("baseModelName"),
                    report, type_of_change(context));
}

void base_model_name(const Context&, const Model& now, const Model*, Report& report) {
  if (!now.base_model_name().empty()) return;
  report.add(ErrorType::kRequired, kSpec.child("baseModelName"),
             "must not be empty; name the base model as the workers' modelRef does");
}

void model_name(const Context&, const Model& now, const Model*, Report& report) {
  if (!now.model_name().empty()) return;
  report.add(ErrorType::kRequired, kSpec.child("modelName"),
             "must not be empty; give the full name of the model");
}

void model_type_immutable(const Context& context, const Model& now, const Model* old,
                          Report& report) {
  if (old == nullptr) return;
  require_unchanged(old->model_type(), now.model_type(), kSpec.child("modelType"), report,
                    type_of_change(context));
}

void lora_source(const Context&, const Model& now, const Model*, Report& report) {
  if (!is_lora(now)) return;
  if (now.source().is_nothing()) {
    report.add(ErrorType::kRequired, kSpec.child("source"),
               "must be set when modelType is lora; give source.uri");
  } else if (now.source_uri().empty()) {
    report.add(ErrorType::kRequired, kSpec.child("source").child("uri"),
               "must not be empty when modelType is lora; "
               "give an s3://, hf:// or file:/// URI");
  }
}

void lora_scheme(const Context&, const Model& now, const Model*, Report& report) {
  if (!is_lora(now) || now.source_uri().empty() || is_model_source(now.source_uri())) return;
  // The URI may contain credentials, so the message does not repeat it.
  report.add(ErrorType::kInvalid, kSpec.child("source").child("uri"),
             "must begin with s3://, hf:// or file:/// (lower case, no host in a file URI) "
             "when modelType is lora");
}

}  // namespace

extern constexpr Rule kBaseModelNameRule{
    .id = "dm.base-model-name",
    .kinds = kinds::kModels,
    .ratchet = Ratchet::kNo,
    .function = &base_model_name,
    .field = "spec.baseModelName",
};

extern constexpr Rule kBaseModelImmutableRule{
    .id = "dm.base.immutable",
    .kinds = kinds::kModels,
    .operations = kOnUpdate,
    .ratchet = Ratchet::kNo,
    .function = &base_model_immutable,
    .field = "spec.baseModelName",
};

extern constexpr Rule kModelNameRule{
    .id = "dm.model-name",
    .kinds = kinds::kModels,
    .ratchet = Ratchet::kNo,
    .function = &model_name,
    .field = "spec.modelName",
};

extern constexpr Rule kModelTypeImmutableRule{
    .id = "dm.type.immutable",
    .kinds = kinds::kModels,
    .operations = kOnUpdate,
    .ratchet = Ratchet::kNo,
    .function = &model_type_immutable,
    .field = "spec.modelType",
};

extern constexpr Rule kLoraSourceRule{
    .id = "dm.lora.source",
    .kinds = kinds::kModels,
    .ratchet = Ratchet::kNo,
    .function = &lora_source,
    .field = "spec.source",
};

extern constexpr Rule kLoraSchemeRule{
    .id = "dm.lora.scheme",
    .kinds = kinds::kModels,
    .ratchet = Ratchet::kNo,
    .function = &lora_scheme,
    .field = "spec.source.uri",
};

}  // namespace dynamo::validators::model
