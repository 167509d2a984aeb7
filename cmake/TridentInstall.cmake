# SPDX-License-Identifier: BSD-3-Clause
# What `cmake --install` writes: libraries, headers, the package config, trident.pc, licence and pages;
# programs by cmake/TridentInstallProgram.cmake. Public headers lie in trident/, all others with their
# room in trident/trident_impl/.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
include(TridentHeaders)
include(TridentPkgConfig)
set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Trident)
set(include_dir ${CMAKE_INSTALL_INCLUDEDIR}/trident)

install(TARGETS trident trident_all_libs trident_markov EXPORT TridentTargets
  INCLUDES DESTINATION ${include_dir} ${include_dir}/trident_impl)
if(Trident_ENABLE_MueLu)  # a set of its own: who does not ask for it need not have MueLu
  install(TARGETS trident_muelu EXPORT TridentMueLuTargets
    INCLUDES DESTINATION ${include_dir} ${include_dir}/trident_impl)
  install(EXPORT TridentMueLuTargets NAMESPACE Trident:: DESTINATION ${config_dir})
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/TridentMueLu.cmake DESTINATION ${config_dir})
endif()
if(Trident_ENABLE_DROPIN)  # a set of its own: packages may have what is loaded apart from what is linked
  set(dropin ${PROJECT_BINARY_DIR}/src/dropin)
  install(TARGETS trident_dropin_static EXPORT TridentDropInTargets)
  install(FILES ${dropin}/dropin_static.wrap DESTINATION ${CMAKE_INSTALL_LIBDIR}/trident)
  if(Trident_TPETRA_IS_SHARED)
    install(TARGETS trident_dropin EXPORT TridentDropInTargets
      LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/trident)
    install(PROGRAMS ${dropin}/installed/trident-try DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
  install(EXPORT TridentDropInTargets NAMESPACE Trident:: DESTINATION ${config_dir})
endif()
install(FILES ${Trident_PUBLIC_HEADERS} DESTINATION ${include_dir})
trident_install_rooms(${include_dir}/trident_impl ${Trident_INNER_HEADERS})
install(EXPORT TridentTargets NAMESPACE Trident:: DESTINATION ${config_dir})

trident_write_pkg_config()

# Pages link each other as they do in the tree.
set(doc_dir ${CMAKE_INSTALL_DATAROOTDIR}/doc/trident)
install(FILES LICENSE README.md CHANGELOG.md SUPPORT.md CITATION.cff DESTINATION ${doc_dir})
file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/doc/*.md ${PROJECT_SOURCE_DIR}/doc/*.svg)
install(FILES ${pages} DESTINATION ${doc_dir}/doc)

# Clients must meet the Trilinos that Trident was built with, not another one on their path.
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/TridentConfig.cmake.in ${PROJECT_BINARY_DIR}/TridentConfig.cmake
  INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/TridentConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/TridentConfig.cmake
  ${PROJECT_BINARY_DIR}/TridentConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/TridentTpetra.cmake
  DESTINATION ${config_dir})

if(PROJECT_IS_TOP_LEVEL)
  install(CODE "file(WRITE \"${PROJECT_BINARY_DIR}/install_prefix.txt\" \"\${CMAKE_INSTALL_PREFIX}\")"
    ALL_COMPONENTS)
  add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -D BUILD=${PROJECT_BINARY_DIR}
    -P ${CMAKE_CURRENT_LIST_DIR}/TridentUninstall.cmake VERBATIM)
endif()
if(Trident_ENABLE_NCCL)  # for the package config: a static library's clients link NCCL themselves
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/FindNCCL.cmake DESTINATION ${config_dir})
endif()
