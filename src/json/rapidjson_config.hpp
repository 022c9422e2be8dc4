// Fixes RapidJSON's macros before its first include; only src/json/*.cpp may include this.
#pragma once

#include <cassert>

// Our inputs are bounded before RapidJSON sees them; its assertions stay assertions.
#define RAPIDJSON_ASSERT(condition) assert(condition)
#if defined(__SSE4_2__)
#define RAPIDJSON_SSE42
#elif defined(__SSE2__)
#define RAPIDJSON_SSE2
#endif
#define RAPIDJSON_HAS_STDSTRING 0

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wclass-memaccess"
#include <rapidjson/error/error.h>
#include <rapidjson/reader.h>
#pragma GCC diagnostic pop
