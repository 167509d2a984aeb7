# SPDX-License-Identifier: BSD-3-Clause
#
# How trident_add_test registers tests inside Trilinos: TriBITS names them Trident_<name>_MPI_<n>,
# launches them with flags of its own, and says nothing of those beyond MPI_EXEC_MAX_NUMPROCS.

# trident_trilinos_test(<ranks> <postfix or ""> <arguments, one string> [<variable>=<value> ...])
function(trident_trilinos_test ranks postfix arguments)
  set(name)
  if(postfix)
    set(name NAME_POSTFIX ${postfix})
  endif()
  tribits_add_test(${TEST_NAME} ${name} NUM_MPI_PROCS ${ranks} ARGS "${arguments}" COMM mpi
    KEYWORDS ${room} ${TEST_LABELS} ENVIRONMENT ${Trident_TEST_ENVIRONMENT} ${ARGN})
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

  set(main trident_unit_test_main)
  if(TEST_OWN_MAIN)
    set(main)
  endif()
  tribits_add_executable(${TEST_NAME} SOURCES ${TEST_SOURCES} TESTONLYLIBS ${main} COMM mpi)
  string(REPLACE ";" " " arguments "${TEST_ARGS}")  # a list would be one test for each
  foreach(ranks IN LISTS possible)
    if(NOT TEST_MODES)
      trident_trilinos_test(${ranks} "" "${arguments}")
    endif()
    foreach(mode IN LISTS TEST_MODES)
      trident_trilinos_test(${ranks} ${mode} "${arguments} ${mode}")
    endforeach()
    foreach(level IN LISTS TEST_THREAD_LEVELS)
      trident_trilinos_test(${ranks} ${level} "${arguments}" TRIDENT_TEST_THREADS=${level})
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
