// SPDX-License-Identifier: BSD-3-Clause
#include "transport/Trident_PeerMemory.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <exception>
#include <random>
#include <type_traits>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Mpi.hpp"
#include "base/Trident_Wait.hpp"

namespace Trident::Impl {
namespace {

using PeerMark = std::array<unsigned char, 16>;

PeerMark randomPeerMark() {
  std::random_device device;
  PeerMark mark;
  for (unsigned char& byte : mark) byte = static_cast<unsigned char>(device());
  return mark;
}

auto kokkosSpace() {
  return Kokkos::Tools::make_space_handle(Kokkos::DefaultExecutionSpace::memory_space::name());
}

}  // namespace

/// The facts about a rank's allocation that other ranks need.
struct PeerMemory::Offer {
  IpcHandle handle{};
  PeerMark mark{};
  unsigned long long bytes = 0;  // 0: no allocation
};

PeerMemory::PeerMemory(MPI_Comm node, std::size_t bytes, const std::string& label,
                       IpcDevice& device)
    : node_(node), label_(label), device_(device) {
  static_assert(std::is_trivially_copyable<Offer>::value, "travels as bytes");
  int size = 1;
  TRIDENT_MPI_CHECK(MPI_Comm_rank(node, &me_));
  TRIDENT_MPI_CHECK(MPI_Comm_size(node, &size));
  arrays_.resize(size, nullptr);
  bytes_ = std::max(bytes, (size + 1) * sizeof(PeerMark));  // with room for the marks
  std::vector<Offer> offers(size);
  Offer mine;
  LocalFailure failure;
  try {
    failure.guard([&] { mine = offer(); });
    allGather(&mine, sizeof mine, MPI_BYTE, offers.data(), node,
              "where the device memory of a node's ranks is");
    failure.guard([&] { open(offers); });
    failure.guard([&] { requireMarks(offers); });
    throwEverywhere(node, failure.text());
  } catch (...) {
    leave();
    throw;
  }
}

/// Allocates this rank's memory, and writes a mark there.
PeerMemory::Offer PeerMemory::offer() {
  Offer mine;
  mine.mark = randomPeerMark();
  char* const own = arrays_[me_] = device_.allocate(bytes_);
  Kokkos::Tools::allocateData(kokkosSpace(), label_, own, bytes_);
  noted_ = true;
  mine.handle = device_.handleOf(own);
  device_.copy(own, mine.mark.data(), sizeof(PeerMark));
  mine.bytes = bytes_;
  return mine;
}

/// Opens the other ranks' memory. Skips ranks without memory, which report their own failures.
void PeerMemory::open(const std::vector<Offer>& offers) {
  for (std::size_t k = 0; k < offers.size(); ++k) {
    if (static_cast<int>(k) == me_ || offers[k].bytes == 0) continue;
    if (offers[k].bytes != bytes_)
      throw Error("rank " + std::to_string(k) + " of the node shares " +
                  std::to_string(offers[k].bytes) + " bytes and not " + std::to_string(bytes_));
    try {
      arrays_[k] = device_.open(offers[k].handle);
    } catch (const Error& e) {
      throw Error("the device memory of rank " + std::to_string(k) +
                  " of the node cannot be opened (" + e.problem() +
                  "): its GPU cannot be reached from here, or it runs on another host or in "
                  "another container");
    }
  }
}

/// Copies the other ranks' marks into this rank's memory, and throws if one is not as expected.
void PeerMemory::requireMarks(const std::vector<Offer>& offers) {
  for (std::size_t k = 0; k < offers.size(); ++k) {
    if (static_cast<int>(k) == me_ || offers[k].bytes == 0) continue;
    PeerMark came{};
    char* const place = data() + (k + 1) * sizeof(PeerMark);
    device_.copy(place, arrays_[k], sizeof(PeerMark));
    device_.copy(came.data(), place, sizeof(PeerMark));
    if (came != offers[k].mark)
      throw Error("what was opened is not the device memory of rank " + std::to_string(k) +
                  " of the node: it runs on another host or in another container, or its GPU "
                  "cannot be read from here");
  }
}

void PeerMemory::noteFreed() {
  if (noted_ && Kokkos::is_initialized())  // skipped if Kokkos has ended before MPI
    Kokkos::Tools::deallocateData(kokkosSpace(), label_, data(), bytes_);
}

void PeerMemory::leave() noexcept {
  try {
    int finalized = 0;
    TRIDENT_MPI_CHECK(MPI_Finalized(&finalized));
    if (finalized || !whyAbandoned().empty()) return;  // keeps memory that a rank may still read
    for (std::size_t k = 0; k < arrays_.size(); ++k)
      if (static_cast<int>(k) != me_ && arrays_[k]) device_.close(arrays_[k]);
    barrier(node_, "the ranks of the node to close each other's device memory");
    if (!data()) return;
    device_.free(data());
    noteFreed();
  } catch (const std::exception&) {  // nothing is left to do
  }
}

PeerMemory::~PeerMemory() { leave(); }

}  // namespace Trident::Impl
