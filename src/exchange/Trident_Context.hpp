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

/// The objects that are made once per communicator: a duplicate of it, its nodes, and the grids on
/// them. They are cached on the communicator as an MPI attribute. They are released by
/// MPI_Comm_free of that communicator, by release(), or when MPI_Finalize begins, whichever comes
/// first. The end of Kokkos, which is local, does not release them: then only their memory of
/// Kokkos' goes (Trident_Ends.hpp).
class Context {
 public:
  /// Returns the context of `comm`; the first call on a communicator is collective over it. That
  /// call, and create(), throw Trident::Error on every rank where another thread of a rank is
  /// inside Trident.
  static Context& of(MPI_Comm comm);

  /// Makes the context of `comm` with given hosts (any label per rank) in place of the detected
  /// ones; replaces an existing one. Collective; throws Trident::Error on every rank where ranks
  /// give other hosts than each other, or not one for each rank. For tests and for launchers that
  /// know better.
  static Context& create(MPI_Comm comm, const std::vector<int>& hostOfRank);

  /// Frees communicators, windows and workspaces of `comm`'s context, if any. Collective.
  static void release(MPI_Comm comm);

  /// Makes MPI_Finalize release all contexts at its begin, in the order in which they were made.
  /// Work that is registered later runs earlier (atMpiEnd()). Local; the release is collective.
  static void endWithMpi();

  MPI_Comm comm() const { return own_->all.get(); }
  /// Returns the ranks of this context, for who keeps them longer than it lives. They outlive it,
  /// and so does sharedLayout().
  const std::shared_ptr<const OwnRanks>& ownRanks() const { return own_; }

  /// Returns the nodes for this "ranks per node" (0: hosts as they are), for grids of this order.
  /// The nodes of grids in SUMMA's order are blind to the hierarchy.
  const NodeLayout& layout(int ranksPerNode, RoundOrder order = RoundOrder::Cannon) {
    return *sharedLayout(ranksPerNode, order);
  }
  std::shared_ptr<const NodeLayout> sharedLayout(int ranksPerNode, RoundOrder order);

  /// Returns the ranks of these nodes in grid order, without a grid; collective over comm() when
  /// new.
  const GridRanks& ranks(int ranksPerNode, RoundOrder order = RoundOrder::Cannon);

  /// Returns the grid of this shape, whose λ is its layout's; collective over comm() when new. It
  /// is shared: a GridMatrix keeps its own hold.
  std::shared_ptr<GridExchanges> grid(int ranksPerNode, const GridShape& shape);

  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

 private:
  static void releaseAll();
  /// @param given hosts, or none for those that are found
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
