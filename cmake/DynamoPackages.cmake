# Debian packages by CPack, one per component; deploy/packages/build runs it. They have their own
# install rules with Debian's paths, all EXCLUDE_FROM_ALL, so `cmake --install` ignores them.
if(NOT CMAKE_LIBRARY_ARCHITECTURE OR DYNAMO_SANITIZE OR DYNAMO_COVERAGE)
  return()  # not on Debian, or not a release build
endif()
find_package(Python3 COMPONENTS Interpreter)
set(packaging "${CMAKE_SOURCE_DIR}/deploy/packages")
set(package_build "${CMAKE_BINARY_DIR}/package/debian")
set(package_libdir "lib/${CMAKE_LIBRARY_ARCHITECTURE}")
set(package_of_webhook dynamo-admission)
set(package_of_reconciler dynamo-reconciler)
set(package_of_kubectl kubectl-dynamo)
set(package_of_runtime libdynamo-admission0)  # the number is the soname's: Debian policy 8.1
set(package_of_development libdynamo-admission-dev)

# --- Contents of the packages
# --------------------------------------------------------------------------

foreach(part webhook reconciler)
  install(TARGETS dynamo-${part}
    RUNTIME DESTINATION bin COMPONENT deb_${part} EXCLUDE_FROM_ALL)
  install(FILES "${packaging}/systemd/dynamo-${part}.service"
    DESTINATION /lib/systemd/system COMPONENT deb_${part} EXCLUDE_FROM_ALL)
  install(FILES "${packaging}/debian/dynamo-${part}.default" RENAME dynamo-${part}
    DESTINATION /etc/default COMPONENT deb_${part} EXCLUDE_FROM_ALL)
  install(FILES "${package_build}/man/dynamo-${part}.8.gz"
    DESTINATION share/man/man8 COMPONENT deb_${part} EXCLUDE_FROM_ALL)
endforeach()

install(TARGETS kubectl-dynamo
  RUNTIME DESTINATION bin COMPONENT deb_kubectl EXCLUDE_FROM_ALL)
install(PROGRAMS "${CMAKE_SOURCE_DIR}/deploy/kubectl/kubectl_complete-dynamo"
  DESTINATION bin COMPONENT deb_kubectl EXCLUDE_FROM_ALL)
install(FILES "${package_build}/man/kubectl-dynamo.1.gz" "${package_build}/man/kubectl_complete-dynamo.1.gz"
  DESTINATION share/man/man1 COMPONENT deb_kubectl EXCLUDE_FROM_ALL)

install(TARGETS dynamo_admission_shared EXPORT DynamoAdmissionDebian
  LIBRARY DESTINATION "${package_libdir}" COMPONENT deb_runtime NAMELINK_COMPONENT deb_development EXCLUDE_FROM_ALL)
# A wheel needs an rpath to the bundled libraries; on Debian the loader finds them.
install(CODE "file(RPATH_REMOVE FILE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${package_libdir}/$<TARGET_FILE_NAME:dynamo_admission_shared>\")"
  COMPONENT deb_runtime EXCLUDE_FROM_ALL)
install(DIRECTORY "${CMAKE_SOURCE_DIR}/src/library/include/"
  DESTINATION include COMPONENT deb_development EXCLUDE_FROM_ALL)
install(EXPORT DynamoAdmissionDebian FILE DynamoAdmissionTargets.cmake NAMESPACE DynamoAdmission::
  DESTINATION "${package_libdir}/cmake/DynamoAdmission" COMPONENT deb_development EXCLUDE_FROM_ALL)
configure_package_config_file(
  "${CMAKE_CURRENT_LIST_DIR}/DynamoAdmissionConfig.cmake.in" "${package_build}/DynamoAdmissionConfig.cmake"
  INSTALL_PREFIX /usr INSTALL_DESTINATION "${package_libdir}/cmake/DynamoAdmission" NO_SET_AND_CHECK_MACRO)
install(FILES "${package_build}/DynamoAdmissionConfig.cmake" "${CMAKE_BINARY_DIR}/package/DynamoAdmissionConfigVersion.cmake"
  DESTINATION "${package_libdir}/cmake/DynamoAdmission" COMPONENT deb_development EXCLUDE_FROM_ALL)
block()
  set(prefix_from_pc ../../..)
  set(CMAKE_INSTALL_LIBDIR "${package_libdir}")
  set(CMAKE_INSTALL_INCLUDEDIR include)
  configure_file("${CMAKE_CURRENT_LIST_DIR}/dynamo-admission.pc.in" "${package_build}/dynamo-admission.pc" @ONLY)
endblock()
install(FILES "${package_build}/dynamo-admission.pc"
  DESTINATION "${package_libdir}/pkgconfig" COMPONENT deb_development EXCLUDE_FROM_ALL)

# Bills of materials, with the licences of what is compiled in. The headers contain nothing of others.
foreach(part webhook reconciler kubectl runtime)
  install(FILES "${package_build}/${part}.spdx.json.gz" RENAME sbom.spdx.json.gz
    DESTINATION "share/doc/${package_of_${part}}" COMPONENT deb_${part} EXCLUDE_FROM_ALL)
