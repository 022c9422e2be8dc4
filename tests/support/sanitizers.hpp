// Which sanitizer a build has; g++ and clang tell it in ways of their own.
#pragma once

#ifndef __has_feature  // g++ has none
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

// How many of so many orders, or other cases of chance, a test plays. Under a sanitizer each takes
// ten times as long, and what it looks for the first few show as well as all, which `unit` plays.
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
