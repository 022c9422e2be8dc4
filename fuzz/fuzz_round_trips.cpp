// Any object of either version that can be converted: its spec returns from a conversion there and
// back, and what later operators default does not depend on the version in which it is defaulted.
// The first byte selects the facts that defaults depend on.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "api/context.hpp"
#include "api/kind.hpp"
#include "conversion/convert.hpp"
#include "defaulters/catalog.hpp"
#include "fuzz/check.hpp"
#include "fuzz/value_model.hpp"
#include "json/patch.hpp"
#include "tests/support/conversion_round_trip.hpp"

namespace fuzz = dynamo::fuzz;
namespace json = dynamo::json;
namespace api = dynamo::api;
namespace conversion = dynamo::conversion;
namespace test = dynamo::test;

using conversion::Version;

namespace {

constexpr json::ParseOptions kOptions{.max_depth = 256};

constexpr Version other(Version version) {
  return version == Version::kV1alpha1 ? Version::kV1beta1 : Version::kV1alpha1;
}

struct Facts {
  explicit Facts(unsigned choice)
      : operation(choice % 2 == 0 ? api::Operation::kCreate : api::Operation::kUpdate) {
    facts.grove_served = choice / 2 % 2 == 0 ? api::Fact::kYes : api::Fact::kNo;
    facts.operator_generation = api::OperatorGeneration::kLater;
    settings.operator_version = "1.2.3";
  }
  const api::Operation operation;
  api::ClusterFacts facts;
  api::Settings settings;
};

std::string convert(json::Value object, Version target) {
  conversion::Converter converter;
  std::string out;
  const auto error = converter.convert(object, target, out);
  return error ? std::string() : out;
}

// Whether the user has written a payload: then fields of the other version come from it.
bool has_payload(json::Value object) {
  for (const json::Member each : object["metadata"]["annotations"].members()) {
    if (each.name.starts_with("nvidia.com/")) return true;
  }
  return false;
}

void require_alike(json::Value one, json::Value two, const char* property) {
  const auto ours = json::parse_copy(test::reencoded(one), kOptions);
  const auto theirs = json::parse_copy(test::reencoded(two), kOptions);
  if (json::equal(ours->root()["spec"], theirs->root()["spec"])) return;
  std::fprintf(stderr, "%s\n%s\n", json::to_text(one).c_str(), json::to_text(two).c_str());
  fuzz::require(false, property);
}

bool is_lossy(json::Value object) {
  const auto encoded = json::parse_copy(test::reencoded(object), kOptions);
  return !test::find_known_loss(object).empty() ||
         (!encoded->error && !test::find_known_loss(encoded->root()).empty());
}

// The API server sets the missing node counts of both versions to 2 before a webhook reads them.
bool lacks_node_count(json::Value component) {
  const json::Value multinode = component["multinode"];
  return multinode.is_object() && multinode["nodeCount"].is_nothing();
}

// Whether the API server never sends such a graph to the webhook, or validation refuses it:
// defaulting skips services with names of more than 63 bytes.
bool is_never_stored(json::Value graph) {
  constexpr std::size_t kLongestServiceName = 63;
  for (const json::Value component : graph["spec"]["components"].elements()) {
    const std::string_view name = component["name"].string_or_empty();
    if (lacks_node_count(component) || name.size() > kLongestServiceName) return true;
  }
  for (const json::Member service : graph["spec"]["services"].members()) {
    if (lacks_node_count(service.value) || service.name.size() > kLongestServiceName) return true;
  }
  return false;
}

// The object with the defaults of later operators. Checks that the patch only adds, and only once.
std::string defaulted(json::Value object, api::Kind kind, Version version, const Facts& facts) {
  const api::Context context{
      .kind = kind,
      .operation = facts.operation,
      .namespace_name = {},
      .object_name = {},
      .user = {},
      .sub_resource = {},
      .settings = facts.settings,
      .facts = facts.facts,
      .version = version == Version::kV1beta1 ? api::Version::kV1beta1 : api::Version::kV1alpha1,
      .has_later_operator = true};
  json::PatchWriter writer;
  dynamo::defaulters::apply_defaults(context, object, object, writer);
  const auto patch = json::parse_copy(writer.text(), kOptions);
  fuzz::require(!patch->error, "a patch is JSON");
  json::Document output;
  const auto failure = json::apply_patch(object, patch->root(), output);
  fuzz::require(!failure, "a patch of defaults applies");
  const auto expected = fuzz::patched_model(object, patch->root());
  fuzz::require(expected && fuzz::model_of(output.root()) == *expected,
                "a patch changes what the model does");
  for (const json::Value each : patch->root().elements()) {
    const std::string_view path = each["path"].string_or_empty();
    const json::Value before = json::at_pointer(object, path);
    const bool is_unset = before.is_nothing() || before.string() == "";
    fuzz::require(is_unset || path.ends_with("workload-provider"), "a default keeps a value");
  }
  json::PatchWriter second;
  dynamo::defaulters::apply_defaults(context, output.root(), object, second);
  fuzz::require(second.empty(), "defaults are set once");
  return json::to_text(output.root());
}

void check_round_trip(json::Value object, json::Value there, Version version) {
  if (is_lossy(object)) return;
  const auto back = json::parse_copy(convert(there, version), kOptions);
  fuzz::require(!back->error, "what was converted can be converted back");
  require_alike(object, back->root(), "the spec returns");
}

void check_defaults(json::Value object, json::Value there, Version version, const Facts& facts) {
  const auto* const kind =
      std::ranges::find(api::kKinds, object["kind"].string_or_empty(), &api::KindNames::name);
  if (kind == api::kKinds.end()) return;
  const auto here_first = json::parse_copy(defaulted(object, kind->kind, version, facts), kOptions);
  const auto there_first =
      json::parse_copy(defaulted(there, kind->kind, other(version), facts), kOptions);
  if (kind->kind != api::Kind::kGraphDeployment) return;
  if (is_lossy(object) || is_never_stored(object)) return;
  const auto here = json::parse_copy(convert(here_first->root(), other(version)), kOptions);
  fuzz::require(!here->error, "what was defaulted can be converted");
  require_alike(here->root(), there_first->root(), "defaults do not depend on the version");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const Facts facts(data[0]);
  const auto parsed = json::parse_copy(fuzz::as_text(data + 1, size - 1));
  if (parsed->error) return 0;
  const json::Value object = parsed->root();
  const auto version = conversion::parse_api_version(object["apiVersion"].string_or_empty());
  if (!version || has_payload(object)) return 0;
  const std::string converted = convert(object, other(*version));
  if (converted.empty()) return 0;
  const auto there = json::parse_copy(converted, kOptions);
  fuzz::require(!there->error, "a converted object is JSON");
  check_round_trip(object, there->root(), *version);
  check_defaults(object, there->root(), *version, facts);
  return 0;
}
