#include "tests/controller_cases/etcd_keys.hpp"

#include "tests/controller_cases/value.hpp"
#include "text/base64.hpp"

namespace dynamo::cases {
namespace {

std::string key_in(const Value& deletion, std::string_view name) {
  const Value& range = member(deletion, "request_delete_range");
  return text::decode_base64(text(member(range, name))).value_or("no base64");
}

}  // namespace

std::string deleted_prefix(std::string_view body) {
  const Object asked = parsed(body);
  const Value& deletions = member(asked, "success");
  if (!deletions.IsArray() || deletions.Size() != 2) return "asked for " + std::string(body);
  const std::string own = key_in(deletions[0], "key");
  const bool is_whole = key_in(deletions[0], "range_end").empty() &&
                        key_in(deletions[1], "key") == own + "/" &&
                        key_in(deletions[1], "range_end") == own + "0";
  return is_whole ? own : "asked for " + std::string(body);
}

}  // namespace dynamo::cases
