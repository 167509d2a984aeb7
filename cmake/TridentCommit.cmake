# SPDX-License-Identifier: BSD-3-Clause
#
# Writes the source of builtCommit() (example/app/problems/TridentProblems_Commit.hpp). A script that
# every build runs: cmake -D SOURCE_DIR=... -D OUTPUT=... -P TridentCommit.cmake. The file is touched
# where the commit is another one than before, and so compiled again.

find_package(Git QUIET)
set(commit "")
if(GIT_FOUND)
  # Sources unpacked inside another project's repository have no commit of Trident's.
  execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse --show-cdup WORKING_DIRECTORY ${SOURCE_DIR}
    RESULT_VARIABLE failed OUTPUT_VARIABLE above ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT failed AND above STREQUAL "")
    execute_process(COMMAND ${GIT_EXECUTABLE} describe --always --dirty --abbrev=12 --exclude=*
      WORKING_DIRECTORY ${SOURCE_DIR}
      OUTPUT_VARIABLE commit ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[
// SPDX-License-Identifier: BSD-3-Clause
// Written by cmake/TridentCommit.cmake, so not to be edited.
#include "TridentProblems_Commit.hpp"

std::string Trident::Problems::builtCommit() { return "@commit@"; }
]] @ONLY)
