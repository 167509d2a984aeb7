# SPDX-License-Identifier: BSD-3-Clause
# What `cmake --install` writes: library, headers (flat, as TriBITS does), and the package config.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Trident)

install(TARGETS trident trident_all_libs EXPORT TridentTargets
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/trident)
if(Trident_ENABLE_MueLu)  # a set of its own: who does not ask for it need not have MueLu
  install(TARGETS trident_muelu EXPORT TridentMueLuTargets
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/trident)
  install(EXPORT TridentMueLuTargets NAMESPACE Trident:: DESTINATION ${config_dir})
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/TridentMueLu.cmake DESTINATION ${config_dir})
endif()
install(FILES ${Trident_HEADERS} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/trident)
install(EXPORT TridentTargets NAMESPACE Trident:: DESTINATION ${config_dir})

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
if(Trident_ENABLE_NCCL)  # for the package config: a static library's clients link NCCL themselves
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/FindNCCL.cmake DESTINATION ${config_dir})
endif()
