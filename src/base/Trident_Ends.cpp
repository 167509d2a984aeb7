// SPDX-License-Identifier: BSD-3-Clause
#include "base/Trident_Ends.hpp"

#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

#include "base/Trident_CudaRuntime.hpp"
#include "base/Trident_Lasting.hpp"
#include "base/Trident_Mpi.hpp"

namespace Trident::Impl {
namespace {

using Work = void (*)();

struct Ends {
  std::mutex mutex;  // guards all members but the atomic one; not held while work runs
  std::vector<Work> ofKokkos, ofMpi;
  std::list<std::shared_ptr<void>> views;
  bool hooked = false, attached = false;
  std::atomic<bool> deviceIsGone{false};
};

Ends& ends() {
  static Lasting<Ends> only;
  return *only;
}

void add(Work work, std::vector<Work>& to) {
  if (std::find(to.begin(), to.end(), work) == to.end()) to.push_back(work);
}

/// Runs all work, the latest first. Catches exceptions, since the callers, Kokkos and MPI, do not.
void doAll(const std::vector<Work>& works) noexcept {
  for (auto work = works.rbegin(); work != works.rend(); ++work) try {
      (*work)();
    } catch (const std::exception&) {  // anything not freed is left to the end of the process
    }
}

std::vector<Work> copyOf(const std::vector<Work>& works) {
  const std::lock_guard<std::mutex> lock(ends().mutex);
  return works;
}

/// Frees all held Views, at Kokkos' end. Their empty places stay in the list until letViewGo().
void letViewsGo() {
  std::vector<std::shared_ptr<void>> gone;
  const std::lock_guard<std::mutex> lock(ends().mutex);
  for (std::shared_ptr<void>& view : ends().views) gone.push_back(std::move(view));
}

void endOfKokkos() {
  checkDevice();
  if (!deviceIsGone()) doAll(copyOf(ends().ofKokkos));
}

/// Runs the work for the end of MPI. MPI_Finalize calls this function first, when it deletes the
/// attributes of MPI_COMM_SELF.
int endOfMpi(MPI_Comm, int, void*, void*) {
  checkDevice();
  doAll(copyOf(ends().ofMpi));
  return MPI_SUCCESS;
}

}  // namespace

void atKokkosEnd(Work work) {
  Ends& all = ends();
  const std::lock_guard<std::mutex> lock(all.mutex);
  if (!all.hooked) Kokkos::push_finalize_hook(endOfKokkos);
  all.hooked = true;
  add(work, all.ofKokkos);
}

void atMpiEnd(Work work) {
  Ends& all = ends();
  const std::lock_guard<std::mutex> lock(all.mutex);
  if (!all.attached) {
    int key = MPI_KEYVAL_INVALID;
    TRIDENT_MPI_CHECK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, endOfMpi, &key, nullptr));
    TRIDENT_MPI_CHECK(MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr));
    all.attached = true;
  }
  add(work, all.ofMpi);
}

void checkDevice() noexcept {
  if (!deviceRuns()) ends().deviceIsGone = true;
}

bool deviceIsGone() noexcept { return ends().deviceIsGone; }

bool viewsCanGo() noexcept { return Kokkos::is_initialized() && !deviceIsGone(); }

HeldView holdView(std::shared_ptr<void> view) {
  atKokkosEnd(letViewsGo);
  const std::lock_guard<std::mutex> lock(ends().mutex);
  ends().views.push_front(std::move(view));
  return ends().views.begin();
}

void letViewGo(HeldView view) noexcept {
  // The View dies after the lock is released, because freeing a View calls Kokkos' tools.
  std::shared_ptr<void> gone;
  const std::lock_guard<std::mutex> lock(ends().mutex);
  if (*view && !viewsCanGo()) return;  // cannot be freed now: stays in the list
  gone = std::move(*view);
  ends().views.erase(view);
}

}  // namespace Trident::Impl
