// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime_api.h>
#include <mpi.h>

#include <stdexcept>
#include <string>

#include "Peers_Device.hpp"

namespace Peers {
namespace {

void check(cudaError_t code, const char* what) {
  if (code != cudaSuccess)
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(code));
}

/// Returns this rank's number among those of its machine. Collective.
int localRank() {
  MPI_Comm machine;
  int rank = 0;
  if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine) !=
          MPI_SUCCESS ||
      MPI_Comm_rank(machine, &rank) != MPI_SUCCESS || MPI_Comm_free(&machine) != MPI_SUCCESS)
    throw std::runtime_error("MPI does not say which ranks share a machine");
  return rank;
}

}  // namespace

bool onDevice() { return true; }

void chooseDevice() {
  const int rank = localRank();
  int count = 0;
  check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  if (count == 0) throw std::runtime_error("no GPU is visible");
  check(cudaSetDevice(rank % count), "cudaSetDevice");
}

void finishDevice() { check(cudaDeviceSynchronize(), "cudaDeviceSynchronize"); }

}  // namespace Peers
