# Tests of the Debian packages: one ctest per test of packages_test.py.
if(DYNAMO_SANITIZE OR DYNAMO_COVERAGE OR NOT CMAKE_LIBRARY_ARCHITECTURE)
  return()
endif()
find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)
function(packages_promise name timeout)
  add_test(NAME deploy.packages.${name}
    COMMAND Python3::Interpreter -B -m unittest "packages_test.PackagesTest.test_${name}"
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  set_tests_properties(deploy.packages.${name} PROPERTIES LABELS deploy-long TIMEOUT ${timeout} RESOURCE_LOCK dynamo_packing COST ${DYNAMO_LONG_CHAIN}
    ENVIRONMENT "DYNAMO_BUILD_DIR=${CMAKE_BINARY_DIR};DYNAMO_CMAKE=${CMAKE_COMMAND}" ${ARGN})
endfunction()
packages_promise(every_package_is_built 300 FIXTURES_SETUP dynamo_packages)
packages_promise(version_matches_the_tag 60)
packages_promise(service_is_sandboxed 60)
foreach(name packages_are_reproducible packages_have_the_tree_version wheel_has_the_tree_version lintian_finds_nothing sboms_list_every_library_with_licence development_files_build_a_program
             manual_page_lists_every_flag)
  packages_promise(${name} 300 FIXTURES_REQUIRED dynamo_packages)
endforeach()
# The minimal Debian is created once a week; packages come from its mirror.
packages_promise(minimal_debian_installs_uses_and_purges_packages 1500 FIXTURES_REQUIRED dynamo_packages)
# The same installation, booted.
add_test(NAME deploy.services.systemd_runs_the_installed_packages
  COMMAND Python3::Interpreter -B -m unittest services_test
  WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
set_tests_properties(deploy.services.systemd_runs_the_installed_packages PROPERTIES LABELS deploy TIMEOUT 1500
  RESOURCE_LOCK dynamo_packing FIXTURES_REQUIRED dynamo_packages ENVIRONMENT "DYNAMO_BUILD_DIR=${CMAKE_BINARY_DIR}"
  SKIP_REGULAR_EXPRESSION "OK \\(skipped=1\\)")
