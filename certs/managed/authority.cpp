#include "certs/managed/authority.hpp"

#include <algorithm>
#include <utility>

#include "certs/issue.hpp"

namespace dynamo::certs::managed {
namespace {

Result<Authority> new_authority(const Settings& settings, TimePoint now) {
  auto pair = make_ca(std::string(kCaName), now - kBackDate, now + settings.ca_lifetime);
  if (!pair) return pair.error();
  const std::vector<CaCertificate> made = split_bundle(pair->certificate_pem);
  if (made.size() != 1) return Error{"the new CA does not parse"};
  return Authority{std::move(*pair), made.front().facts};
}

}  // namespace

Result<Content> new_content(const Settings& settings, TimePoint now) {
  auto ca = new_authority(settings, now);
  if (!ca) return ca.error();
  auto leaf = new_leaf(*ca, settings, now);
  if (!leaf) return leaf.error();
  Content content;
  content.ca = std::move(*ca);
  content.leaf = std::move(*leaf);
  return content;
}

Result<std::shared_ptr<const CheckedPair>> new_leaf(const Authority& ca, const Settings& settings,
                                                    TimePoint now,
                                                    const std::vector<std::string>& more_names) {
  LeafRequest request;
  request.names = server_names(settings);
  for (const std::string& name : more_names) {
    if (std::find(request.names.begin(), request.names.end(), name) == request.names.end()) {
      request.names.push_back(name);
    }
  }
  request.not_before = std::max(now - kBackDate, ca.facts.not_before);
  request.not_after = std::min<TimePoint>(now + settings.leaf_lifetime, ca.facts.not_after);
  auto issued = issue(ca.pair, request);
  if (!issued) return issued.error();
  auto checked = check_pair(std::move(issued->pair), {"the new leaf", "its key"});
  if (!checked) return checked.error();
  return std::make_shared<const CheckedPair>(std::move(*checked));
}

Result<Content> publish_next(Content content, const Settings& settings, TimePoint now) {
  auto next = new_authority(settings, now);
  if (!next) return next.error();
  content.next = std::move(*next);
  content.previous.reset();
  return content;
}

Result<Content> switch_to_next(Content content, const Settings& settings, TimePoint now) {
  auto leaf = new_leaf(*content.next, settings, now);
  if (!leaf) return leaf.error();
  content.previous = content.ca.certificate();
  content.ca = std::move(*content.next);
  content.next.reset();
  content.leaf = std::move(*leaf);
  return content;
}

Content drop_previous(Content content) {
  content.previous.reset();
  return content;
}

}  // namespace dynamo::certs::managed
