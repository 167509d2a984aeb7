# SPDX-License-Identifier: BSD-3-Clause
#
# How trident_add_test registers tests inside Trilinos: TriBITS names them Trident_<name>_MPI_<n>,
# launches them with flags of its own, and says nothing of those beyond MPI_EXEC_MAX_NUMPROCS. It takes
# BASIC tests with each of its categories, and NIGHTLY ones with NIGHTLY and HEAVY.

# trident_trilinos_test(<ranks> <postfix or ""> <arguments, one string> [<variable>=<value> ...])
function(trident_trilinos_test ranks postfix arguments)
  set(name ${TEST_NAME})
  if(postfix)
    string(APPEND name _${postfix})
  endif()
  set(category NIGHTLY)
  if(ranks IN_LIST quick_on AND NOT ARGN MATCHES "TRIDENT_TEST_THREADS=")
    set(category BASIC)
  endif()
  tribits_add_test(${exe} NOEXEPREFIX NOEXESUFFIX NAME ${name} NUM_MPI_PROCS ${ranks} ARGS "${arguments}" COMM mpi
    CATEGORIES ${category} KEYWORDS ${room} ${TEST_LABELS} ENVIRONMENT ${Trident_TEST_ENVIRONMENT} ${ARGN}
    ADDED_TESTS_NAMES_OUT tests)
  if(tests)
    set_tests_properties(${tests} PROPERTIES
      SKIP_RETURN_CODE 77 FAIL_REGULAR_EXPRESSION "${Trident_TEST_HIDES_SKIPS}")
  endif()
endfunction()

# For trident_add_test alone, whose variables it takes. An executable without a test is not built.
function(trident_add_test_in_trilinos)
  set(possible)
  foreach(ranks IN LISTS TEST_RANKS)
    if(ranks GREATER MPI_EXEC_MAX_NUMPROCS)
      set_property(GLOBAL APPEND PROPERTY Trident_TESTS_LEFT_OUT ${TEST_NAME}_MPI_${ranks})
    else()
      list(APPEND possible ${ranks})
    endif()
  endforeach()
  if(NOT possible)
    return()
  endif()

  set(libraries trident_test_oracle)
  if(NOT TEST_OWN_MAIN)
    list(APPEND libraries trident_unit_test_main)
  endif()
  set(exe Trident_${TEST_NAME}.exe)
  tribits_add_executable(${exe} NOEXEPREFIX NOEXESUFFIX SOURCES ${TEST_SOURCES}
    TESTONLYLIBS ${libraries} COMM mpi)
  target_link_libraries(${exe} PUBLIC ${TEST_LIBRARIES})
  if(NOT Trident_KOKKOS_HAS_CUDA)
    target_precompile_headers(${exe} REUSE_FROM ${Trident_TEST_ORACLE})
  endif()
  list(JOIN TEST_ALONE "," alone)
  string(REPLACE ";" " " arguments "${TEST_ARGS}")  # a list would be one test for each
  foreach(ranks IN LISTS possible)
    if(NOT TEST_MODES)
      trident_trilinos_test(${ranks} "" "${arguments}" "TRIDENT_TEST_ALONE=${alone}")
    endif()
    foreach(group IN LISTS TEST_ALONE)
      trident_trilinos_test(${ranks} ${group} "--group-name=${group}")
    endforeach()
    foreach(mode IN LISTS TEST_MODES)
      trident_trilinos_test(${ranks} ${mode} "${arguments} ${mode}")
    endforeach()
    foreach(level IN LISTS TEST_THREAD_LEVELS)
      trident_trilinos_test(${ranks} ${level} "${arguments}" TRIDENT_TEST_THREADS=${level}
        "TRIDENT_TEST_ALONE=${alone}")
      foreach(group IN LISTS TEST_ALONE)
        trident_trilinos_test(${ranks} ${group}_${level} "--group-name=${group}"
          TRIDENT_TEST_THREADS=${level})
      endforeach()
    endforeach()
  endforeach()
endfunction()

# Says which tests there are not. Called when all are registered.
function(trident_report_tests_left_out)
  get_property(tests GLOBAL PROPERTY Trident_TESTS_LEFT_OUT)
  list(LENGTH tests count)
  if(count)
    list(JOIN tests " " tests)
    message(STATUS "Trident: ${count} tests need more ranks than MPI_EXEC_MAX_NUMPROCS="
      "${MPI_EXEC_MAX_NUMPROCS} and are left out: ${tests}")
  endif()
endfunction()
