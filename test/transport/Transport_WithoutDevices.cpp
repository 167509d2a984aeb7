// SPDX-License-Identifier: BSD-3-Clause
// Refusals of a build without CUDA where GPUs or NCCL are asked for.
#include <mpi.h>

#include <Teuchos_UnitTestHarness.hpp>
#include <string>

#include "Trident_Error.hpp"
#include "transport/Trident_Gpu.hpp"
#include "transport/Trident_NcclCommunicator.hpp"

namespace Trident::Impl {
namespace {

TEUCHOS_UNIT_TEST(WithoutDevices, Nccl) {
  TEST_ASSERT(NcclCommunicator::whyNot(MPI_COMM_WORLD).find("Trident_ENABLE_NCCL") !=
              std::string::npos);
  TEST_THROW(NcclCommunicator{MPI_COMM_WORLD}, Error);
}

TEUCHOS_UNIT_TEST(WithoutDevices, Gpus) {
  TEST_ASSERT(whyGpusAreShared(MPI_COMM_WORLD).find("Trident_ENABLE_CUDA") != std::string::npos);
  TEST_NOTHROW(deviceOfThisThread()());  // a thread of a host has no device to set
}

}  // namespace

}  // namespace Trident::Impl
