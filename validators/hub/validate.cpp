#include "validators/hub/validate.hpp"

namespace dynamo::validators::hub {

void validate(const Input&, api::ErrorList&, const Severities&) {}

void validate(const Input& input, api::ErrorList& findings) {
  validate(input, findings, default_severities());
}

}  // namespace dynamo::validators::hub
