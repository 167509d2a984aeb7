// SPDX-License-Identifier: BSD-3-Clause
#include "transport/Trident_Window.hpp"

#include <sys/statvfs.h>

#include <cstring>
#include <string>
#include <utility>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Mpi.hpp"
#include "base/Trident_Wait.hpp"

namespace Trident::Impl {
namespace {

/// Throws if /dev/shm lacks room for one window of `bytes` for each rank of the host. MPI keeps
/// windows in files there. If a file does not fit, Open MPI 4.1 (osc/sm) returns an error from
/// MPI_Win_allocate on the first rank, and the other ranks wait inside for ever. So there must be
/// room for all windows, and a megabyte more that MPI and other programs may take meanwhile.
void requireRoom(int ranks, MPI_Aint bytes) {
  struct statvfs shm {};
  if (statvfs("/dev/shm", &shm) != 0 || shm.f_blocks == 0) return;  // no such place, or no limit
  constexpr double ofRank = 128, spare = 1 << 20;
  const double needed = spare + ranks * (static_cast<double>(bytes) + ofRank);
  const double there = static_cast<double>(shm.f_bavail) * static_cast<double>(shm.f_frsize);
  if (ranks > 1 && there < needed)
    throw Error("Trident::Window",
                "/dev/shm, where MPI keeps windows, has " +
                    std::to_string(static_cast<long long>(there)) + " bytes left, fewer than the " +
                    std::to_string(static_cast<long long>(needed)) + " that are sure to suffice");
}

}  // namespace

Window Window::allocate(MPI_Comm comm, int onHost, MPI_Aint bytes) {
  runEverywhere(comm, [&] { requireRoom(onHost, bytes); });
  Window made(bytes);
  LocalFailure failure;
  failure.guard([&] {
    TRIDENT_MPI_CHECK(MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, comm, &made.base_, &made.window_));
    made.lock();
    made.clear();
  });
  try {
    throwEverywhere(comm, failure.text());  // also a barrier, so that no clear() erases a put
  } catch (...) {
    // MPI_Win_free would wait for all ranks, but some ranks have no window. So ranks that have one
    // leave it, and its few bytes, to MPI.
    made.window_ = MPI_WIN_NULL;
    throw;
  }
  return made;
}

void Window::lock() {
  TRIDENT_MPI_CHECK(MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN));
  TRIDENT_MPI_CHECK(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_));
  locked_ = true;
}

Window::Window(Window&& other) noexcept
    : window_(std::exchange(other.window_, MPI_WIN_NULL)),
      locked_(other.locked_),
      bytes_(other.bytes_),
      base_(other.base_) {}

Window::~Window() {
  int finalized = 0;
  TRIDENT_MPI_CHECK_NOTHROW(MPI_Finalized(&finalized));
  if (window_ == MPI_WIN_NULL || finalized || !whyAbandoned().empty()) return;
  if (locked_) TRIDENT_MPI_CHECK_NOTHROW(MPI_Win_unlock_all(window_));
  TRIDENT_MPI_CHECK_NOTHROW(MPI_Win_free(&window_));
}

void Window::sync() const { TRIDENT_MPI_CHECK(MPI_Win_sync(window_)); }

void Window::clear() const {
  std::memset(base_, 0, static_cast<std::size_t>(bytes_));
  sync();
}

}  // namespace Trident::Impl
