// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_Communicator.hpp"

#include <utility>

#include "Trident_MpiCheck.hpp"

namespace Trident {

Communicator::Communicator(MPI_Comm owned) : comm_(owned) {
  TRIDENT_MPI_CHECK(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN));
  TRIDENT_MPI_CHECK(MPI_Comm_rank(comm_, &rank_));
  TRIDENT_MPI_CHECK(MPI_Comm_size(comm_, &size_));
}

Communicator Communicator::duplicate(MPI_Comm comm) {
  MPI_Comm copy = MPI_COMM_NULL;
  TRIDENT_MPI_CHECK(MPI_Comm_dup(comm, &copy));
  return Communicator(copy);
}

Communicator Communicator::split(MPI_Comm comm, int color, int key) {
  MPI_Comm part = MPI_COMM_NULL;
  TRIDENT_MPI_CHECK(MPI_Comm_split(comm, color, key, &part));
  return Communicator(part);
}

Communicator::~Communicator() {
  if (comm_ == MPI_COMM_NULL) return;
  int finalized = 0;
  TRIDENT_MPI_CHECK_NOTHROW(MPI_Finalized(&finalized));
  if (!finalized) TRIDENT_MPI_CHECK_NOTHROW(MPI_Comm_free(&comm_));
}

Communicator::Communicator(Communicator&& other) noexcept
    : comm_(std::exchange(other.comm_, MPI_COMM_NULL)), rank_(other.rank_), size_(other.size_) {}

Communicator& Communicator::operator=(Communicator&& other) noexcept {
  std::swap(comm_, other.comm_);
  std::swap(rank_, other.rank_);
  std::swap(size_, other.size_);
  return *this;
}

}  // namespace Trident
