// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TESTCOLLECTIVES_HPP
#define TRIDENT_TESTCOLLECTIVES_HPP

#include <mpi.h>

#include <string>
#include <vector>

#include "base/Trident_Wait.hpp"

/// \file Trident_TestCollectives.hpp
/// Lists the collective calls of this rank, through MPI's profiling interface. Those of
/// communicators of one rank are left out: nobody waits in them. Defines MPI functions: to be
/// included by one source of a program.

namespace TridentTest {

/// A collective call. Trident says what it waits for; where it does not, Tpetra calls.
struct Collective {
  std::string function;
  std::string what;  ///< words for what Trident waits for; empty where Tpetra calls
};

inline std::vector<Collective>& collectives() {
  static std::vector<Collective> calls;
  return calls;
}

inline void noteCollective(const char* function, MPI_Comm comm) {
  int size = 1;
  PMPI_Comm_size(comm, &size);
  if (size == 1) return;
  const std::string status = Trident::Impl::statusText(), waits = "waits for ";
  const std::size_t at = status.find(waits);
  collectives().push_back(
      {function, at == std::string::npos ? "" : status.substr(at + waits.size())});
}

}  // namespace TridentTest

extern "C" {

int MPI_Barrier(MPI_Comm comm) {
  TridentTest::noteCollective("MPI_Barrier", comm);
  return PMPI_Barrier(comm);
}
int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  TridentTest::noteCollective("MPI_Ibarrier", comm);
  return PMPI_Ibarrier(comm, request);
}
int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  TridentTest::noteCollective("MPI_Bcast", comm);
  return PMPI_Bcast(data, count, type, root, comm);
}
int MPI_Ibcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm,
               MPI_Request* request) {
  TridentTest::noteCollective("MPI_Ibcast", comm);
  return PMPI_Ibcast(data, count, type, root, comm, request);
}
int MPI_Reduce(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm) {
  TridentTest::noteCollective("MPI_Reduce", comm);
  return PMPI_Reduce(mine, all, count, type, op, root, comm);
}
int MPI_Allreduce(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  TridentTest::noteCollective("MPI_Allreduce", comm);
  return PMPI_Allreduce(mine, all, count, type, op, comm);
}
int MPI_Iallreduce(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Request* request) {
  TridentTest::noteCollective("MPI_Iallreduce", comm);
  return PMPI_Iallreduce(mine, all, count, type, op, comm, request);
}
int MPI_Reduce_scatter(const void* mine, void* all, const int* counts, MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm) {
  TridentTest::noteCollective("MPI_Reduce_scatter", comm);
  return PMPI_Reduce_scatter(mine, all, counts, type, op, comm);
}
int MPI_Reduce_scatter_block(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op,
                             MPI_Comm comm) {
  TridentTest::noteCollective("MPI_Reduce_scatter_block", comm);
  return PMPI_Reduce_scatter_block(mine, all, count, type, op, comm);
}
int MPI_Scan(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  TridentTest::noteCollective("MPI_Scan", comm);
  return PMPI_Scan(mine, all, count, type, op, comm);
}
int MPI_Exscan(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op,
               MPI_Comm comm) {
  TridentTest::noteCollective("MPI_Exscan", comm);
  return PMPI_Exscan(mine, all, count, type, op, comm);
}
int MPI_Gather(const void* mine, int count, MPI_Datatype type, void* all, int counts,
               MPI_Datatype types, int root, MPI_Comm comm) {
  TridentTest::noteCollective("MPI_Gather", comm);
  return PMPI_Gather(mine, count, type, all, counts, types, root, comm);
}
int MPI_Scatter(const void* all, int counts, MPI_Datatype types, void* mine, int count,
                MPI_Datatype type, int root, MPI_Comm comm) {
  TridentTest::noteCollective("MPI_Scatter", comm);
  return PMPI_Scatter(all, counts, types, mine, count, type, root, comm);
}
int MPI_Allgather(const void* mine, int count, MPI_Datatype type, void* all, int counts,
                  MPI_Datatype types, MPI_Comm comm) {
  TridentTest::noteCollective("MPI_Allgather", comm);
  return PMPI_Allgather(mine, count, type, all, counts, types, comm);
}
int MPI_Iallgather(const void* mine, int count, MPI_Datatype type, void* all, int counts,
                   MPI_Datatype types, MPI_Comm comm, MPI_Request* request) {
  TridentTest::noteCollective("MPI_Iallgather", comm);
  return PMPI_Iallgather(mine, count, type, all, counts, types, comm, request);
}
int MPI_Allgatherv(const void* mine, int count, MPI_Datatype type, void* all, const int* counts,
                   const int* offsets, MPI_Datatype types, MPI_Comm comm) {
  TridentTest::noteCollective("MPI_Allgatherv", comm);
  return PMPI_Allgatherv(mine, count, type, all, counts, offsets, types, comm);
}
int MPI_Iallgatherv(const void* mine, int count, MPI_Datatype type, void* all, const int* counts,
                    const int* offsets, MPI_Datatype types, MPI_Comm comm, MPI_Request* request) {
  TridentTest::noteCollective("MPI_Iallgatherv", comm);
  return PMPI_Iallgatherv(mine, count, type, all, counts, offsets, types, comm, request);
}
int MPI_Alltoall(const void* mine, int count, MPI_Datatype type, void* all, int counts,
                 MPI_Datatype types, MPI_Comm comm) {
  TridentTest::noteCollective("MPI_Alltoall", comm);
  return PMPI_Alltoall(mine, count, type, all, counts, types, comm);
}
int MPI_Ialltoall(const void* mine, int count, MPI_Datatype type, void* all, int counts,
                  MPI_Datatype types, MPI_Comm comm, MPI_Request* request) {
  TridentTest::noteCollective("MPI_Ialltoall", comm);
  return PMPI_Ialltoall(mine, count, type, all, counts, types, comm, request);
}
int MPI_Alltoallv(const void* mine, const int* counts, const int* offsets, MPI_Datatype type,
                  void* all, const int* allCounts, const int* allOffsets, MPI_Datatype types,
                  MPI_Comm comm) {
  TridentTest::noteCollective("MPI_Alltoallv", comm);
  return PMPI_Alltoallv(mine, counts, offsets, type, all, allCounts, allOffsets, types, comm);
}
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
  TridentTest::noteCollective("MPI_Comm_dup", comm);
  return PMPI_Comm_dup(comm, made);
}
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
  TridentTest::noteCollective("MPI_Comm_split", comm);
  return PMPI_Comm_split(comm, color, key, made);
}
int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* made) {
  TridentTest::noteCollective("MPI_Comm_create", comm);
  return PMPI_Comm_create(comm, group, made);
}
int MPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base,
                     MPI_Win* made) {
  TridentTest::noteCollective("MPI_Win_allocate", comm);
  return PMPI_Win_allocate(size, unit, info, comm, base, made);
}

}  // extern "C"

#endif
