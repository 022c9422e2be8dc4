// Whether the weights of a DynamoModel can be found and whether a worker loads them.
#include "validators/content/uri.hpp"
#include "validators/rendered/pod/visit.hpp"
#include "validators/rendered/proof.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::models {

using api::Context;

namespace {

using api::ErrorType;
using api::FieldPath;
using api::Model;

constexpr FieldPath kSpec{"spec"};
constexpr FieldPath kName = kSpec.child("modelName");
constexpr FieldPath kSource = kSpec.child("source");
constexpr FieldPath kUri = kSource.child("uri");

// Compares like the controller.
bool is_lora(const Model& model) {
  return pod::are_equal_ignoring_case(model.model_type(), "lora");
}

// The URI may contain credentials, so messages do not repeat it.
std::string_view describe_fault(SourceFault fault) {
  switch (fault) {
    case SourceFault::kBlank:
      return "must not contain blanks or control characters, or the workers do not find the "
             "adapter; write them as %20, or remove them";
    case SourceFault::kClimbs:
      return "must not contain the part \"..\", or the workers do not find the adapter; write the "
             "path without it";
    case SourceFault::kNothing:
      return "must name the adapter behind the scheme, such as s3://BUCKET/KEY; found nothing "
             "there";
    case SourceFault::kNoKey:
      return "must have the form s3://BUCKET/KEY, or the workers do not find the adapter; found no "
             "bucket or no key";
    case SourceFault::kNone:
      break;
  }
  return {};
}

void source_location(const Context& context, const Model& now, const Model*, Report& report) {
  const std::string_view uri = now.source_uri();
  if (!is_lora(now) || !is_model_source(uri)) return;
  if (const SourceFault fault = source_fault(uri); fault != SourceFault::kNone) {
    return report.add(ErrorType::kInvalid, kUri, std::string(describe_fault(fault)));
  }
  if (uri.starts_with("hf://") &&
      severity_of(OperatorBehaviour::kHubAdapter, context) != Severity::kOff) {
    report.add(ErrorType::kNotSupported, kUri,
               "must begin with s3:// or file:/// for workers of the first generation, which load "
               "from hf:// only with a source of their own; found hf://; copy the adapter, or use "
               "an image that has one");
  }
}

void type_and_source(const Context&, const Model& now, const Model*, Report& report) {
  if (is_lora(now)) {
    if (now.model_name().empty() || now.model_name() != now.base_model_name()) return;
    return report.add(ErrorType::kInvalid, kName,
                      pod::found("must differ from baseModelName, or clients cannot distinguish "
                                 "the adapter from its base model",
                                 now.model_name(), "give the adapter a name of its own"));
  }
  if (now.source_uri().empty()) return;
  const bool adapter = now.model_type() == "adapter";
  report.add(ErrorType::kForbidden, kSource,
             std::string("must not be set for modelType ") + (adapter ? "adapter" : "base") +
                 ", from which nothing is loaded; remove it, or create the model with modelType "
                 "lora");
}

void stale_adapter(const Context&, const Model& now, const Model* old, Report& report) {
  if (old == nullptr || !is_lora(now) || !is_lora(*old)) return;
  if (now.model_name() != old->model_name()) {
    // A new name is loaded from the new source.
    return report.add(
        ErrorType::kInvalid, kName,
        pod::found("must stay as it is while workers run: they keep the adapter "
                   "under its old name",
                   old->model_name(), "delete this model, which unloads it, and create another"));
  }
  if (now.source_uri() == old->source_uri()) return;
  report.add(ErrorType::kInvalid, kUri,
             "must stay as it is while workers run: they do not load an adapter again whose name "
             "they know; delete this model, which unloads it, and create it again");
}

}  // namespace

extern constexpr Rule kStaleAdapterRule{
    .id = "model.update.stale",
    .kinds = kinds::kModels,
    .operations = kOnUpdate,
    .severity = Severity::kWarn,
    .function = &stale_adapter,
    .field = "spec.modelName, spec.source.uri",
};

extern constexpr Rule kTypeAndSourceRule{
    .id = "model.type.adapter",
    .kinds = kinds::kModels,
    .severity = Severity::kWarn,
    .function = &type_and_source,
    .field = "spec.modelType, spec.source",
};

extern constexpr Rule kSourceLocationRule{
    .id = "model.lora.scheme",
    .kinds = kinds::kModels,
    .severity = Severity::kWarn,
    .function = &source_location,
    .field = "spec.source.uri",
};

}  // namespace dynamo::validators::models
