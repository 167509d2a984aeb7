# SPDX-License-Identifier: BSD-3-Clause
# The one place of the version: CMake's package, the libraries' names, Trident_config.hpp and
# Doxygen's pages take it from here.
set(Trident_VERSION_MAJOR 0)
set(Trident_VERSION_MINOR 1)
set(Trident_VERSION_PATCH 0)
set(Trident_VERSION ${Trident_VERSION_MAJOR}.${Trident_VERSION_MINOR}.${Trident_VERSION_PATCH})
