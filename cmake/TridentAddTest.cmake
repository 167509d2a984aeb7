# SPDX-License-Identifier: BSD-3-Clause
#
# trident_add_test(NAME <name> SOURCES <files> RANKS <n> [<n> ...] [ARGS ...] [LABELS ...]
#                  [LIBRARIES ...] [OWN_MAIN] [THREAD_LEVELS <level> ...] [MODES <word> ...]
#                  [ALONE <group> ...] [NIGHTLY])
#
# builds one executable from Teuchos unit tests and test/Trident_UnitTestMain.cpp (OWN_MAIN: the
# sources have a main function), and registers one test `<name>_np<n>` per rank count. Every test
# carries its folder (the room) as a label. THREAD_LEVELS (single, funneled, serialized) registers
# each once more, as `<name>_<level>_np<n>`, with MPI asked for no more than that. MODES registers
# `<name>_<word>_np<n>` instead, with the word as last argument. ALONE names groups of the unit tests
# that need what is not everywhere (test/Trident_TestNeeds.hpp): each is registered apart, as
# `<name>_<group>_np<n>`, which CTest skips where it cannot run; the others run without it.
#
# The label `quick` is for a look after each change: tests of rooms (folders of src) on 4 ranks, or on
# 1 where they do not run on 4. Those of product and tpetra have it on both, as one rank has a way of
# its own. NIGHTLY says that a test has not: it takes seconds, or another one nearly says as much.
# Inside Trilinos quick tests are of TriBITS' category BASIC, and all others of NIGHTLY. The target
# quick_tests builds what quick tests run.
#
# A test passes by its exit status. All tests run with the environment Trident_TEST_ENVIRONMENT.
# A limit is for tests that hang, not for busy machines: a watchdog ends one of which a single unit
# test takes Trident_TEST_TIMEOUT seconds, less twenty, and says where every rank stands. CTest gives
# such a test four times as long, and others, which nobody watches, Trident_TEST_TIMEOUT.

# Ranks are often more than cores: they must yield while they wait, and not multiply by threads. Where there are threads
# all the same, they yield too, and none is bound to a core on which the other ranks' threads are as well.
set(Trident_TEST_THREADS 1 CACHE STRING "OpenMP threads of each rank of a test")
set(Trident_TEST_ENVIRONMENT OMPI_MCA_mpi_yield_when_idle=1
  OMP_NUM_THREADS=${Trident_TEST_THREADS} OMP_PROC_BIND=false OMP_WAIT_POLICY=passive)
set(Trident_TEST_HIDES_SKIPS "Some tests were skipped beside others")  # of Trident_UnitTestMain.cpp
set(Trident_TEST_TIMEOUT 300 CACHE STRING "Seconds without progress after which a test has failed")

if(NOT TARGET quick_tests AND NOT COMMAND tribits_package)
  add_custom_target(quick_tests)
endif()

# Sets quick_on to the numbers of ranks on which the test is quick. For trident_add_test alone.
function(trident_find_quick)
  set(found)
  if(NOT TEST_NIGHTLY AND IS_DIRECTORY ${Trident_SOURCE_DIR}/src/${room})
    if(4 IN_LIST TEST_RANKS)
      set(found 4)
    endif()
    if(1 IN_LIST TEST_RANKS AND (NOT found OR room MATCHES "^(product|tpetra)$"))
      list(APPEND found 1)
    endif()
  endif()
  set(quick_on ${found} PARENT_SCOPE)
endfunction()

