// SPDX-License-Identifier: BSD-3-Clause
// The GPU of this rank: whether it has it for itself, how a thread gets to it, and copies to and
// from it. Built without CUDA there is none.
#ifndef TRIDENT_GPU_HPP
#define TRIDENT_GPU_HPP

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "base/Trident_Memory.hpp"

namespace Trident::Impl {

/// Returns an empty text if every rank of `comm` has a GPU that no other rank of it uses. Else the
/// text, equal on all ranks, says who shares which, or why a rank's GPU cannot be asked. GPUs are
/// told apart by their UUIDs, which hold across hosts, containers and network namespaces.
/// Collective over `comm`.
std::string whyGpusAreNotTheirOwn(MPI_Comm comm);

/// Returns a function that gives another thread this thread's device, since a new thread starts
/// with the first one.
std::function<void()> deviceOfThisThread();

/// Copies between devices and pinned memory that go on, one after the other, while the host does
/// something else. Where there is no such thing a copy is done at once.
class CopyStream {
 public:
  /// @param slots names for copies; those that are under way at a time and have different ones are
  ///   told apart
  explicit CopyStream(int slots);
  ~CopyStream();  ///< blocks until copies under way are done

  /// Starts a copy known as `slot`. No kernel writes its bytes any more.
  void copy(int slot, void* to, MemoryKind toKind, const void* from, MemoryKind fromKind,
            std::size_t bytes);
  /// Returns true if all copies known as `slot` are done.
  bool done(int slot);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace Trident::Impl

#endif
