// Limits the process's file descriptors.
#pragma once

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace dynamo::test {

// Limits the process to its current descriptors plus the given number.
class DescriptorLimit {
 public:
  explicit DescriptorLimit(rlim_t more) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const int next = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::close(next);
    rlimit limited = before_;
    limited.rlim_cur = static_cast<rlim_t>(next) + more;
    ::setrlimit(RLIMIT_NOFILE, &limited);
  }
  ~DescriptorLimit() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  DescriptorLimit(const DescriptorLimit&) = delete;
  DescriptorLimit& operator=(const DescriptorLimit&) = delete;

 private:
  rlimit before_{};
};

}  // namespace dynamo::test
