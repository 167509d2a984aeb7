// SPDX-License-Identifier: BSD-3-Clause
// A program of its own: products under the ways to start and end MPI, Kokkos and Tpetra. argv[1] is
// scope-guard, own-mpi, mpi-ends-first, tpetra-alone, where Tpetra starts Kokkos with the first
// Map, and Kokkos ends behind main(), guard-in-tpetras or guard-in-own, where a Trident::ScopeGuard
// finds what it would begin. What products made is freed when MPI_Finalize begins; a leak or a
// crash fails the program. Program_Exit has ways to exit.

#include <Kokkos_Core.hpp>
#include <cstdio>
#include <cstring>
#include <functional>
#include <vector>

#include "Trident_Grid.hpp"
#include "Trident_Multiply.hpp"
#include "Trident_MultiplyPlan.hpp"
#include "Trident_ScopeGuard.hpp"
#include "Trident_TestMatrices.hpp"
#include "Trident_TestMpiCounters.hpp"
#include "base/Trident_Scratch.hpp"
#include "matrix/Trident_Device.hpp"

namespace {

using namespace TridentTest;
using Plan = Trident::MultiplyPlan<double, LO, GO, map_type::node_type>;

int commsBefore = 0, windowsBefore = 0;

MatrixPtr someMatrix(const CommPtr& comm) {
  Sparse entries(50, 50);
  for (int i = 0; i < 50; ++i)
    for (const int j : {i, (i + 1) % 50, (i + 26) % 50}) entries.rows[i][j] = 1 + i % 3;
  return makeUniform(entries, comm);
}

/// Forms products on three communicators, one of which is freed here and one never.
void multiplyOnSeveral() {
  MPI_Comm kept = MPI_COMM_NULL, freed = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &kept);
  MPI_Comm_dup(MPI_COMM_WORLD, &freed);
  commsBefore = mpiCounters().comms() - 1;  // `freed` will be
  windowsBefore = mpiCounters().windows();
  for (MPI_Comm raw : {MPI_COMM_WORLD, kept, MPI_COMM_SELF, freed}) {
    const CommPtr comm = Teuchos::rcp(new Teuchos::MpiComm<int>(raw));
    const MatrixPtr A = someMatrix(comm);
    for (const char* gather : {"mpi", "shared"}) {
      const auto list = tridentList();
      list->sublist("Trident").sublist("expert").set("gather", gather);
      Trident::Multiply(*A, *A, *newResult(*A), list);
    }
  }
  MPI_Comm_free(&freed);
}

void multiplyOnce() {
  const CommPtr comm = Teuchos::rcp(new Teuchos::MpiComm<int>(MPI_COMM_WORLD));
  const MatrixPtr A = someMatrix(comm);
  Trident::Multiply(*A, *A, *newResult(*A));
}

/// Returns true if guards, one inside the other, leave MPI and Kokkos to who began them.
bool guardsLeaveWhatRuns(int* argc, char*** argv) {
  for (int n = 0; n < 2; ++n) {
    const Trident::ScopeGuard outer(argc, argv);
    const Trident::ScopeGuard inner(argc, argv);
    multiplyOnce();
  }
  int ended = 0;
  MPI_Finalized(&ended);
  const bool runs = !ended && Kokkos::is_initialized();
  if (runs) multiplyOnce();
  return runs;
}

/// Forms a product of which arrays are so long that their memory is kept until Kokkos ends.
void multiplyLong() {
  const CommPtr comm = Teuchos::rcp(new Teuchos::MpiComm<int>(MPI_COMM_WORLD));
  constexpr GO n = 200000;
  const auto map = Teuchos::rcp(new map_type(n, 0, comm));
  const auto A = Teuchos::rcp(new matrix_type(map, 2));
  for (GO i = map->getMinGlobalIndex(); i <= map->getMaxGlobalIndex(); ++i) {
    A->insertGlobalValues(i, Teuchos::tuple<GO>(i), Teuchos::tuple<double>(2));
    A->insertGlobalValues(i, Teuchos::tuple<GO>(n - 1 - i), Teuchos::tuple<double>(1));
  }
  A->fillComplete();
  Trident::Multiply(*A, *A, *newResult(*A));
}

