#include "doctor/evidence.hpp"

namespace dynamo::doctor {

std::string Webhook::subject() const {
  std::string text = mutating ? "MutatingWebhookConfiguration/" : "ValidatingWebhookConfiguration/";
  text += configuration.name();
  text += " webhook ";
  text += name();
  return text;
}

}  // namespace dynamo::doctor
