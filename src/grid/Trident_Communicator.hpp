// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_COMMUNICATOR_HPP
#define TRIDENT_COMMUNICATOR_HPP

#include <mpi.h>

namespace Trident::Impl {

/// Owns a communicator that returns errors instead of aborting. The destructor is collective, and
/// frees the communicator unless MPI has ended or a wait has timed out (Trident_Wait.hpp).
class Communicator {
 public:
  Communicator() = default;
  /// Makes a communicator of the same ranks in the same order. Unlike MPI_Comm_dup(), copies no
  /// attributes, and so calls no callbacks of the program. Collective over `comm`.
  static Communicator duplicate(MPI_Comm comm);
  static Communicator split(MPI_Comm comm, int color, int key);  ///< collective over `comm`
  /// Makes a communicator of the ranks of `comm` that share memory with this one, in the order of
  /// `comm`. Collective over `comm`.
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

/// Returns true if both communicators have the same size, the same rank for this process, and the
/// same process at the next rank. If all ranks of `one` get true, both communicators have the same
/// ranks in the same order. Local; takes n steps for n ranks. MPI_Comm_compare takes n² steps (Open
/// MPI 4.1), unless one communicator is a duplicate of the other.
bool sameRanksHere(MPI_Comm one, MPI_Comm other);

/// Returns the rank in MPI_COMM_WORLD of a rank of `comm`; negative if the process is not in
/// MPI_COMM_WORLD. Local; takes as many steps as there are ranks.
int worldRankOf(MPI_Comm comm, int rank);

}  // namespace Trident::Impl

#endif
