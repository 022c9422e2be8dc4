// Errors as values: one line for the user that names the address, file or option and the reason.
#pragma once

#include <boost/system/result.hpp>
#include <stdexcept>
#include <string>

namespace dynamo::runtime {

struct Error {
  std::string text;
};

template <class E>
concept HasText = requires(const E& error) { std::string(error.text); };

// Found by argument-dependent lookup when value() is called on a failed result, as tests do. A
// namespace with an error type of its own has a using-declaration for it.
[[noreturn]] void throw_exception_from_error(const HasText auto& error,
                                             const boost::source_location&) {
  throw std::runtime_error(error.text);
}

template <class T, class E = Error>
using Result = boost::system::result<T, E>;

}  // namespace dynamo::runtime
