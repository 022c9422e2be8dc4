# The linked program itself: one ctest per behaviour, and the command lines of the examples. The
# tests list their own names.
set(program_test "${CMAKE_CURRENT_LIST_DIR}/program_test.py")
execute_process(
  COMMAND "${DYNAMO_CRD_PYTHON}" -B "${program_test}" --list
  OUTPUT_VARIABLE program_behaviours
  OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" program_behaviours "${program_behaviours}")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${program_test}")
foreach(behaviour IN LISTS program_behaviours)
  string(REPLACE "." ".test_" test "${behaviour}")
  add_test(NAME unit.kubectl_dynamo.${behaviour}
           COMMAND "${DYNAMO_CRD_PYTHON}" -B "${program_test}"
                   --program $<TARGET_FILE:kubectl-dynamo> --source "${CMAKE_SOURCE_DIR}" ${test})
  set_tests_properties(unit.kubectl_dynamo.${behaviour} PROPERTIES LABELS unit TIMEOUT 120)
endforeach()

# Editor support, checked with a validator and a client from PyPI.
foreach(check schema lsp)
  add_test(NAME formats.editor_${check}
           COMMAND "${DYNAMO_CRD_PYTHON}" -B "${CMAKE_CURRENT_LIST_DIR}/editor_check.py" ${check}
                   --program $<TARGET_FILE:kubectl-dynamo> --source "${CMAKE_SOURCE_DIR}")
  set_tests_properties(formats.editor_${check} PROPERTIES
    LABELS formats TIMEOUT 600 SKIP_RETURN_CODE 77)
endforeach()

# The settings of docs/editor.md, checked with the server that reads them. It comes from the npm
# registry.
add_test(NAME formats.editor_settings
         COMMAND "${DYNAMO_CRD_PYTHON}" -B "${CMAKE_CURRENT_LIST_DIR}/settings_check.py"
                 --program $<TARGET_FILE:kubectl-dynamo> --source "${CMAKE_SOURCE_DIR}")
set_tests_properties(formats.editor_settings PROPERTIES LABELS formats TIMEOUT 600 SKIP_RETURN_CODE 77)

# Reports, validated against the definitions of their formats. The schema and the XSD come from
# PyPI, once.
foreach(format sarif junit tap)
  add_test(NAME formats.${format}_output_is_valid
           COMMAND "${DYNAMO_CRD_PYTHON}" -B "${CMAKE_CURRENT_LIST_DIR}/formats_check.py" ${format}
                   --program $<TARGET_FILE:kubectl-dynamo> --source "${CMAKE_SOURCE_DIR}")
  set_tests_properties(formats.${format}_output_is_valid PROPERTIES
    LABELS formats TIMEOUT 600 SKIP_RETURN_CODE 77)
endforeach()
