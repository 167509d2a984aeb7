// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_STUBNCCL_HPP
#define TRIDENT_STUBNCCL_HPP

#include <mpi.h>

/// \file Trident_StubNccl.hpp
/// Stands for NCCL and CUDA's streams between ranks of one host without a GPU, as far as
/// Trident_NcclCommunicator_Nccl.cpp uses them. Communicators are made when all ranks ask for them,
/// a group's transfers come onto the stream some time after its end, only the outermost group's end
/// begins them, and nothing moves but when somebody asks.

namespace TridentTest {

/// Orders of a rank, and what it did.
struct StubNccl {
  enum class Fails { Nowhere, AtOnce, Later, SplitAtOnce, SplitLater };
  Fails fails = Fails::Nowhere;  ///< failure as this rank's next communicator is made or split
  int alive = 0;                 ///< communicators that were neither destroyed nor aborted
};

StubNccl& stubNccl();

/// Makes the memory through which ranks meet, which stays. Collective, once, before all else.
void startStubNccl(MPI_Comm comm);

}  // namespace TridentTest

#endif
