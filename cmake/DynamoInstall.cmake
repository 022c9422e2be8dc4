# Installation rules. Components: `programs`; `kubectl`, the part of it that the target
# kubectl-dynamo alone builds (see src/main); and `library`, for programs that use
# find_package(DynamoAdmission) or pkg-config.
include(CMakePackageConfigHelpers)

install(TARGETS dynamo-webhook dynamo-reconciler
  RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT programs)

install(TARGETS dynamo_admission_shared EXPORT DynamoAdmission
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT library)
install(DIRECTORY "${CMAKE_SOURCE_DIR}/src/library/include/"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT library)
foreach(component programs kubectl library)
  install(FILES "${CMAKE_SOURCE_DIR}/LICENSE"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/dynamo-admission" COMPONENT ${component})
endforeach()

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/DynamoAdmission")
install(EXPORT DynamoAdmission FILE DynamoAdmissionTargets.cmake NAMESPACE DynamoAdmission::
  DESTINATION "${package_dir}" COMPONENT library)
configure_package_config_file(
  "${CMAKE_CURRENT_LIST_DIR}/DynamoAdmissionConfig.cmake.in"
  "${CMAKE_BINARY_DIR}/package/DynamoAdmissionConfig.cmake"
  INSTALL_DESTINATION "${package_dir}"
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(
  "${CMAKE_BINARY_DIR}/package/DynamoAdmissionConfigVersion.cmake"
  VERSION "${PROJECT_VERSION}"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${CMAKE_BINARY_DIR}/package/DynamoAdmissionConfig.cmake"
  "${CMAKE_BINARY_DIR}/package/DynamoAdmissionConfigVersion.cmake"
  DESTINATION "${package_dir}" COMPONENT library)

file(RELATIVE_PATH prefix_from_pc "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file("${CMAKE_CURRENT_LIST_DIR}/dynamo-admission.pc.in"
               "${CMAKE_BINARY_DIR}/package/dynamo-admission.pc" @ONLY)
install(FILES "${CMAKE_BINARY_DIR}/package/dynamo-admission.pc"
  DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT library)
