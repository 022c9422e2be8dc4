// Creates and changes the Secret's content: a first CA with its leaf, a new leaf, and the three
// steps of a CA rotation.
#pragma once

#include "certs/error.hpp"
#include "certs/managed/content.hpp"
#include "certs/managed/settings.hpp"

namespace dynamo::certs::managed {

// These functions have no side effects except that they take randomness from OpenSSL. They fail
// only if OpenSSL fails, or if the settings are not valid names.

// A new CA and its first leaf.
Result<Content> new_content(const Settings& settings, TimePoint now);

// A new leaf of `ca` for the names of the settings and `more_names`; it ends no later than the CA.
Result<std::shared_ptr<const CheckedPair>> new_leaf(
    const Authority& ca, const Settings& settings, TimePoint now,
    const std::vector<std::string>& more_names = {});

// Steady to publishing: adds a next CA to the one in use.
Result<Content> publish_next(Content content, const Settings& settings, TimePoint now);

// Publishing to retiring: the next CA is now in use, with a new leaf.
Result<Content> switch_to_next(Content content, const Settings& settings, TimePoint now);

// Retiring to steady.
Content drop_previous(Content content);

}  // namespace dynamo::certs::managed
