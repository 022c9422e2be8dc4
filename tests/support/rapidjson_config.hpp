// Fixes RapidJSON's macros before its first include; only tests/support/json_peer.cpp includes
// this.
#pragma once

#include <cassert>

#define RAPIDJSON_ASSERT(condition) assert(condition)
// Without its vector code, which takes the control characters U+001A to U+001F in strings.
#define RAPIDJSON_HAS_STDSTRING 0

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wclass-memaccess"
#if defined(__clang__)
// Its stack adds to a null pointer before it first grows, which is harmless but not C++.
#pragma clang attribute push(__attribute__((no_sanitize("pointer-overflow"))), apply_to = function)
#endif
#include <rapidjson/error/error.h>
#include <rapidjson/reader.h>
#if defined(__clang__)
#pragma clang attribute pop
#endif
#pragma GCC diagnostic pop
