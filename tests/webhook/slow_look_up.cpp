// Preloaded into a process: lookups of names below .invalid, which do not exist, take longer than
// any timeout.
#include <dlfcn.h>
#include <netdb.h>
#include <poll.h>

#include <string_view>

extern "C" int getaddrinfo(const char* node, const char* service, const struct addrinfo* hints,
                           struct addrinfo** found) {
  constexpr int kMilliseconds = 60'000;
  if (node != nullptr && std::string_view(node).ends_with(".invalid")) {
    ::poll(nullptr, 0, kMilliseconds);
    return EAI_AGAIN;
  }
  using LookUp = int (*)(const char*, const char*, const struct addrinfo*, struct addrinfo**);
  static const auto real = reinterpret_cast<LookUp>(::dlsym(RTLD_NEXT, "getaddrinfo"));
  return real(node, service, hints, found);
}
