# SPDX-License-Identifier: BSD-3-Clause
#
# Trident_ENABLE_MueLu: the factories of src/muelu, ON where this Trilinos has MueLu. OFF does not
# look for it: a MueLu installed without the packages that it names stops the configuration.
# Read by Trident's build and by its installed package config; needs Tpetra_DIR.
#
# Trident::trilinos_muelu: MueLu and all it needs, as one target (see TridentTpetra.cmake).

option(Trident_ENABLE_MueLu "Build factories for MueLu, where found" ON)
if(Trident_ENABLE_MueLu AND NOT MueLu_FOUND)
  find_package(MueLu QUIET PATHS ${Tpetra_DIR}/../MueLu NO_DEFAULT_PATH)  # of the same Trilinos
endif()
if(Trident_ENABLE_MueLu AND NOT MueLu_FOUND)
  set(Trident_ENABLE_MueLu OFF)  # for this run; the next one looks again
endif()

# Debian's 13.2 names files of packages that MueLu's package does not depend on; its shared libraries
# do not need them to be linked against. Sets `result` to those of the arguments that are not missing.
function(trident_without_missing_files result)
  set(kept)
  foreach(item IN LISTS ARGN)
    if(EXISTS "${item}" OR NOT IS_ABSOLUTE "${item}")
      list(APPEND kept "${item}")
    endif()
  endforeach()
  set(${result} "${kept}" PARENT_SCOPE)
endfunction()

if(Trident_ENABLE_MueLu AND NOT TARGET Trident::trilinos_muelu)
  add_library(Trident::trilinos_muelu INTERFACE IMPORTED)
  target_link_libraries(Trident::trilinos_muelu INTERFACE Trident::trilinos_tpetra)
  if(TARGET MueLu::all_libs)
    target_link_libraries(Trident::trilinos_muelu INTERFACE MueLu::all_libs)
  else()
    trident_without_missing_files(folders ${MueLu_INCLUDE_DIRS} ${MueLu_TPL_INCLUDE_DIRS})
    target_include_directories(Trident::trilinos_muelu INTERFACE ${folders})
    foreach(library IN LISTS MueLu_LIBRARIES)
      get_target_property(needed ${library} INTERFACE_LINK_LIBRARIES)
      if(needed)
        trident_without_missing_files(needed ${needed})
        set_target_properties(${library} PROPERTIES INTERFACE_LINK_LIBRARIES "${needed}")
      endif()
    endforeach()
    trident_without_missing_files(libraries ${MueLu_TPL_LIBRARIES})
    target_link_libraries(Trident::trilinos_muelu INTERFACE ${MueLu_LIBRARIES} ${libraries})
  endif()
endif()
