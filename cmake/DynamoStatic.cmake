# With DYNAMO_STATIC: kubectl-dynamo as a static executable that needs only a kernel, linked with
# Debian's archives. Log and metrics, which only servers use, have no archives: the program may use
# only their headers, and calling anything else fails to link. Compiled like `release`, so that both
# share the compiler cache.
set(OPENSSL_USE_STATIC_LIBS TRUE)
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
find_package(Threads REQUIRED)
find_package(OpenSSL 3.0 REQUIRED)
find_package(Boost 1.81 REQUIRED)
find_package(RapidJSON REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)

find_library(YAML_CPP_ARCHIVE yaml-cpp REQUIRED)
add_library(yaml-cpp STATIC IMPORTED)
set_target_properties(yaml-cpp PROPERTIES IMPORTED_LOCATION "${YAML_CPP_ARCHIVE}")
add_library(prometheus-cpp::core INTERFACE IMPORTED)
add_library(spdlog::spdlog INTERFACE IMPORTED)
set_target_properties(spdlog::spdlog PROPERTIES
  INTERFACE_COMPILE_DEFINITIONS "FMT_HEADER_ONLY;SPDLOG_FMT_EXTERNAL")