endforeach()
foreach(part webhook reconciler kubectl runtime development)
  install(FILES "${packaging}/debian/copyright" "${package_build}/changelog.gz"
    DESTINATION "share/doc/${package_of_${part}}" COMPONENT deb_${part} EXCLUDE_FROM_ALL)
  if(EXISTS "${packaging}/debian/${package_of_${part}}.lintian-overrides")
    install(FILES "${packaging}/debian/${package_of_${part}}.lintian-overrides" RENAME "${package_of_${part}}"
      DESTINATION share/lintian/overrides COMPONENT deb_${part} EXCLUDE_FROM_ALL)
  endif()
endforeach()

# --- Package metadata
# ------------------------------------------------------------------------------------

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME dynamo-admission)
set(CPACK_PACKAGE_VENDOR dynamo-admission)
# The version of the tree at packing time, from deploy/version.
set(CPACK_PROJECT_CONFIG_FILE "${packaging}/version.cmake")
set(CPACK_SET_DESTDIR ON)  # some files are in /etc and /lib
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL deb_webhook deb_reconciler deb_kubectl deb_runtime deb_development)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "dynamo-admission maintainers <maintainers@dynamo-admission.example>")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
foreach(part WEBHOOK RECONCILER KUBECTL RUNTIME DEVELOPMENT)
  string(TOLOWER ${part} small)
  set(CPACK_DEBIAN_DEB_${part}_PACKAGE_NAME "${package_of_${small}}")
  set(CPACK_DEBIAN_DEB_${part}_PACKAGE_PRIORITY optional)
endforeach()

set(CPACK_DEBIAN_DEB_WEBHOOK_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_DEB_WEBHOOK_PACKAGE_SUGGESTS kubectl-dynamo)
set(CPACK_COMPONENT_DEB_WEBHOOK_DESCRIPTION "admission webhook server for the resources of NVIDIA Dynamo
Validates objects of nvidia.com/v1alpha1 and v1beta1 before the Kubernetes API
server stores them: it denies objects that can never work, names every wrong
field at once, and fills in defaults.
.
This package runs the server on a host as a systemd service.")
set(CPACK_DEBIAN_DEB_WEBHOOK_PACKAGE_CONTROL_EXTRA
  "${packaging}/debian/webhook/conffiles;${packaging}/debian/webhook/postinst;${packaging}/debian/webhook/prerm;${packaging}/debian/webhook/postrm")

set(CPACK_DEBIAN_DEB_RECONCILER_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_DEB_RECONCILER_PACKAGE_SUGGESTS "dynamo-admission, kubectl-dynamo")
set(CPACK_COMPONENT_DEB_RECONCILER_DESCRIPTION "controllers for the resources of NVIDIA Dynamo
Validates stored objects of nvidia.com/v1alpha1 by the rules of the admission
webhook dynamo-webhook, and reports the result in conditions and events. As a
replacement for the Dynamo operator it creates the workloads of graphs,
reconciles scaling adapters, and loads models.
.
This package runs the program on a host as a systemd service.")
set(CPACK_DEBIAN_DEB_RECONCILER_PACKAGE_CONTROL_EXTRA
  "${packaging}/debian/reconciler/conffiles;${packaging}/debian/reconciler/postinst;${packaging}/debian/reconciler/prerm;${packaging}/debian/reconciler/postrm")

set(CPACK_DEBIAN_DEB_KUBECTL_PACKAGE_SECTION utils)
set(CPACK_COMPONENT_DEB_KUBECTL_DESCRIPTION "kubectl plugin that validates manifests of NVIDIA Dynamo
Validates files as the admission webhook dynamo-webhook does, without a cluster:
schema, defaults and rules, each finding with file, line and column. It also
diagnoses an installed webhook in a cluster.
.
kubectl runs it as \\\"kubectl dynamo\\\"; it also works without kubectl.")
set(CPACK_DEBIAN_DEB_KUBECTL_PACKAGE_ENHANCES kubernetes-client)

set(CPACK_DEBIAN_DEB_RUNTIME_PACKAGE_SECTION libs)
# Handwritten, because CPack's own trigger is a script that calls ldconfig.
set(CPACK_DEBIAN_DEB_RUNTIME_PACKAGE_CONTROL_EXTRA
  "${packaging}/debian/runtime/triggers;${packaging}/debian/runtime/shlibs")
set(CPACK_COMPONENT_DEB_RUNTIME_DESCRIPTION "verdict of the Dynamo admission webhook, as a library
Validates and defaults resources of NVIDIA Dynamo inside another program, as the
admission webhook server does. It does no I/O and has no global state.
.
This package contains the shared library.")

set(CPACK_DEBIAN_DEB_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_DEB_DEVELOPMENT_DESCRIPTION "verdict of the Dynamo admission webhook, development files
Validates and defaults resources of NVIDIA Dynamo inside another program, as the
admission webhook server does. It does no I/O and has no global state.
.
This package contains the headers for C and C++, and the files for pkg-config
and CMake.")
include(CPack)
