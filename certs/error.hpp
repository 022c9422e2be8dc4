// Errors of certs/: one line for the user that names the file or option and the reason, without key
// material.
#pragma once

#include "runtime/result.hpp"

namespace dynamo::certs {

using runtime::Error;
using runtime::Result;

}  // namespace dynamo::certs
