// Errors as values: one line for the user that names the address, file or option and the reason.
#pragma once

#include <boost/system/result.hpp>
#include <stdexcept>
#include <string>

namespace dynamo::runtime {

struct Error {
  std::string text;
};

// Found by argument-dependent lookup when value() is called on a failed result, as tests do.
[[noreturn]] inline void throw_exception_from_error(const Error& error,
                                                    const boost::source_location&) {
  throw std::runtime_error(error.text);
}

template <class T>
using Result = boost::system::result<T, Error>;

}  // namespace dynamo::runtime
