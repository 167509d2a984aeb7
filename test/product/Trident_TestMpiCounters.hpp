// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TESTMPICOUNTERS_HPP
#define TRIDENT_TESTMPICOUNTERS_HPP

#include <dirent.h>
#include <mpi.h>

/// \file Trident_TestMpiCounters.hpp
/// Counts the MPI objects that a program makes and frees, through MPI's profiling interface.
/// Defines MPI functions: to be included by one source of a program.

namespace TridentTest {

struct MpiCounters {
  int commsMade = 0, commsFreed = 0, windowsMade = 0, windowsFreed = 0;
  int comms() const { return commsMade - commsFreed; }
  int windows() const { return windowsMade - windowsFreed; }
};

inline MpiCounters& mpiCounters() {
  static MpiCounters counters;
  return counters;
}

/// Counts the open file descriptors of this process.
inline int openFiles() {
  int count = 0;
  DIR* folder = opendir("/proc/self/fd");
  if (!folder) return 0;
  while (readdir(folder)) ++count;
  closedir(folder);
  return count - 3;  // ., .. and the folder itself
}

}  // namespace TridentTest

extern "C" {

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
  ++TridentTest::mpiCounters().commsMade;
  return PMPI_Comm_dup(comm, made);
}
int MPI_Comm_idup(MPI_Comm comm, MPI_Comm* made, MPI_Request* request) {
  ++TridentTest::mpiCounters().commsMade;
  return PMPI_Comm_idup(comm, made, request);
}
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
  const int code = PMPI_Comm_split(comm, color, key, made);
  if (*made != MPI_COMM_NULL) ++TridentTest::mpiCounters().commsMade;
  return code;
}
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
  const int code = PMPI_Comm_split_type(comm, type, key, info, made);
  if (*made != MPI_COMM_NULL) ++TridentTest::mpiCounters().commsMade;
  return code;
}
int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* made) {
  const int code = PMPI_Comm_create(comm, group, made);
  if (*made != MPI_COMM_NULL) ++TridentTest::mpiCounters().commsMade;
  return code;
}
int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made) {
  const int code = PMPI_Comm_create_group(comm, group, tag, made);
  if (*made != MPI_COMM_NULL) ++TridentTest::mpiCounters().commsMade;
  return code;
}
int MPI_Comm_free(MPI_Comm* comm) {
  ++TridentTest::mpiCounters().commsFreed;
  return PMPI_Comm_free(comm);
}
int MPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base,
                            MPI_Win* made) {
  ++TridentTest::mpiCounters().windowsMade;
  return PMPI_Win_allocate_shared(size, unit, info, comm, base, made);
}
int MPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base,
                     MPI_Win* made) {
  ++TridentTest::mpiCounters().windowsMade;
  return PMPI_Win_allocate(size, unit, info, comm, base, made);
}
int MPI_Win_create(void* base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm,
                   MPI_Win* made) {
  ++TridentTest::mpiCounters().windowsMade;
  return PMPI_Win_create(base, size, unit, info, comm, made);
}
int MPI_Win_free(MPI_Win* window) {
  ++TridentTest::mpiCounters().windowsFreed;
  return PMPI_Win_free(window);
}

}  // extern "C"

#endif