function(trident_add_test)
  cmake_parse_arguments(TEST "OWN_MAIN;NIGHTLY" "NAME"
    "SOURCES;RANKS;ARGS;LABELS;LIBRARIES;THREAD_LEVELS;MODES;ALONE" ${ARGN})
  if(TEST_UNPARSED_ARGUMENTS OR NOT TEST_NAME OR NOT TEST_SOURCES OR NOT TEST_RANKS)
    message(FATAL_ERROR "trident_add_test needs NAME, SOURCES, RANKS; got: ${ARGN}")
  endif()
  get_filename_component(room ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  trident_find_quick()
  if(COMMAND tribits_package)
    trident_add_test_in_trilinos()
    return()
  endif()

  set(exe Trident_${TEST_NAME}.exe)
  add_executable(${exe} ${TEST_SOURCES})
  target_link_libraries(${exe} PRIVATE trident_test_oracle trident_start_apart
    Trident::all_libs ${TEST_LIBRARIES})
  if(NOT TEST_OWN_MAIN)
    target_link_libraries(${exe} PRIVATE trident_unit_test_main)
  endif()
  if(NOT Trident_KOKKOS_HAS_CUDA)
    target_precompile_headers(${exe} REUSE_FROM trident_test_oracle)
  endif()
  if(quick_on)
    add_dependencies(quick_tests ${exe})
  endif()
  set(watched WATCHED)
  if(TEST_OWN_MAIN)
    set(watched "")  # it may have none
  endif()
  list(JOIN TEST_ALONE "," alone)
  foreach(ranks IN LISTS TEST_RANKS)
    set(quick)
    if(ranks IN_LIST quick_on)
      set(quick quick)
    endif()
    if(NOT TEST_MODES)
      trident_mpi_test(NAME ${TEST_NAME}_np${ranks} RANKS ${ranks} ${watched}
        COMMAND $<TARGET_FILE:${exe}> ${TEST_ARGS} LABELS ${room} ${quick} ${TEST_LABELS}
        ENVIRONMENT "TRIDENT_TEST_ALONE=${alone}")
    endif()
    foreach(group IN LISTS TEST_ALONE)
      trident_mpi_test(NAME ${TEST_NAME}_${group}_np${ranks} RANKS ${ranks} ${watched}
        COMMAND $<TARGET_FILE:${exe}> --group-name=${group} LABELS ${room} ${quick} ${TEST_LABELS})
    endforeach()
    foreach(mode IN LISTS TEST_MODES)
      trident_mpi_test(NAME ${TEST_NAME}_${mode}_np${ranks} RANKS ${ranks} ${watched}
        COMMAND $<TARGET_FILE:${exe}> ${TEST_ARGS} ${mode} LABELS ${room} ${quick} ${TEST_LABELS})
    endforeach()
    foreach(level IN LISTS TEST_THREAD_LEVELS)
      trident_mpi_test(NAME ${TEST_NAME}_${level}_np${ranks} RANKS ${ranks} ${watched}
        COMMAND $<TARGET_FILE:${exe}> ${TEST_ARGS} LABELS ${room} ${TEST_LABELS}
        ENVIRONMENT TRIDENT_TEST_THREADS=${level} "TRIDENT_TEST_ALONE=${alone}")
      foreach(group IN LISTS TEST_ALONE)
        trident_mpi_test(NAME ${TEST_NAME}_${group}_${level}_np${ranks} RANKS ${ranks} ${watched}
          COMMAND $<TARGET_FILE:${exe}> --group-name=${group} LABELS ${room} ${TEST_LABELS}
          ENVIRONMENT TRIDENT_TEST_THREADS=${level})
      endforeach()
    endforeach()
  endforeach()
endfunction()

# trident_mpi_test(NAME <name> RANKS <n> COMMAND <program> [args ...] [LABELS ...]
#                  [ENVIRONMENT <name>=<value> ...] [BEFORE <command> [args ...]] [WATCHED]): one
# test that runs any program on n ranks; by a command that gets the whole line of mpiexec, where one
# is said. WATCHED: the program has a watchdog (test/Trident_Watchdog.hpp), or that command is one.
# The program or that command skips the test by ending with 77.
# CTest takes the ranks from its -j budget and, where they are more than that, runs the test alone.
function(trident_mpi_test)
  cmake_parse_arguments(TEST "WATCHED" "NAME;RANKS" "COMMAND;LABELS;ENVIRONMENT;BEFORE" ${ARGN})
  add_test(NAME ${TEST_NAME} COMMAND ${TEST_BEFORE}
    ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${TEST_RANKS} ${Trident_MPIEXEC_FLAGS}
    ${MPIEXEC_PREFLAGS} ${TEST_COMMAND} ${MPIEXEC_POSTFLAGS})
  math(EXPR quiet "${Trident_TEST_TIMEOUT} - 20")
  set(timeout ${Trident_TEST_TIMEOUT})
  if(TEST_WATCHED)
    math(EXPR timeout "${timeout} * 4")
  endif()
  set_tests_properties(${TEST_NAME} PROPERTIES
    PROCESSORS ${TEST_RANKS} TIMEOUT ${timeout} LABELS "${TEST_LABELS}"
    SKIP_RETURN_CODE 77 FAIL_REGULAR_EXPRESSION "${Trident_TEST_HIDES_SKIPS}"
    ENVIRONMENT "${Trident_TEST_ENVIRONMENT};TRIDENT_TEST_QUIET=${quiet};${TEST_ENVIRONMENT}")
  if(COMMAND tribits_package AND (TEST_RANKS GREATER MPI_EXEC_MAX_NUMPROCS
      OR NOT "${${PROJECT_NAME}_TEST_CATEGORIES}" MATCHES "NIGHTLY|HEAVY"))
    set_tests_properties(${TEST_NAME} PROPERTIES DISABLED ON)
  endif()
endfunction()

if(COMMAND tribits_package)
  include(${CMAKE_CURRENT_LIST_DIR}/tribits/TridentAddTestInTrilinos.cmake)
endif()

# Open MPI refuses more ranks than cores, unless told, and root, unless somebody asks for it: by the
# option here, or by the two variables of Open MPI itself. Other MPIs know no such flags.
if(MPIEXEC_EXECUTABLE AND NOT COMMAND tribits_package)
  option(Trident_ALLOW_RUN_AS_ROOT "Tests let root start Open MPI's ranks" OFF)
  execute_process(COMMAND ${MPIEXEC_EXECUTABLE} --version
    OUTPUT_VARIABLE mpiexec_version ERROR_VARIABLE mpiexec_version)
  if(mpiexec_version MATCHES "\\((Open MPI|OpenRTE)\\) 4")  # what tests without mpiexec are run with
    set(Trident_NO_TEMPORARY_FOLDER TMPDIR=/proc)
  endif()
  if(mpiexec_version MATCHES "Open MPI|OpenRTE")
    set(Trident_MPIEXEC_FLAGS --oversubscribe --bind-to none)
    if(Trident_ALLOW_RUN_AS_ROOT)
      list(PREPEND Trident_MPIEXEC_FLAGS --allow-run-as-root)
      list(APPEND Trident_TEST_ENVIRONMENT  # for tests that are scripts
        OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1)
    elseif(NOT "$ENV{OMPI_ALLOW_RUN_AS_ROOT}$ENV{OMPI_ALLOW_RUN_AS_ROOT_CONFIRM}" STREQUAL 11)
      execute_process(COMMAND id -u OUTPUT_VARIABLE user OUTPUT_STRIP_TRAILING_WHITESPACE)
      if(user STREQUAL 0)
        message(STATUS "Trident: Open MPI will refuse to run the tests as root; "
          "-DTrident_ALLOW_RUN_AS_ROOT=ON lets it")
      endif()
    endif()
  endif()
endif()
