# SPDX-License-Identifier: BSD-3-Clause
#
# Whether Tpetra protects what these headers take, so that they compile. -D sets them without a look.
#
# Trident_GRAPH_ACCESS: src/tpetra/Trident_GraphAccess.hpp. Where it is OFF a product makes two
# reductions more, and does not see contributions of a C to rows of other ranks.
# Trident_IMPORT_ACCESS: src/tpetra/Trident_ImportAccess.hpp. Where it is OFF Tpetra finds out on the
# host, for each remote column of a product, what is known.
#
# Inside Trilinos nothing can be compiled against Tpetra before it is built. There they are ON.

if(COMMAND tribits_package)
  option(Trident_GRAPH_ACCESS "Take what Tpetra's graphs and matrices protect" ON)
  option(Trident_IMPORT_ACCESS "Take what Tpetra's Imports protect" ON)
  return()
endif()

include(CheckCXXSourceCompiles)

function(trident_probe_tpetra_access header uses result)
  set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)  # compile, do not link
  set(CMAKE_REQUIRED_LIBRARIES Trident::trilinos_tpetra MPI::MPI_CXX)
  set(CMAKE_REQUIRED_INCLUDES ${PROJECT_SOURCE_DIR}/src/tpetra)
  check_cxx_source_compiles("
    #include <${header}>
    #include <Tpetra_CrsMatrix.hpp>
    ${uses}
    int main() { return 0; }" ${result})
endfunction()
trident_probe_tpetra_access(Trident_GraphAccess.hpp
  "template struct Trident::Impl::GraphAccess<Tpetra::CrsMatrix<>>;" Trident_GRAPH_ACCESS)
trident_probe_tpetra_access(Trident_ImportAccess.hpp "
  using Map = Tpetra::Map<>;
  template class Trident::Impl::ImportAccess<
    Map::local_ordinal_type, Map::global_ordinal_type, Map::node_type>;
  " Trident_IMPORT_ACCESS)
