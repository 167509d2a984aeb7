// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NODEMEMORY_HPP
#define TRIDENT_NODEMEMORY_HPP

#include <mpi.h>

#include <cstddef>

namespace Trident::Impl {

/// An array of bytes that all ranks of a node map. All its pages are reserved before any rank may
/// touch one. So a lack of memory leads to an exception, and never to a SIGBUS.
///
/// The array is an anonymous file in memory (Linux' memfd). Rank 0 makes the file, and the others
/// open it through /proc. So no file system limits its size, not even a container's /dev/shm of 64
/// MB. The file has no name, so two communicators cannot take the same one. Nothing is left of the
/// file when its processes have ended, however they ended.
class NodeMemory {
 public:
  /// Throws the same Error on every rank of `node`, or on none. The Error says how much was asked
  /// for, how much could be reserved, and why. The content is unspecified. Collective over `node`.
  NodeMemory(MPI_Comm node, std::size_t bytes);
  /// Unmaps the memory, which lives until the last rank has unmapped it. Local.
  ~NodeMemory();
  NodeMemory(const NodeMemory&) = delete;
  NodeMemory& operator=(const NodeMemory&) = delete;

  char* data() const { return data_; }

 private:
  void unmap();

  std::size_t bytes_;
  char* data_ = nullptr;
};

}  // namespace Trident::Impl

#endif
