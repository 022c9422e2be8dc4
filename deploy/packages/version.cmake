# Read by cpack for each generator: what depends on the commit, so that a tree need not be configured anew
# for it. deploy/packages/build sets DYNAMO_PACKAGE_VERSION.
if(NOT DEFINED ENV{DYNAMO_PACKAGE_VERSION})
  message(FATAL_ERROR "packages are made by deploy/packages/build, which knows their version")
endif()
set(CPACK_DEBIAN_PACKAGE_VERSION "$ENV{DYNAMO_PACKAGE_VERSION}")
set(CPACK_PACKAGE_VERSION "$ENV{DYNAMO_PACKAGE_VERSION}")
# The development files are those of this very library.
set(CPACK_DEBIAN_DEB_DEVELOPMENT_PACKAGE_DEPENDS "libdynamo-admission0 (= $ENV{DYNAMO_PACKAGE_VERSION})")
# Each package has a description of its own, which begins with its summary.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
