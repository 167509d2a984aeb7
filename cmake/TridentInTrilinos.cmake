# SPDX-License-Identifier: BSD-3-Clause
# Trident as a TriBITS package; the root CMakeLists.txt comes here inside a Trilinos build.
tribits_package(Trident)
list(APPEND CMAKE_MODULE_PATH ${PACKAGE_SOURCE_DIR}/cmake)
add_subdirectory(src)
tribits_add_test_directories(test)
tribits_add_example_directories(example)
tribits_package_postprocess()
