// SPDX-License-Identifier: BSD-3-Clause
#include "base/Trident_Mpi.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "Trident_Error.hpp"
#include "base/Trident_Wait.hpp"

namespace Trident::Impl {

void checkMpi(int code, const char* call, const char* file, int line) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "unknown MPI error";
  int length = 0;
  TRIDENT_MPI_CHECK_NOTHROW(MPI_Error_string(code, text, &length));
  throw Error(std::string(file) + ":" + std::to_string(line) + ": " + call + " failed: " + text);
}

bool mpiRuns() noexcept {
  int begun = 0, ended = 0;
  TRIDENT_MPI_CHECK_NOTHROW(MPI_Initialized(&begun));
  TRIDENT_MPI_CHECK_NOTHROW(MPI_Finalized(&ended));
  return begun && !ended;
}

void requireMpi() {
  if (mpiRuns()) return;
  int ended = 0;
  TRIDENT_MPI_CHECK(MPI_Finalized(&ended));
  throw Error(std::string("MPI ") + (ended ? "has ended" : "has not begun") +
              "; call Trident between MPI_Init and MPI_Finalize");
}

namespace {

std::size_t bytesOf(long long count, MPI_Datatype type) {
  int size = 0;
  TRIDENT_MPI_CHECK(MPI_Type_size(type, &size));
  return static_cast<std::size_t>(count) * static_cast<std::size_t>(size);
}

int sizeOf(MPI_Comm comm) {
  int size = 1;
  TRIDENT_MPI_CHECK(MPI_Comm_size(comm, &size));
  return size;
}

/// Copies of the arguments of a nonblocking collective.
struct Arguments {
  Arguments(const void* send, std::size_t sendBytes, const void* receive, std::size_t receiveBytes)
      : mine(static_cast<const char*>(send), static_cast<const char*>(send) + sendBytes),
        all(static_cast<const char*>(receive), static_cast<const char*>(receive) + receiveBytes) {}

  std::vector<char> mine, all;
  std::vector<int> counts, offsets;
};

/// Waits for the collective that `start(arguments, request)` starts. If this rank gives up, MPI
/// keeps the arguments for good, because a collective cannot be cancelled. The collective goes on
/// when other ranks join it.
template <class Start>
void complete(std::unique_ptr<Arguments>& arguments, Start&& start) {
  MPI_Request request = MPI_REQUEST_NULL;
  TRIDENT_MPI_CHECK(start(*arguments, &request));
  Wait wait;
  int done = 0;
  try {
    for (;;) {
      TRIDENT_MPI_CHECK(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
      if (done) return;
      wait.goOn();
    }
  } catch (...) {
    static_cast<void>(arguments.release());
    throw;
  }
}

/// Calls `block()`. If this thread polls, calls complete() with copies of the arguments instead.
template <class Block, class Start>
void collect(const char* what, const void* send, std::size_t sendBytes, void* receive,
             std::size_t receiveBytes, Block&& block, Start&& start) {
  requireNotAbandoned();
  const WaitStatus waiting(what);
  if (!TimeoutScope::polls()) {
    TRIDENT_MPI_CHECK(block());
    return;
  }
  auto arguments = std::make_unique<Arguments>(send, sendBytes, receive, receiveBytes);
  complete(arguments, start);
  if (receive) std::copy(arguments->all.begin(), arguments->all.end(), static_cast<char*>(receive));
}

}  // namespace

void barrier(MPI_Comm comm, const char* what) {
  collect(
      what, nullptr, 0, nullptr, 0, [&] { return MPI_Barrier(comm); },
      [&](Arguments&, MPI_Request* request) { return MPI_Ibarrier(comm, request); });
}

void broadcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm,
               const char* what) {
  collect(
      what, nullptr, 0, data, bytesOf(count, type),
      [&] { return MPI_Bcast(data, count, type, root, comm); },
      [&](Arguments& a, MPI_Request* request) {
        return MPI_Ibcast(a.all.data(), count, type, root, comm, request);
      });
}

void allReduce(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
               const char* what) {
  const bool inPlace = mine == MPI_IN_PLACE;
  const std::size_t bytes = bytesOf(count, type);
  collect(
      what, inPlace ? nullptr : mine, inPlace ? 0 : bytes, all, bytes,
      [&] { return MPI_Allreduce(mine, all, count, type, op, comm); },
      [&](Arguments& a, MPI_Request* request) {
        return MPI_Iallreduce(inPlace ? MPI_IN_PLACE : a.mine.data(), a.all.data(), count, type, op,
                              comm, request);
      });
}

void allGather(const void* mine, int count, MPI_Datatype type, void* all, MPI_Comm comm,
               const char* what) {
  const std::size_t bytes = bytesOf(count, type);
  collect(
      what, mine, bytes, all, bytes * sizeOf(comm),
      [&] { return MPI_Allgather(mine, count, type, all, count, type, comm); },
      [&](Arguments& a, MPI_Request* request) {
        return MPI_Iallgather(a.mine.data(), count, type, a.all.data(), count, type, comm, request);
      });
}

void allGatherV(const void* mine, int count, MPI_Datatype type, void* all, const int* counts,
                const int* offsets, MPI_Comm comm, const char* what) {
  const int ranks = sizeOf(comm);
  long long end = 0;
  for (int r = 0; r < ranks; ++r) end = std::max<long long>(end, offsets[r] + counts[r]);
  collect(
      what, mine, bytesOf(count, type), all, bytesOf(end, type),
      [&] { return MPI_Allgatherv(mine, count, type, all, counts, offsets, type, comm); },
      [&](Arguments& a, MPI_Request* request) {
        a.counts.assign(counts, counts + ranks);
        a.offsets.assign(offsets, offsets + ranks);
        return MPI_Iallgatherv(a.mine.data(), count, type, a.all.data(), a.counts.data(),
                               a.offsets.data(), type, comm, request);
      });
}

void exclusiveScan(const void* mine, void* before, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, const char* what) {
  const std::size_t bytes = bytesOf(count, type);
  int rank = 0;
  TRIDENT_MPI_CHECK(MPI_Comm_rank(comm, &rank));
  std::vector<char> unused(rank == 0 ? bytes : 0);  // rank 0's result, which MPI leaves undefined
  void* const to = rank == 0 ? unused.data() : before;
  collect(
      what, mine, bytes, to, bytes, [&] { return MPI_Exscan(mine, to, count, type, op, comm); },
      [&](Arguments& a, MPI_Request* request) {
        return MPI_Iexscan(a.mine.data(), a.all.data(), count, type, op, comm, request);
      });
}

void allToAll(const void* mine, int count, MPI_Datatype type, void* all, MPI_Comm comm,
              const char* what) {
  const std::size_t bytes = bytesOf(count, type) * sizeOf(comm);
  collect(
      what, mine, bytes, all, bytes,
      [&] { return MPI_Alltoall(mine, count, type, all, count, type, comm); },
      [&](Arguments& a, MPI_Request* request) {
        return MPI_Ialltoall(a.mine.data(), count, type, a.all.data(), count, type, comm, request);
      });
}

}  // namespace Trident::Impl
