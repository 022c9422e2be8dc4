# cpack reads this file for each generator. It holds everything that depends on the commit, so that
# a new commit needs no reconfigure. deploy/packages/build sets DYNAMO_PACKAGE_VERSION.
if(NOT DEFINED ENV{DYNAMO_PACKAGE_VERSION})
  message(FATAL_ERROR "packages are made by deploy/packages/build, which knows their version")
endif()
set(CPACK_DEBIAN_PACKAGE_VERSION "$ENV{DYNAMO_PACKAGE_VERSION}")
set(CPACK_PACKAGE_VERSION "$ENV{DYNAMO_PACKAGE_VERSION}")
# The development files require this exact library version.
set(CPACK_DEBIAN_DEB_DEVELOPMENT_PACKAGE_DEPENDS "libdynamo-admission0 (= $ENV{DYNAMO_PACKAGE_VERSION})")
# Each package's description starts with its own summary.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
