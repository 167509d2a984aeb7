# SPDX-License-Identifier: BSD-3-Clause
# Trident as a TriBITS package; the root CMakeLists.txt comes here inside a Trilinos build.
if(CMAKE_CXX_STANDARD LESS 17)  # Trilinos 13.2 takes 11 where nothing is said
  message(FATAL_ERROR "Trident needs C++17 or later: configure Trilinos with "
    "-DCMAKE_CXX_STANDARD=17, or leave Trident out by -DTrilinos_ENABLE_Trident=OFF.")
endif()
tribits_package(Trident)
include(${PACKAGE_SOURCE_DIR}/Version.cmake)  # TriBITS reads those of repositories, not of packages
list(APPEND CMAKE_MODULE_PATH ${PACKAGE_SOURCE_DIR}/cmake)
include(tribits/TridentTrilinosTargets)
include(TridentDeviceQuery)
include(TridentTpetraAccess)
include(TridentRounding)
include(TridentSourcePaths)
include(TridentUnity)
include(TridentDropIn)
add_subdirectory(src)
trident_all_libs_target()
tribits_add_example_directories(example)
tribits_add_test_directories(test)  # after example: some tests run the programs
tribits_package_postprocess()
