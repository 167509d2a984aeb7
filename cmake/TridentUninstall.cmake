# SPDX-License-Identifier: BSD-3-Clause
#
# The target uninstall removes the files that the build folder's install_manifest*.txt list, and the
# folders below the prefix that are empty then:
#
#   cmake -D BUILD=<build folder> -P TridentUninstall.cmake
#
# DESTDIR counts as it did for the installation.

file(GLOB lists ${BUILD}/install_manifest*.txt)
if(NOT lists)
  message(FATAL_ERROR "Nothing is installed from ${BUILD}: it has no install_manifest.txt")
endif()
file(READ ${BUILD}/install_prefix.txt prefix)
foreach(list IN LISTS lists)
  file(STRINGS ${list} files)
  foreach(file IN LISTS files)
    file(REMOVE "$ENV{DESTDIR}${file}")
    if(EXISTS "$ENV{DESTDIR}${file}")
      message(FATAL_ERROR "$ENV{DESTDIR}${file} cannot be removed")
    endif()
    get_filename_component(folder "${file}" DIRECTORY)
    set(failed 0)
    string(FIND "${folder}" "${prefix}/" below)
    while(failed EQUAL 0 AND below EQUAL 0 AND NOT folder STREQUAL prefix)
      execute_process(COMMAND rmdir "$ENV{DESTDIR}${folder}" RESULT_VARIABLE failed ERROR_QUIET)
      get_filename_component(folder "${folder}" DIRECTORY)
    endwhile()
  endforeach()
endforeach()
file(REMOVE ${lists})
