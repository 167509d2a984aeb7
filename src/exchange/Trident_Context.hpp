// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_CONTEXT_HPP
#define TRIDENT_CONTEXT_HPP

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "exchange/Trident_GridExchanges.hpp"
#include "grid/Trident_NodeLayout.hpp"
#include "grid/Trident_ProcessGrid.hpp"

namespace Trident::Impl {

/// The objects that are made once for a communicator: a duplicate of the communicator, the nodes,
/// and the grids. An MPI attribute of the communicator holds the context. The context is released
/// by MPI_Comm_free, by release(), or when MPI_Finalize begins, whichever comes first. The end of
/// Kokkos frees only Kokkos' memory in these objects, because Kokkos may end on one rank alone.
class Context {
 public:
  /// Returns the context of `comm`. The first call for a communicator is collective over it. That
  /// call, and create(), throw Trident::Error on every rank if another thread of some rank is
  /// inside Trident.
  static Context& of(MPI_Comm comm);

  /// Makes the context of `comm` for given hosts in place of the detected hosts. A host is any
  /// label, one for each rank. Replaces an existing context. Throws Trident::Error on every rank if
  /// ranks differ in `hostOfRank`, or if its size is not the number of ranks. For tests, and for
  /// launchers that know the hosts better. Collective over `comm`.
  static Context& create(MPI_Comm comm, const std::vector<int>& hostOfRank);

  /// Releases the context of `comm`, if any, with its communicators and workspaces. Collective.
  static void release(MPI_Comm comm);

  /// Makes MPI_Finalize release all contexts when it begins, in order of creation. Work that is
  /// registered later runs earlier (atMpiEnd()). Local; the releases are collective.
  static void endWithMpi();

  MPI_Comm comm() const { return own_->all.get(); }
  /// Returns the ranks of this context. They may outlive the context, like the result of
  /// sharedLayout().
  const std::shared_ptr<const OwnRanks>& ownRanks() const { return own_; }

  /// Returns the layout of grids of this order, for this number of "ranks per node". If the number
  /// is 0, the sizes of the hosts decide. In SUMMA's order the grid ignores the machine's nodes.
  const NodeLayout& layout(int ranksPerNode, RoundOrder order = RoundOrder::Cannon) {
    return *sharedLayout(ranksPerNode, order);
  }
  std::shared_ptr<const NodeLayout> sharedLayout(int ranksPerNode, RoundOrder order);

  /// Returns all ranks in grid order, for this number of "ranks per node". Makes no grid. The first
  /// call with the same arguments is collective over comm().
  const GridRanks& ranks(int ranksPerNode, RoundOrder order = RoundOrder::Cannon);

  /// Returns the grid of `shape`, whose λ must be that of layout(). The first call with the same
  /// arguments is collective over comm(). The grid is shared: a GridMatrix holds it, too.
  std::shared_ptr<GridExchanges> grid(int ranksPerNode, const GridShape& shape);

  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

 private:
  static void releaseAll();
  /// @param given the hosts of all ranks; if empty, the hosts are detected
  Context(MPI_Comm comm, const std::vector<int>& given);
  static Context& make(MPI_Comm comm, const std::vector<int>& given);

  std::shared_ptr<const OwnRanks> own_;
  std::vector<int> hostOfRank_;
  std::map<std::tuple<int, RoundOrder>, std::shared_ptr<const NodeLayout>> layouts_;
  std::map<std::tuple<int, RoundOrder>, GridRanks> ranks_;
  std::map<std::tuple<int, RoundOrder, int, int>, std::shared_ptr<GridExchanges>> grids_;
};

}  // namespace Trident::Impl

#endif
