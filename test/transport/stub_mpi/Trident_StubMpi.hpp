// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_STUBMPI_HPP
#define TRIDENT_STUBMPI_HPP

#include <string>

/// \file Trident_StubMpi.hpp
/// Stands for parts of an MPI that is not there: what it calls itself, and what it answers when it
/// is asked about device memory. The library trident_stub_mpi defines MPI's functions by it. It is
/// read before any other header of a test's sources (-include), so that these find the declarations
/// which only MPICH's mpi.h has.

namespace TridentTest {

/// The answers of the stub.
struct StubMpi {
  std::string name = "Stub MPI 1.0";  ///< answer of MPI_Get_library_version
  int takesDeviceMemory = 0;          ///< answer of both queries
  int status = 0;                     ///< status of MPIX_GPU_query_support; 0 is MPI_SUCCESS
};
StubMpi& stubMpi();

}  // namespace TridentTest

#define MPIX_GPU_SUPPORT_CUDA 0
extern "C" int MPIX_GPU_query_support(int kind, int* takes);

#endif
