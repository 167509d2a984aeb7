# SPDX-License-Identifier: BSD-3-Clause
#
# trident.pc, for who builds without CMake: `g++ main.cpp $(pkg-config --cflags --libs trident)`. It
# has what Trident::all_libs has, and all that these link of Trilinos and MPI, by the files that this
# Trident was built with.
#
# Flags are collected from the targets' properties here, at configuration. A property's generator
# expressions are taken apart where they are of C++ alone, and else left out.

# Adds an item of a link line, and what it needs, to global properties trident_pc_<what>. Libraries
# come behind all that they need, so the link line is their list from its end.
function(trident_pc_visit item)
  get_property(visited GLOBAL PROPERTY trident_pc_visited)
  if(item MATCHES "^::@" OR item IN_LIST visited)  # the former tells CMake of a folder
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY trident_pc_visited ${item})
  if(NOT TARGET ${item})
    if(NOT IS_ABSOLUTE "${item}" AND NOT item MATCHES "^-")
      set(item -l${item})
    endif()
    set_property(GLOBAL APPEND PROPERTY trident_pc_libraries ${item})
    return()
  endif()
  get_target_property(aliased ${item} ALIASED_TARGET)
  if(aliased)
    trident_pc_visit(${aliased})
    return()
  endif()
  get_target_property(needed ${item} INTERFACE_LINK_LIBRARIES)
  if(needed)
    string(REGEX REPLACE "[$]<LINK_ONLY:([^<>]*)>" "\\1" needed "${needed}")
    string(GENEX_STRIP "${needed}" needed)
    list(REVERSE needed)
    foreach(library IN LISTS needed)
      trident_pc_visit("${library}")
    endforeach()
  endif()
  get_target_property(type ${item} TYPE)
  get_target_property(imported ${item} IMPORTED)
  if(imported AND NOT type STREQUAL "INTERFACE_LIBRARY")
    set_property(GLOBAL APPEND PROPERTY trident_pc_libraries $<TARGET_LINKER_FILE:${item}>)
  elseif(NOT type STREQUAL "INTERFACE_LIBRARY")
    set_property(GLOBAL APPEND PROPERTY trident_pc_libraries -l${item})
  endif()
  if(imported)  # Trident's own are said by trident.pc.in
    foreach(what INCLUDE_DIRECTORIES COMPILE_DEFINITIONS COMPILE_OPTIONS COMPILE_FEATURES)
      get_target_property(flags ${item} INTERFACE_${what})
      if(flags)
        set_property(GLOBAL APPEND PROPERTY trident_pc_${what} ${flags})
      endif()
    endforeach()
  endif()
endfunction()

# Sets `result` to the flags of a kind, each once and behind its prefix.
function(trident_pc_flags what prefix result)
  get_property(flags GLOBAL PROPERTY trident_pc_${what})
  string(REGEX REPLACE "[$]<[$]<COMPILE_LANGUAGE:CXX>:([^<>]*)>" "\\1" flags "${flags}")
  string(GENEX_STRIP "${flags}" flags)
  list(TRANSFORM flags REPLACE "^SHELL:" "")
  if(what STREQUAL "INCLUDE_DIRECTORIES")  # without "..", of which Trilinos 13.2 has many
    set(folders ${flags})
    set(flags)
    foreach(folder IN LISTS folders)
      get_filename_component(folder "${folder}" ABSOLUTE)
      if(folder IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)  # -isystem would take it from its place
        list(APPEND flags -I${folder})
      else()
        list(APPEND flags "-isystem ${folder}")
      endif()
    endforeach()
  endif()
  list(REMOVE_DUPLICATES flags)
  list(TRANSFORM flags PREPEND "${prefix}")
  list(JOIN flags " " flags)
  set(${result} "${flags}" PARENT_SCOPE)
endfunction()

function(trident_write_pkg_config)
  trident_pc_visit(trident_all_libs)
  get_property(pc_libraries GLOBAL PROPERTY trident_pc_libraries)
  list(REVERSE pc_libraries)
  list(JOIN pc_libraries " " pc_libraries)
  trident_pc_flags(INCLUDE_DIRECTORIES "" pc_includes)
  trident_pc_flags(COMPILE_DEFINITIONS -D pc_definitions)
  trident_pc_flags(COMPILE_OPTIONS "" pc_options)

  set(pc_standard ${CMAKE_CXX_STANDARD})
  get_property(features GLOBAL PROPERTY trident_pc_COMPILE_FEATURES)
  foreach(feature IN LISTS features)
    if(feature MATCHES "^cxx_std_([0-9]+)$" AND CMAKE_MATCH_1 GREATER pc_standard)
      set(pc_standard ${CMAKE_MATCH_1})
    endif()
  endforeach()

  # The loader is told of folders that it does not search by itself.
  set(pc_rpath)
  get_filename_component(trilinos ${Tpetra_DIR}/../.. ABSOLUTE)
  if(NOT trilinos IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
    string(APPEND pc_rpath " -Wl,-rpath,${trilinos}")
  endif()
  if(BUILD_SHARED_LIBS AND NOT CMAKE_INSTALL_FULL_LIBDIR IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
    string(APPEND pc_rpath " -Wl,-rpath,\${libdir}")
  endif()

  # From the folder of the file, so that the installation can be moved.
  set(pc_folder ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
  file(RELATIVE_PATH pc_prefix ${pc_folder} ${CMAKE_INSTALL_PREFIX})
  string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
  foreach(folder LIBDIR INCLUDEDIR)
    file(RELATIVE_PATH pc_${folder} ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_${folder}})
  endforeach()

  configure_file(${PROJECT_SOURCE_DIR}/cmake/trident.pc.in ${PROJECT_BINARY_DIR}/trident.pc.in @ONLY)
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/pkgconfig/$<CONFIG>/trident.pc
    INPUT ${PROJECT_BINARY_DIR}/trident.pc.in)
  install(FILES ${PROJECT_BINARY_DIR}/pkgconfig/$<CONFIG>/trident.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
