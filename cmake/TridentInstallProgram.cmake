# SPDX-License-Identifier: BSD-3-Clause
#
# trident_install_program(<target> <name>): installs a program under its name for users, which its file
# in the build folder does not have. A program that was not built is left out, so that a part of Trident
# can be built and installed.

include(GNUInstallDirs)

function(trident_install_program target name)
  # A Trilinos, and a shared libtrident, that the loader would not find by itself.
  set_target_properties(${target} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
  if(BUILD_SHARED_LIBS AND NOT DEFINED CMAKE_INSTALL_RPATH)
    file(RELATIVE_PATH libraries ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
    set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/${libraries}")
  endif()
  set(folder ${CMAKE_INSTALL_BINDIR})
  if(NOT IS_ABSOLUTE "${folder}")
    set(folder "\${CMAKE_INSTALL_PREFIX}/${folder}")
  endif()
  # install(TARGETS) cannot rename, so what it wrote is moved.
  install(TARGETS ${target} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} OPTIONAL
    COMPONENT programs)
  install(CODE "
    set(installed \"\$ENV{DESTDIR}${folder}/${target}\")
    if(EXISTS \"\${installed}\")
      file(RENAME \"\${installed}\" \"\$ENV{DESTDIR}${folder}/${name}\")
      list(REMOVE_ITEM CMAKE_INSTALL_MANIFEST_FILES \"${folder}/${target}\")
      list(APPEND CMAKE_INSTALL_MANIFEST_FILES \"${folder}/${name}\")
    endif()" COMPONENT programs)
endfunction()
