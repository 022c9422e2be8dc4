// RapidJSON's reader and writer with our settings: its macros are set before its first include. For
// sources of src/json and tests/support only; no header includes it.
#pragma once

#include <cassert>

#define RAPIDJSON_ASSERT(condition) assert(condition)
// Without its SIMD code, which accepts the control characters U+001A to U+001F in strings.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wclass-memaccess"
#if defined(__clang__)
// Its stack adds to a null pointer before it first grows: harmless, but undefined behaviour.
#pragma clang attribute push(__attribute__((no_sanitize("pointer-overflow"))), apply_to = function)
#endif
#include <rapidjson/error/error.h>
#include <rapidjson/reader.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#if defined(__clang__)
#pragma clang attribute pop
#endif
#pragma GCC diagnostic pop
