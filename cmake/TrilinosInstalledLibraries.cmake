# SPDX-License-Identifier: BSD-3-Clause
# Leaves all libraries of Trilinos but Trident's without their sources: cmake/tribits/build --installed
# puts those of the installed packages in their place. Given to Trilinos' configuration as
# CMAKE_PROJECT_Trilinos_INCLUDE; runs when all targets are there.

function(trident_empty_libraries)
  set(source ${CMAKE_BINARY_DIR}/trident_empty.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "// Nothing: the library is installed.\n")
  set(names)
  foreach(library IN LISTS Trilinos_LIBRARIES)
    if(NOT library MATCHES "trident")
      set_target_properties(${library} PROPERTIES SOURCES ${source} LINKER_LANGUAGE CXX)
      list(APPEND names ${library} $<TARGET_FILE:${library}>)
    endif()
  endforeach()
  list(JOIN names "\n" lines)
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/trident_libraries.txt CONTENT "${lines}\n")
endfunction()
cmake_language(DEFER CALL trident_empty_libraries)
