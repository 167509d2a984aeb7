# SPDX-License-Identifier: BSD-3-Clause
#
# Which headers programs include, and how the others are installed: with their room, below a folder
# of their own. The public face is what lies in src/ itself, and Trident_config.hpp, which is made of
# src/Trident_config.hpp.in. Every other header may change from one release to the next.

get_filename_component(Trident_ROOMS ${CMAKE_CURRENT_LIST_DIR}/../src ABSOLUTE)

# The public headers of the libraries beside trident.
set(Trident_MARKOV_PUBLIC ${Trident_ROOMS}/Trident_ClusterEdges.hpp
  ${Trident_ROOMS}/Trident_MarkovCluster.hpp)
set(Trident_MUELU_PUBLIC ${Trident_ROOMS}/Trident_AmalgamationFactory.hpp
  ${Trident_ROOMS}/Trident_CoalesceDropFactory.hpp ${Trident_ROOMS}/Trident_FactoryFactory.hpp
  ${Trident_ROOMS}/Trident_Preconditioner.hpp ${Trident_ROOMS}/Trident_RAPFactory.hpp
  ${Trident_ROOMS}/Trident_SaPFactory.hpp ${Trident_ROOMS}/Trident_TransPFactory.hpp)

# trident_split_headers(<public> <inner> <headers> ...): both are names of variables
function(trident_split_headers public inner)
  set(faces)
  set(others)
  foreach(header IN LISTS ARGN)
    get_filename_component(folder ${header} DIRECTORY)
    if(folder STREQUAL Trident_ROOMS OR header MATCHES "/Trident_config\\.hpp$")
      list(APPEND faces ${header})
    else()
      list(APPEND others ${header})
    endif()
  endforeach()
  set(${public} ${faces} PARENT_SCOPE)
  set(${inner} ${others} PARENT_SCOPE)
endfunction()

# trident_install_rooms(<folder> <headers> ...)
function(trident_install_rooms folder)
  foreach(header IN LISTS ARGN)
    file(RELATIVE_PATH path ${Trident_ROOMS} ${header})
    get_filename_component(room ${path} DIRECTORY)
    install(FILES ${header} DESTINATION ${folder}/${room})
  endforeach()
endfunction()

# trident_tribits_library(<name> EXPORT_NAME <name> FOLDERS <...> HEADERS <...> SOURCES <...>
# [DEPLIBS <...>] [IMPORTEDLIBS <...>]): a library inside Trilinos, and the target Trident::<EXPORT_NAME>
# for the folders of this package. FOLDERS are those of public headers; the others are
# tribits_add_library()'s. Sets `added` to the target, to whose name TriBITS may put a prefix.
function(trident_tribits_library name)
  cmake_parse_arguments(LIBRARY "" "EXPORT_NAME" "FOLDERS;HEADERS;SOURCES;DEPLIBS;IMPORTEDLIBS" ${ARGN})
  trident_split_headers(public inner ${LIBRARY_HEADERS})
  tribits_include_directories(${LIBRARY_FOLDERS})
  tribits_add_library(${name} HEADERS ${public} NOINSTALLHEADERS ${inner} SOURCES ${LIBRARY_SOURCES}
    DEPLIBS ${LIBRARY_DEPLIBS} IMPORTEDLIBS ${LIBRARY_IMPORTEDLIBS} ADDED_LIB_TARGET_NAME_OUT added)
  set(inner_folder ${${PROJECT_NAME}_INSTALL_INCLUDE_DIR}/trident_impl)
  trident_install_rooms(${inner_folder} ${inner})
  target_include_directories(${added} PUBLIC $<INSTALL_INTERFACE:${inner_folder}>)
  # An old TriBITS has folders of headers by directory, and none by target.
  foreach(folder IN LISTS LIBRARY_FOLDERS TpetraCore_INCLUDE_DIRS)
    target_include_directories(${added} PUBLIC $<BUILD_INTERFACE:${folder}>)
  endforeach()
  if(NOT TARGET Trident::${LIBRARY_EXPORT_NAME})
    add_library(Trident::${LIBRARY_EXPORT_NAME} ALIAS ${added})
  endif()
  set(added ${added} PARENT_SCOPE)
endfunction()
