// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_Comm.hpp"

#include <Teuchos_DefaultMpiComm.hpp>

namespace Trident {
namespace Problems {

void checkMpi(int code, const std::string& call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) length = 0;
  throw MatrixError(call + " failed: " + std::string(text, static_cast<std::size_t>(length)));
}

namespace {
MPI_Comm rawComm(const comm_type& comm) {
  const auto* mpiComm = dynamic_cast<const Teuchos::MpiComm<int>*>(&comm);
  return mpiComm != nullptr ? (*mpiComm->getRawMpiComm())() : MPI_COMM_SELF;
}
}  // namespace

Comm::Comm(const comm_type& teuchosComm) {
  checkMpi(MPI_Comm_dup(rawComm(teuchosComm), &comm_), "MPI_Comm_dup");
  checkMpi(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
  checkMpi(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
}

Comm::~Comm() {
  // A destructor cannot throw, and nothing can be done about a communicator that is not freed.
  if (comm_ != MPI_COMM_NULL) static_cast<void>(MPI_Comm_free(&comm_));
}

std::int64_t Comm::sum(std::int64_t mine) const {
  std::int64_t all = 0;
  checkMpi(MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, comm_), "MPI_Allreduce");
  return all;
}

double Comm::sumReal(double mine) const {
  double all = 0;
  checkMpi(MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, comm_), "MPI_Allreduce");
  return all;
}

std::uint64_t Comm::sumBits(std::uint64_t mine) const {
  std::uint64_t all = 0;
  checkMpi(MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, comm_), "MPI_Allreduce");
  return all;
}

std::int64_t Comm::min(std::int64_t mine) const {
  std::int64_t all = 0;
  checkMpi(MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_MIN, comm_), "MPI_Allreduce");
  return all;
}

double Comm::max(double mine) const {
  double all = 0;
  checkMpi(MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, comm_), "MPI_Allreduce");
  return all;
}

std::int64_t Comm::sumBefore(std::int64_t mine) const {
  std::int64_t before = 0;
  checkMpi(MPI_Exscan(&mine, &before, 1, MPI_INT64_T, MPI_SUM, comm_), "MPI_Exscan");
  return rank_ == 0 ? 0 : before;  // MPI leaves rank 0's result undefined
}

void Comm::broadcast(void* data, int bytes, int root) const {
  checkMpi(MPI_Bcast(data, bytes, MPI_BYTE, root, comm_), "MPI_Bcast");
}

std::string Comm::broadcast(const std::string& text, int root) const {
  std::int64_t length = static_cast<std::int64_t>(text.size());
  broadcast(&length, static_cast<int>(sizeof length), root);
  std::string copy = text;
  copy.resize(static_cast<std::size_t>(length));
  broadcast(&copy[0], static_cast<int>(length), root);
  return copy;
}

void throwEverywhere(const Comm& comm, bool failed, const std::string& message, std::int64_t key) {
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  if (comm.sum(failed ? 1 : 0) == 0) return;
  const std::int64_t first = comm.min(failed ? key : none);
  const std::int64_t rank = comm.min(failed && key == first ? comm.rank() : none);
  throw MatrixError(comm.broadcast(message, static_cast<int>(rank)));
}

}  // namespace Problems
}  // namespace Trident
