# With DYNAMO_STATIC: kubectl-dynamo in one file, which needs nothing but a kernel. Debian has archives of what it is made of.
# Of what only servers have, log and metrics, it has none: their headers must do, and what is not in them must not be
# called by the program, or it does not link. It is compiled as in `release`, so that the compiler's cache knows it.
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
