# For cmake --toolchain: cross-compiles for arm64 with Debian's compiler against the Debian arm64
# root in DYNAMO_SYSROOT. deploy/image/cross creates the root and runs the build.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
# CMake's compiler checks read this file again without our variables, so pass the root in the
# environment.
if(DYNAMO_SYSROOT)
  set(ENV{DYNAMO_SYSROOT} "${DYNAMO_SYSROOT}")
endif()
set(CMAKE_SYSROOT "$ENV{DYNAMO_SYSROOT}")
set(CMAKE_FIND_ROOT_PATH "${CMAKE_SYSROOT}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# The build runs some of the programs that it has linked.
find_program(DYNAMO_EMULATOR qemu-aarch64-static)
if(DYNAMO_EMULATOR)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${DYNAMO_EMULATOR};-L;${CMAKE_SYSROOT}")
endif()
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${CMAKE_SYSROOT}")
set(ENV{PKG_CONFIG_LIBDIR}
  "${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig")
