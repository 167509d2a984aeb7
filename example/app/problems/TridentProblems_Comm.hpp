// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_COMM_HPP
#define TRIDENTPROBLEMS_COMM_HPP

#include <mpi.h>

#include <cstdint>
#include <exception>
#include <limits>
#include <string>

#include "TridentProblems_Types.hpp"

/// \file TridentProblems_Comm.hpp
/// MPI with checked return codes, and errors that reach every rank.

namespace Trident {
namespace Problems {

/// Throws MatrixError naming `call` and MPI's own explanation unless `code` is MPI_SUCCESS.
void checkMpi(int code, const std::string& call);

/// A private duplicate of a Teuchos communicator, so that no message of ours meets the caller's.
/// Making one is collective.
class Comm {
 public:
  explicit Comm(const comm_type& teuchosComm);
  ~Comm();
  Comm(const Comm&) = delete;
  Comm& operator=(const Comm&) = delete;

  MPI_Comm get() const { return comm_; }
  int rank() const { return rank_; }
  int size() const { return size_; }

  /// \name Collective reductions of one number a rank
  ///@{
  std::int64_t sum(std::int64_t mine) const;
  double sumReal(double mine) const;
  /// Sums modulo 2^64.
  std::uint64_t sumBits(std::uint64_t mine) const;
  std::int64_t min(std::int64_t mine) const;
  double max(double mine) const;
  /// Sums over the ranks before this one.
  std::int64_t sumBefore(std::int64_t mine) const;
  ///@}

  /// Returns `text` of rank `root`, on every rank. Collective.
  std::string broadcast(const std::string& text, int root) const;
  /// Copies `bytes` bytes at `data` of rank `root` to every rank. Collective.
  void broadcast(void* data, int bytes, int root) const;

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
};

/// Collective. Throws MatrixError on every rank if any rank has `failed`: the message is that of
/// the failed rank with the smallest `key` (a line number, say), the lowest rank where keys tie.
void throwEverywhere(const Comm& comm, bool failed, const std::string& message,
                     std::int64_t key = 0);

/// Runs `work()`, which must not communicate, on every rank. If it throws on some rank, throws
/// MatrixError with that rank's message on all of them. Collective.
template <class Work>
void collectively(const Comm& comm, Work&& work) {
  std::string message;
  bool failed = true;
  try {
    work();
    failed = false;
  } catch (const std::bad_alloc&) {
    message = "rank " + std::to_string(comm.rank()) + " of " + std::to_string(comm.size()) +
              " is out of memory: use more ranks or a smaller matrix";
  } catch (const std::exception& e) {
    message = e.what();
  }
  throwEverywhere(comm, failed, message);
}

}  // namespace Problems
}  // namespace Trident

#endif
