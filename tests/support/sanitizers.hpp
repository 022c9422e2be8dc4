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

}  // namespace dynamo::test

#ifdef DYNAMO_HAS_NO_FEATURES
#undef DYNAMO_HAS_NO_FEATURES
#undef __has_feature
#endif
