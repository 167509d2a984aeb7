# SPDX-License-Identifier: BSD-3-Clause
#
# Trident_GRAPH_ACCESS: whether Tpetra protects what src/tpetra/Trident_GraphAccess.hpp takes, so that
# it compiles. Where it is OFF a product makes two reductions more, and does not see contributions of
# a C to rows of other ranks. -D sets it without a look.
#
# Inside Trilinos nothing can be compiled against Tpetra before it is built. There it is ON.

if(COMMAND tribits_package)
  option(Trident_GRAPH_ACCESS "Take what Tpetra's graphs and matrices protect" ON)
  return()
endif()

include(CheckCXXSourceCompiles)

function(trident_probe_graph_access)
  set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)  # compile, do not link
  set(CMAKE_REQUIRED_LIBRARIES Trident::tpetra MPI::MPI_CXX)
  set(CMAKE_REQUIRED_INCLUDES ${PROJECT_SOURCE_DIR}/src/tpetra)
  check_cxx_source_compiles("
    #include <Trident_GraphAccess.hpp>
    template struct Trident::Impl::GraphAccess<Tpetra::CrsMatrix<>>;
    int main() { return 0; }" Trident_GRAPH_ACCESS)
endfunction()
trident_probe_graph_access()
