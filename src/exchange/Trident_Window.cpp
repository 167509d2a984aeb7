// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_Window.hpp"

#include <cstring>
#include <utility>

#include "Trident_Agreement.hpp"
#include "Trident_MpiCheck.hpp"

namespace Trident {

Window Window::allocate(MPI_Comm comm, MPI_Aint bytes) {
  Window made(comm);
  made.makeEverywhere([&] {
    TRIDENT_MPI_CHECK(MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, comm, &made.base_, &made.window_));
    made.lock();
    std::memset(made.base_, 0, static_cast<std::size_t>(bytes));
    made.sync();
  });  // whose agreement is also the barrier after which others may put
  return made;
}

Window Window::allocateShared(MPI_Comm comm, MPI_Aint bytes) {
  Window made(comm);
  made.makeEverywhere([&] {
    int rank = 0;
    TRIDENT_MPI_CHECK(MPI_Comm_rank(comm, &rank));
    void* mine = nullptr;
    TRIDENT_MPI_CHECK(MPI_Win_allocate_shared(rank == 0 ? bytes : 0, 1, MPI_INFO_NULL, comm, &mine,
                                              &made.window_));
    MPI_Aint size = 0;
    int unit = 1;
    TRIDENT_MPI_CHECK(MPI_Win_shared_query(made.window_, 0, &size, &unit, &made.base_));
    made.lock();
  });
  return made;
}

template <class Make>
void Window::makeEverywhere(Make&& make) {
  LocalFailure failure;
  failure.guard(make);
  throwEverywhere(comm_, "Trident::Multiply", failure.text());  // the destructor frees
}

void Window::lock() {
  TRIDENT_MPI_CHECK(MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN));
  TRIDENT_MPI_CHECK(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_));
  locked_ = true;
}

Window::Window(Window&& other) noexcept
    : comm_(other.comm_),
      window_(std::exchange(other.window_, MPI_WIN_NULL)),
      locked_(other.locked_),
      base_(other.base_) {}

Window::~Window() { free(); }

void Window::free() {
  int finalized = 0;
  TRIDENT_MPI_CHECK_NOTHROW(MPI_Finalized(&finalized));
  if (window_ == MPI_WIN_NULL || finalized) return;
  if (locked_) TRIDENT_MPI_CHECK_NOTHROW(MPI_Win_unlock_all(window_));
  TRIDENT_MPI_CHECK_NOTHROW(MPI_Win_free(&window_));
}

void Window::sync() const { TRIDENT_MPI_CHECK(MPI_Win_sync(window_)); }

}  // namespace Trident
