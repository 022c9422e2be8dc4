// The Secret with the SSH keys by which mpirun reaches the nodes of an engine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kube/object/object.hpp"

namespace dynamo::reconciler {

// Which namespaces get a copy of one Secret, and so can read its private key. All others get a
// generated one.
struct MpiSecretCopies {
  std::string source_namespace = {};         // empty: nothing is copied
  std::vector<std::string> namespaces = {};  // globs; empty: none
  bool creates_source = false;               // a missing source is created with a generated key

  bool includes(std::string_view namespace_name) const;
};

// A Secret with the files that the launch scripts read.
kube::Object mpi_secret_of(std::string_view name, std::string_view private_key,
                           std::string_view public_key);

// Replaces the data of a Secret in text for display.
inline constexpr std::string_view kMaskedData = "***";

// The object with its `data` and `stringData` masked; only for display, as no API server accepts
// it.
std::string with_masked_data(json::Value secret);
// A masked Secret for display, if the real one would be generated later.
kube::Object masked_mpi_secret(std::string_view name);

}  // namespace dynamo::reconciler
