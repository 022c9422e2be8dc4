#include "desired/mpi_secret.hpp"

#include <algorithm>

#include "json/writer.hpp"
#include "text/base64.hpp"
#include "text/glob.hpp"

namespace dynamo::reconciler {
namespace {

// `private_data` and `public_data` are base64, as in `data` of a Secret.
kube::Object secret_with(std::string_view name, std::string_view private_data,
                         std::string_view public_data) {
  std::string text;
  json::Writer out(text);
  out.start_object().member("apiVersion", "v1").member("kind", "Secret");
  out.key("metadata").start_object().member("name", name).end_object();
  out.member("type", "Opaque").key("data").start_object();
  out.member("private.key", private_data).member("private.key.pub", public_data);
  out.end_object().end_object();
  return *kube::Object::parse(text);
}

}  // namespace

bool MpiSecretCopies::includes(std::string_view namespace_name) const {
  return !source_namespace.empty() &&
         std::ranges::any_of(namespaces, [namespace_name](const std::string& glob) {
           return text::matches_glob(glob, namespace_name);
         });
}

kube::Object mpi_secret_of(std::string_view name, std::string_view private_key,
                           std::string_view public_key) {
  return secret_with(name, text::encode_base64(private_key), text::encode_base64(public_key));
}

kube::Object masked_mpi_secret(std::string_view name) {
  return secret_with(name, kMaskedData, kMaskedData);
}

std::string with_masked_data(json::Value secret) {
  std::string text;
  json::Writer out(text);
  out.start_object();
  for (const json::Member member : secret.members()) {
    out.key(member.name);
    const bool holds_secrets = member.name == "data" || member.name == "stringData";
    if (!holds_secrets || !member.value.is_object()) {
      out.value(member.value);
      continue;
    }
    out.start_object();
    for (const json::Member each : member.value.members()) out.member(each.name, kMaskedData);
    out.end_object();
  }
  out.end_object();
  return text;
}

}  // namespace dynamo::reconciler
