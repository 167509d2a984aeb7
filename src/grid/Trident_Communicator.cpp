// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_Communicator.hpp"

#include <numeric>
#include <utility>

#include "Trident_MpiCheck.hpp"
#include "Trident_Wait.hpp"

namespace Trident::Impl {

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

std::vector<int> worldRanksOf(MPI_Comm comm) {
  MPI_Group group = MPI_GROUP_NULL, world = MPI_GROUP_NULL;
  int size = 0;
  TRIDENT_MPI_CHECK(MPI_Comm_group(comm, &group));
  TRIDENT_MPI_CHECK(MPI_Comm_group(MPI_COMM_WORLD, &world));
  TRIDENT_MPI_CHECK(MPI_Group_size(group, &size));
  std::vector<int> ranks(size), there(size, -1);
  std::iota(ranks.begin(), ranks.end(), 0);
  TRIDENT_MPI_CHECK(MPI_Group_translate_ranks(group, size, ranks.data(), world, there.data()));
  TRIDENT_MPI_CHECK(MPI_Group_free(&group));
  TRIDENT_MPI_CHECK(MPI_Group_free(&world));
  return there;
}

}  // namespace Trident::Impl
