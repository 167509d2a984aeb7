// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_COMMUNICATOR_HPP
#define TRIDENT_COMMUNICATOR_HPP

#include <mpi.h>

#include <vector>

namespace Trident::Impl {

/// Owns a communicator that returns errors instead of aborting. Freed with the object (collective
/// over it), or left to MPI where MPI has ended before or a wait was given up (Trident_Wait.hpp).
class Communicator {
 public:
  Communicator() = default;
  static Communicator duplicate(MPI_Comm comm);                  ///< collective over `comm`
  static Communicator split(MPI_Comm comm, int color, int key);  ///< collective over `comm`
  /// The ranks of `comm` that share memory with this one, in its order. Collective over `comm`.
  static Communicator ofHost(MPI_Comm comm);
  ~Communicator();
  Communicator(Communicator&& other) noexcept;
  Communicator& operator=(Communicator&& other) noexcept;

  MPI_Comm get() const { return comm_; }
  int rank() const { return rank_; }
  int size() const { return size_; }

 private:
  explicit Communicator(MPI_Comm owned);
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
};

/// The ranks of `comm` in MPI_COMM_WORLD, in its order; negative for a process that is not there.
/// Local.
std::vector<int> worldRanksOf(MPI_Comm comm);

}  // namespace Trident::Impl

#endif
