// Validates an object in both API versions, as later operators do: the rules of their webhooks read
// v1beta1, all other rules v1alpha1.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>

#include "api/admission_review.hpp"
#include "api/context.hpp"
#include "api/error_list.hpp"
#include "conversion/convert.hpp"
#include "json/document.hpp"
#include "json/parser.hpp"
#include "render/document/arena.hpp"
#include "validators/severities.hpp"

namespace dynamo::admission {

// Holds the converted objects of one request after another. Not thread-safe.
class BothVersions {
 public:
  // The memory in bytes of the converted objects of each request; unlimited by default.
  void limit_memory(std::size_t bytes) { max_memory_ = bytes; }

  // Converts the object, and the old one of an update. If one cannot be converted, adds an error
  // at its place and returns false, and also if they exceed the limit on memory. Kinds with
  // one version need no conversion. The objects must outlive the calls of validate().
  bool convert(api::Kind kind, const api::AdmissionRequest& request, api::ErrorList& findings);

  // Adds the findings of both sets of rules, sorted by field. Each names its field in the version
  // that the client sent; of two errors of one type at one field, the one about v1beta1 is kept.
  // Precondition: convert() returned true. `context` has the facts of with_later_operator().
  void validate(const api::Context& context, const validators::Severities& severities,
                api::ErrorList& findings, render::Arena& arena);

  // Frees memory above `nodes` nodes of each converted object.
  void shrink_to(std::size_t nodes);

 private:
  // A document that was written here, and its text.
  struct Copy {
    std::string text;
    json::Document document;
  };
  struct Object {
    json::Value alpha;
    json::Value beta;
    Copy converted;
    Copy normal;
  };

  bool convert(json::Value written, api::Version version, Object& object, api::ErrorList& findings);
  // convert(), normalize() and parse() return the reason if they fail or need more memory than is
  // left.
  std::optional<std::string> convert(json::Value written, api::Version target, Copy& copy);
  // Re-encodes v1beta1 as the operator reads it, so that rules compare values and not texts.
  std::optional<std::string> normalize(Object& object);
  std::optional<std::string> parse(Copy& copy);
  // Adds an error: `what` must hold, and the reason was found, which begins with a field.
  static void refuse(std::string_view reason, std::string_view what, api::ErrorList& findings);
  void write_for_client(std::string& field, std::string& detail, std::string_view rule,
                        bool is_hub) const;
  void add(const api::ErrorList& from, bool is_hub, api::ErrorList& findings) const;

  conversion::Converter converter_;
  json::Parser parser_;
  Object now_;
  Object old_;
  std::size_t max_memory_ = std::numeric_limits<std::size_t>::max();
  std::size_t memory_ = 0;  // bytes of it that are left
  std::string_view kind_;
  api::Version client_version_ = api::Version::kV1alpha1;
  api::ErrorList of_hub_;
  api::ErrorList of_alpha_;
};

}  // namespace dynamo::admission
