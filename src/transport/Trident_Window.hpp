// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_WINDOW_HPP
#define TRIDENT_WINDOW_HPP

#include <mpi.h>

namespace Trident::Impl {

/// Owns an MPI window. Every rank locks the window as long as the window lives. So a user needs
/// only puts, loads, stores, flushes and sync(). To make and to destroy a window is collective over
/// its communicator. allocate() throws on every rank or on none, and never aborts. The window is
/// not freed if MPI has ended, or if this process has given up a wait.
class Window {
 public:
  /// Allocates `bytes` on each rank, and zeroes them before other ranks can reach them.
  /// @param onHost number of ranks of `comm` on this host
  static Window allocate(MPI_Comm comm, int onHost, MPI_Aint bytes);

  ~Window();
  Window(Window&& other) noexcept;
  Window& operator=(Window&&) = delete;

  void* base() const { return base_; }
  MPI_Win get() const { return window_; }
  void sync() const;
  /// Zeroes this rank's bytes. Local.
  void clear() const;

 private:
  explicit Window(MPI_Aint bytes) : bytes_(bytes) {}
  void lock();

  MPI_Win window_ = MPI_WIN_NULL;
  bool locked_ = false;
  MPI_Aint bytes_;  // bytes of this rank
  void* base_ = nullptr;
};

}  // namespace Trident::Impl

#endif
