// Detects the sanitizers of a build, for g++ and clang.
#pragma once

#ifndef __has_feature  // g++ does not define it
#define __has_feature(feature) 0
#define DYNAMO_HAS_NO_FEATURES
#endif

namespace dynamo::test {

#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
inline constexpr bool kAddressSanitizer = true;
#else
inline constexpr bool kAddressSanitizer = false;
#endif

#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
inline constexpr bool kThreadSanitizer = true;
#else
inline constexpr bool kThreadSanitizer = false;
#endif

inline constexpr bool kSanitized = kAddressSanitizer || kThreadSanitizer;

// Number of random cases that a test runs, out of `all`. Under a sanitizer each case takes ten
// times as long, and a few cases suffice there; the `unit` tests without sanitizers run all.
template <class Count>
constexpr Count played(Count all) {
  constexpr Count kPart = 8;
  return kSanitized ? (all + kPart - 1) / kPart : all;
}

}  // namespace dynamo::test

#ifdef DYNAMO_HAS_NO_FEATURES
#undef DYNAMO_HAS_NO_FEATURES
#undef __has_feature
#endif
