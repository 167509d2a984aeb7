// SPDX-License-Identifier: BSD-3-Clause
#include "grid/Trident_Communicator.hpp"

#include <utility>

#include "base/Trident_Mpi.hpp"
#include "base/Trident_Wait.hpp"

namespace Trident::Impl {
namespace {

/// Returns the rank in `to` of the process with `rank` in `from`; negative if there is none.
int translatedRank(MPI_Comm from, int rank, MPI_Comm to) {
  MPI_Group group = MPI_GROUP_NULL, there = MPI_GROUP_NULL;
  int translated = -1;
  TRIDENT_MPI_CHECK(MPI_Comm_group(from, &group));
  TRIDENT_MPI_CHECK(MPI_Comm_group(to, &there));
  TRIDENT_MPI_CHECK(MPI_Group_translate_ranks(group, 1, &rank, there, &translated));
  TRIDENT_MPI_CHECK(MPI_Group_free(&group));
  TRIDENT_MPI_CHECK(MPI_Group_free(&there));
  return translated;
}

}  // namespace

Communicator::Communicator(MPI_Comm owned) : comm_(owned) {
  TRIDENT_MPI_CHECK(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN));
  TRIDENT_MPI_CHECK(MPI_Comm_rank(comm_, &rank_));
  TRIDENT_MPI_CHECK(MPI_Comm_size(comm_, &size_));
}

Communicator Communicator::duplicate(MPI_Comm comm) {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  TRIDENT_MPI_CHECK(MPI_Comm_group(comm, &group));
  const int made = MPI_Comm_create(comm, group, &copy);
  TRIDENT_MPI_CHECK(MPI_Group_free(&group));
  checkMpi(made, "MPI_Comm_create", __FILE__, __LINE__);
  return Communicator(copy);
}

Communicator Communicator::split(MPI_Comm comm, int color, int key) {
  MPI_Comm part = MPI_COMM_NULL;
  TRIDENT_MPI_CHECK(MPI_Comm_split(comm, color, key, &part));
  return Communicator(part);
}

Communicator Communicator::ofHost(MPI_Comm comm) {
  MPI_Comm host = MPI_COMM_NULL;
  TRIDENT_MPI_CHECK(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host));
  return Communicator(host);
}

Communicator::~Communicator() {
  if (comm_ == MPI_COMM_NULL) return;
  int finalized = 0;
  TRIDENT_MPI_CHECK_NOTHROW(MPI_Finalized(&finalized));
  if (!finalized && whyAbandoned().empty()) TRIDENT_MPI_CHECK_NOTHROW(MPI_Comm_free(&comm_));
}

Communicator::Communicator(Communicator&& other) noexcept
    : comm_(std::exchange(other.comm_, MPI_COMM_NULL)), rank_(other.rank_), size_(other.size_) {}

Communicator& Communicator::operator=(Communicator&& other) noexcept {
  std::swap(comm_, other.comm_);
  std::swap(rank_, other.rank_);
  std::swap(size_, other.size_);
  return *this;
}

bool sameRanksHere(MPI_Comm one, MPI_Comm other) {
  if (one == other) return true;
  const auto sizeAndRank = [](MPI_Comm comm) {
    int size = 0, rank = 0;
    TRIDENT_MPI_CHECK(MPI_Comm_size(comm, &size));
    TRIDENT_MPI_CHECK(MPI_Comm_rank(comm, &rank));
    return std::make_pair(size, rank);
  };
  const auto [size, rank] = sizeAndRank(one);
  if (sizeAndRank(other) != std::make_pair(size, rank)) return false;
  const int next = (rank + 1) % size;
  return translatedRank(one, next, other) == next;
}

int worldRankOf(MPI_Comm comm, int rank) { return translatedRank(comm, rank, MPI_COMM_WORLD); }

}  // namespace Trident::Impl
