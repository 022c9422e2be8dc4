// Preloaded into a process: allocations fail as the shared file DYNAMO_FAILING_MALLOC orders. Its
// numbers, 8 bytes each, are those of Orders.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace {

struct Orders {
  std::atomic<std::uint64_t> calls;   // allocations since the start
  std::atomic<std::uint64_t> first;   // the first one that fails, counted as `calls` does
  std::atomic<std::uint64_t> end;     // and the first one after it that does not
  std::atomic<std::uint64_t> failed;  // how many have failed
  std::atomic<std::uint64_t> failed_in_openssl;  // and how many of them within OpenSSL
};

std::atomic<Orders*> orders{nullptr};

__attribute__((constructor)) void map_orders() {
  const char* const path = std::getenv("DYNAMO_FAILING_MALLOC");
  if (path == nullptr) return;
  const int file = ::open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  void* const memory = ::mmap(nullptr, sizeof(Orders), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  if (memory != MAP_FAILED) orders.store(static_cast<Orders*>(memory));
}

bool is_in_openssl(const void* caller) {
  Dl_info found{};
  if (::dladdr(caller, &found) == 0 || found.dli_fname == nullptr) return false;
  return std::strstr(found.dli_fname, "/libssl.so") != nullptr ||
         std::strstr(found.dli_fname, "/libcrypto.so") != nullptr;
}

bool must_fail(const void* caller) {
  Orders* const given = orders.load();
  if (given == nullptr) return false;
  const std::uint64_t number = given->calls.fetch_add(1);
  if (number < given->first.load() || number >= given->end.load()) return false;
  given->failed.fetch_add(1);
  if (is_in_openssl(caller)) given->failed_in_openssl.fetch_add(1);
  errno = ENOMEM;
  return true;
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" void* malloc(std::size_t bytes) {
  static const auto real = next<void*(std::size_t)>("malloc");
  return must_fail(__builtin_return_address(0)) ? nullptr : real(bytes);
}

extern "C" void* calloc(std::size_t count, std::size_t bytes) {
  static const auto real = next<void*(std::size_t, std::size_t)>("calloc");
  return must_fail(__builtin_return_address(0)) ? nullptr : real(count, bytes);
}

extern "C" void* realloc(void* memory, std::size_t bytes) {
  static const auto real = next<void*(void*, std::size_t)>("realloc");
  return must_fail(__builtin_return_address(0)) ? nullptr : real(memory, bytes);
}

extern "C" void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  static const auto real = next<void*(std::size_t, std::size_t)>("aligned_alloc");
  return must_fail(__builtin_return_address(0)) ? nullptr : real(alignment, bytes);
}

extern "C" void* memalign(std::size_t alignment, std::size_t bytes) {
  static const auto real = next<void*(std::size_t, std::size_t)>("memalign");
  return must_fail(__builtin_return_address(0)) ? nullptr : real(alignment, bytes);
}

extern "C" int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  static const auto real = next<int(void**, std::size_t, std::size_t)>("posix_memalign");
  return must_fail(__builtin_return_address(0)) ? ENOMEM : real(memory, alignment, bytes);
}
