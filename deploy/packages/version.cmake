# Read by cpack for each generator. It holds the values that depend on the commit, so that a tree need not be
# configured again. deploy/packages/build sets DYNAMO_PACKAGE_VERSION.
if(NOT DEFINED ENV{DYNAMO_PACKAGE_VERSION})
  message(FATAL_ERROR "packages are made by deploy/packages/build, which knows their version")
endif()
set(CPACK_DEBIAN_PACKAGE_VERSION "$ENV{DYNAMO_PACKAGE_VERSION}")
set(CPACK_PACKAGE_VERSION "$ENV{DYNAMO_PACKAGE_VERSION}")
# The development files require exactly this library.
set(CPACK_DEBIAN_DEB_DEVELOPMENT_PACKAGE_DEPENDS "libdynamo-admission0 (= $ENV{DYNAMO_PACKAGE_VERSION})")
# Each package has its own description, which begins with its summary.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