/// Returns true if functions of Trident throw after MPI has ended, and make no call of it: that
/// would end the program.
bool refuseWithoutMpi(const MatrixPtr& A, const Trident::Grid<>& grid, const Plan& plan) {
  const MatrixPtr C = newResult(*A);
  const std::vector<std::function<void()>> calls{
      [&] { Trident::Multiply(*A, *A, *C); },
      [&] { Trident::Multiply(*A, true, *A, false, *C); },
      [&] { Plan(*A, *A, *C); },
      [&] { plan.multiply(*A, *A, *C); },
      [&] { Trident::Grid<>(A->getComm(), {A->getRowMap()}); },
      [&] { grid.fromTpetra(*A); }};
  int thrown = 0;
  for (const auto& call : calls) try {
      call();
    } catch (const Trident::Error& error) {
      thrown +=
          std::strstr(error.what(), "Trident::") && std::strstr(error.what(), "MPI has ended");
    }
  return thrown == static_cast<int>(calls.size());
}

int leaks(const char* when, int comms, int windows) {
  const int leakedComms = mpiCounters().comms() - comms;
  const int leakedWindows = mpiCounters().windows() - windows;
  if (leakedComms || leakedWindows)
    std::fprintf(stderr, "%s: %d communicators and %d windows left\n", when, leakedComms,
                 leakedWindows);
  return leakedComms || leakedWindows;
}

}  // namespace

int main(int argc, char* argv[]) {
  const char* mode = argc > 1 ? argv[1] : "scope-guard";
  int failed = 0;
  if (!std::strcmp(mode, "scope-guard")) {
    {
      Tpetra::ScopeGuard scope(&argc, &argv);
      multiplyOnSeveral();
    }
    failed = leaks("after Tpetra::ScopeGuard", commsBefore, windowsBefore);
  } else if (!std::strcmp(mode, "own-mpi")) {
    MPI_Init(&argc, &argv);
    Tpetra::initialize(&argc, &argv);
    multiplyOnSeveral();
    Tpetra::finalize();
    MPI_Finalize();
    failed = leaks("after MPI_Finalize", commsBefore, windowsBefore);
  } else if (!std::strcmp(mode, "mpi-ends-first")) {
    MPI_Init(&argc, &argv);
    Kokkos::initialize(argc, argv);
    multiplyOnSeveral();
    {
      const CommPtr comm = Teuchos::rcp(new Teuchos::MpiComm<int>(MPI_COMM_WORLD));
      const MatrixPtr A = someMatrix(comm), C = newResult(*A);
      const Trident::Grid<> grid(comm, {A->getRowMap()});
      const Plan plan(*A, *A, *C);
      MPI_Finalize();
      failed = !refuseWithoutMpi(A, grid, plan);
      if (failed) std::fprintf(stderr, "after MPI_Finalize(): no exception, or another one\n");
    }
    Kokkos::finalize();
  } else if (!std::strcmp(mode, "tpetra-alone")) {
    MPI_Init(&argc, &argv);
    multiplyLong();
    const bool kept = Trident::Impl::trimScratch(0);
    int ranks = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    failed = !kept && (ranks > 1 || Trident::Impl::isHost<map_type::node_type::device_type>);
    if (!kept) std::fprintf(stderr, "no blocks of scratch were kept%s\n", failed ? ": why?" : "");
    multiplyLong();
    MPI_Finalize();
  } else if (!std::strcmp(mode, "guard-in-tpetras")) {
    int ended = 0;
    {
      Tpetra::ScopeGuard scope(&argc, &argv);
      failed = !guardsLeaveWhatRuns(&argc, &argv);
    }
    MPI_Finalized(&ended);
    failed = failed || !ended;
    if (failed) std::fprintf(stderr, "a guard ended what it had not begun, or not what it had\n");
  } else if (!std::strcmp(mode, "guard-in-own")) {
    MPI_Init(&argc, &argv);
    Kokkos::initialize(argc, argv);
    failed = !guardsLeaveWhatRuns(&argc, &argv);
    if (failed) std::fprintf(stderr, "a guard ended what it had not begun\n");
    if (!failed) Kokkos::finalize();
    if (!failed) MPI_Finalize();
  } else {
    std::fprintf(stderr, "no such mode: %s\n", mode);
    return 2;
  }
  return failed;
}
