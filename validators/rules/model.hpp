// Rules for a DynamoModel. The texts are in validators/texts/model.md.
#pragma once

#include "api/context.hpp"
#include "api/kinds/objects.hpp"
#include "validators/report.hpp"

namespace dynamo::validators::model {

using api::Context;
using api::Model;

void base_model_immutable(const Context&, const Model& now, const Model* old, Report&);
void base_model_name(const Context&, const Model& now, const Model* old, Report&);
void model_name(const Context&, const Model& now, const Model* old, Report&);
void model_type_immutable(const Context&, const Model& now, const Model* old, Report&);
void lora_source(const Context&, const Model& now, const Model* old, Report&);
void lora_scheme(const Context&, const Model& now, const Model* old, Report&);

}  // namespace dynamo::validators::model
