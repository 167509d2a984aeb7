// SPDX-License-Identifier: BSD-3-Clause
// A build without NCCL: whyNot() returns that reason, and nobody can make a communicator.
#include "Trident_Error.hpp"
#include "transport/Trident_NcclCommunicator.hpp"

namespace Trident::Impl {
namespace {

constexpr const char* reason = "Trident was built without NCCL (Trident_ENABLE_NCCL)";

[[noreturn]] void refuse() { throw Error("Trident::NcclCommunicator", reason); }

}  // namespace

struct NcclCommunicator::State {};

std::string NcclCommunicator::whyNot(MPI_Comm) { return reason; }
NcclCommunicator::NcclCommunicator(MPI_Comm) { refuse(); }
NcclCommunicator::~NcclCommunicator() = default;
NcclCommunicator::Ticket NcclCommunicator::start(const std::vector<NcclTransfer>&) { refuse(); }
NcclCommunicator::Ticket NcclCommunicator::copyToHost(void*, const void*, std::size_t) { refuse(); }
bool NcclCommunicator::test(Ticket) { refuse(); }
void NcclCommunicator::wait(Ticket) { refuse(); }
bool NcclCommunicator::failed() const { return true; }

}  // namespace Trident::Impl
