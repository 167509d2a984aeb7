// SPDX-License-Identifier: BSD-3-Clause
// Functions that find shared GPUs, select a GPU on another thread, and copy to and from a GPU. A
// build without CUDA has no GPU.
#ifndef TRIDENT_GPU_HPP
#define TRIDENT_GPU_HPP

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "base/Trident_Memory.hpp"

namespace Trident::Impl {

/// Returns an empty text if every rank of `comm` has a GPU that no other rank of `comm` uses. Else
/// returns the reason, equal on all ranks: two ranks share a GPU, CUDA fails to describe one, or
/// the build has no CUDA. Compares UUIDs, which are unique across hosts, and the same in all
/// containers and network namespaces. Collective over `comm`.
std::string whyGpusAreShared(MPI_Comm comm);

/// Returns a function that another thread calls to select this thread's device. A new thread begins
/// with the first device.
std::function<void()> deviceOfThisThread();

/// A queue of copies between devices and pinned memory, during which the host does other work.
/// Without CUDA, copy() returns when the copy is done.
class CopyStream {
 public:
  /// @param slots number of names for copies. Copies under way need different names to be told
  ///   apart.
  explicit CopyStream(int slots);
  ~CopyStream();  ///< blocks until all copies are done

  /// Starts a copy with the name `slot`. Kernels that write the copied bytes must have ended.
  void copy(int slot, void* to, MemoryKind toKind, const void* from, MemoryKind fromKind,
            std::size_t bytes);
  /// Returns true if all copies with the name `slot` are done.
  bool done(int slot);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace Trident::Impl

#endif
