// SPDX-License-Identifier: BSD-3-Clause
// A program that knows Tpetra alone. Its first argument says what it does; it prints norms of what
// it formed. The scripts beside it run it with libtrident_dropin.so before Tpetra, and without.
#include <sys/wait.h>
#include <unistd.h>

#include <Kokkos_Core.hpp>
#include <Teuchos_ParameterList.hpp>
#include <Teuchos_TimeMonitor.hpp>
#include <TpetraExt_MatrixMatrix.hpp>
#include <TpetraExt_TripleMatrixMultiply.hpp>
#include <Tpetra_Core.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_Vector.hpp>
#include <atomic>
#include <chrono>
#include <clocale>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <locale>
#include <string>
#include <thread>
#include <vector>

#include "Trident_FailingAllocation.hpp"

/// Holds the calls of a program that links Trident, too (Dropin_Linked.cpp); else null.
void (*besides)(const Tpetra::CrsMatrix<>& A) = nullptr;

namespace {

using Map = Tpetra::Map<>;
using GO = Map::global_ordinal_type;
template <class SC>
using MatrixOf = Tpetra::CrsMatrix<SC>;
using Matrix = MatrixOf<double>;
using List = Teuchos::RCP<Teuchos::ParameterList>;
using Comm = Teuchos::RCP<const Teuchos::Comm<int>>;

/// Makes the second difference on a ring, and a far neighbour, so that all ranks talk.
template <class SC>
Teuchos::RCP<MatrixOf<SC>> makeMatrix(const Comm& comm, GO n = 200) {
  const auto map = Teuchos::rcp(new Map(n, 0, comm));
  const auto A = Teuchos::rcp(new MatrixOf<SC>(map, 4));
  for (GO i = map->getMinGlobalIndex(); i <= map->getMaxGlobalIndex(); ++i) {
    const std::vector<GO> columns{i, (i + 1) % n, (i + n - 1) % n, (i + n / 2) % n};
    const std::vector<SC> values{SC(4), SC(-1), SC(-1), SC(i % 7)};
    A->insertGlobalValues(i, Teuchos::arrayViewFromVector(columns),
                          Teuchos::arrayViewFromVector(values));
  }
  A->fillComplete();
  return A;
}

template <class... Values>
void say(const Comm& comm, const char* format, Values... values) {
  if (comm->getRank() == 0) std::printf(format, values...);
  std::fflush(stdout);
}

/// Forms A·Aᵀ. Its label names a timer of Trident's, where Trident forms it.
void square(const Matrix& A, const char* label = "Plain", const List& params = Teuchos::null) {
  Matrix C(A.getRowMap(), 0);
  Tpetra::MatrixMatrix::Multiply(A, false, A, true, C, true, label, params);
  say(A.getComm(), "Multiply %.12g\n", C.getFrobeniusNorm());
}
void sayTimer(const Comm& comm, const char* label) {
  const auto timer =
      Teuchos::TimeMonitor::lookupCounter("Trident " + std::string(label) + ": Multiply");
  say(comm, "timer of %s: %s\n", label, timer.is_null() ? "none" : "there");
}

void multiply(const Comm& comm, const List& params = Teuchos::null) {
  const auto A = makeMatrix<double>(comm);
  square(*A, "Plain", params);
  if (besides) besides(*A);
}

/// Forms the product three times, with other values, and a label that is no UTF-8.
void again(const Comm& comm) {
  const auto A = makeMatrix<double>(comm);
  for (int n = 0; n < 3; ++n) {
    square(*A, "again\xFC");
    A->resumeFill();
    A->scale(2);
    A->fillComplete();
  }
}

/// Forms the product four times into one result, which has a pattern from the second time on.
void sameResult(const Comm& comm) {
  const auto A = makeMatrix<double>(comm);
  Matrix C(A->getRowMap(), 0);
  Tpetra::MatrixMatrix::Multiply(*A, false, *A, true, C);
  for (int n = 0; n < 3; ++n) {
    C.resumeFill();
    Tpetra::MatrixMatrix::Multiply(*A, false, *A, true, C);
  }
  say(comm, "Multiply %.12g\n", C.getFrobeniusNorm());
}

/// Forms the product into the pattern of A, which lacks entries of it: they are dropped. On one
/// rank the list may say otherwise.
void intoPatternOfA(const Comm& comm, bool differs) {
  const auto A = makeMatrix<double>(comm);
  Matrix C(A->getCrsGraph());
  const List params = Teuchos::parameterList();
  params->set("MM Throw For Non-Existent Entries", differs && comm->getRank() == 1);
  Tpetra::MatrixMatrix::Multiply(*A, false, *A, true, C, true, "Narrow", params);
  say(comm, "Narrow %.12g of %d entries\n", C.getFrobeniusNorm(),
      static_cast<int>(C.getGlobalNumEntries()));
}

void jacobi(const Comm& comm) {
  const auto A = makeMatrix<double>(comm);
  Tpetra::Vector<> D(A->getRowMap());
  D.putScalar(0.25);
  Matrix C(A->getRowMap(), 0);
  Tpetra::MatrixMatrix::Jacobi(0.5, D, *A, *A, C);
  say(comm, "Jacobi %.12g\n", C.getFrobeniusNorm());
}

void rap(const Comm& comm) {
  const auto A = makeMatrix<double>(comm);
  Matrix C(A->getRowMap(), 0);
  Tpetra::TripleMatrixMultiply::MultiplyRAP(*A, true, *A, false, *A, false, C);
  say(comm, "MultiplyRAP %.12g\n", C.getFrobeniusNorm());
}

/// Forms products of a scalar that Trident is not compiled for.
void otherScalars(const Comm& comm) {
#ifdef TRIDENT_TEST_WHOLE_NUMBERS  // this Tpetra has such matrices
  const auto A = makeMatrix<long long>(comm);
  MatrixOf<long long> C(A->getRowMap(), 0);
  Tpetra::MatrixMatrix::Multiply(*A, false, *A, false, C);
  say(comm, "whole numbers %d\n", static_cast<int>(C.getGlobalNumEntries()));
#else
  static_cast<void>(comm);
#endif
}

/// Forms a product into a result with entries that was never fill-complete.
void unfinishedResult(const Comm& comm) {
  const auto A = makeMatrix<double>(comm);
  Matrix C(A->getRowMap(), 20);
  const Map& map = *A->getRowMap();
  for (GO i = map.getMinGlobalIndex(); i <= map.getMaxGlobalIndex(); ++i)
    C.insertGlobalValues(i, Teuchos::tuple<GO>(i), Teuchos::tuple<double>(1));
  Tpetra::MatrixMatrix::Multiply(*A, false, *A, false, C, false);
  C.fillComplete();
  say(comm, "unfinished %d\n", static_cast<int>(C.getGlobalNumEntries()));
}

/// Makes each array of Trident's in turn one too many for a rank; a product that lacks none
/// follows.
void lackMemory(const Comm& comm) {
  using Trident::Impl::TestTools::FailingAllocation;
  const auto A = makeMatrix<double>(comm);
  const int victim = comm->getSize() / 2;
  square(*A);  // makes what later ones keep
  int arrays = Trident::Impl::TestTools::allocationsOf([&] { square(*A); }, "Trident::");
  Teuchos::broadcast(*comm, victim, 1, &arrays);
  for (int n = 0; n < arrays; ++n) {
    {
      const bool fails = comm->getRank() == victim;
      const FailingAllocation failing(fails ? n : FailingAllocation::never, "Trident::");
      square(*A);
    }
    square(*A);
  }
  say(comm, "arrays %d\n", arrays);
}

/// Set when a kernel that sums begins, as one does in Trident before it waits for others.
std::atomic<bool> sums{false};
void noteSum(const char*, std::uint32_t, std::uint64_t*) { sums = true; }

/// Forms products by two threads. On the first rank a thread is in a product, and waits there for
/// the other ranks, while these and the first thread of that rank form another one.
void multiplyByTwoThreads(const Comm& comm) {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level != MPI_THREAD_MULTIPLE) return say(comm, "MPI takes no calls of two threads\n");
  const auto A = makeMatrix<double>(comm->duplicate()), B = makeMatrix<double>(comm->duplicate());
  square(*A), square(*B);  // what the first product on a communicator asks is asked
  std::thread waits;
  if (comm->getRank() == 0) {
    Kokkos::Tools::Experimental::set_begin_parallel_reduce_callback(noteSum);
    waits = std::thread([&] { square(*A, "Waits"); });
    const int most = std::getenv("TRIDENT_REPORT") ? 50 : 4000;  // with a report it waits before
    for (int n = 0; n < most && !sums; ++n)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  square(*B, "Second");
  B->getComm()->barrier();  // Teuchos and Tpetra are for one thread at a time
  if (comm->getRank() == 0)
    waits.join();
  else
    square(*A, "Waits");
  sayTimer(comm, "Waits");
  sayTimer(comm, "Second");
}

void wait(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

struct Commas : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

/// Takes the environment's locale, and for streams one whose numbers have commas.
void takeLocale() {
  std::setlocale(LC_ALL, "");
  std::locale::global(std::locale(std::locale::classic(), new Commas));
}

/// Makes a list that has parameters of Trident's beside its sublist.
List misplaced() {
  const List params = Teuchos::parameterList();
  params->set("grid", "1x1");
  params->set("kernel", "host");
  params->sublist("Trident").set("partition", "uniform");
  return params;
}

/// Lets one rank come to the first product later than the others, who wait in nothing of Tpetra's.
int comeLate(const Comm& comm) {
  const auto A = makeMatrix<double>(comm);
  if (comm->getRank() == 1) wait(6000);
  square(*A);
  return 0;
}

int run(const std::string& what, const Comm& comm) {
  if (what == "late") return comeLate(comm);
  if (what == "locale") takeLocale();
  multiply(comm, what == "misplaced" ? misplaced() : Teuchos::null);
  if (what == "sleeps") {
    wait(5000);
    multiply(comm);
  }
  if (what == "products") {
    sayTimer(comm, "Plain");
    jacobi(comm);
    rap(comm);
    otherScalars(comm);  // Trident refuses these two, and Tpetra does them
    unfinishedResult(comm);
  }
  if (what == "again") again(comm);
  if (what == "same-result") sameResult(comm);
  if (what == "narrow" || what == "narrow-differs") intoPatternOfA(comm, what != "narrow");
  if (what == "forks") {
    const pid_t child = fork();
    if (child == 0) std::exit(0);
    int status = 1;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return 1;
    multiply(comm);
  }
  if (what == "parts") {  // first the even ranks and the odd ones, then all
    multiply(comm->split(comm->getRank() % 2, comm->getRank()));
    multiply(comm);
  }
  if (what == "thread") std::thread([&] { multiply(comm); }).join();
  if (what == "threads") multiplyByTwoThreads(comm);
  if (what == "lacks-memory") lackMemory(comm);
  if (what == "bad-parameter") {
    const List params = Teuchos::parameterList();
    if (comm->getRank() == 1) params->sublist("Trident").set("no such", 1);
    multiply(comm, params);
  }
  if (what == "exits" || what == "aborts") comm->barrier();  // mpiexec ends ranks that still print
  if (what == "exits") std::exit(0);
  if (what == "aborts") MPI_Abort(MPI_COMM_WORLD, 3);
  return 0;
}

int runAndSayErrors(const std::string& what) {
  const Comm comm = Tpetra::getDefaultComm();
  try {
    return run(what, comm);
  } catch (const std::exception& error) {
    std::printf("rank %d: %s\n", comm->getRank(), error.what());
    std::fflush(stdout);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // that others print theirs
    MPI_Abort(MPI_COMM_WORLD, 1);  // a rank in Tpetra's own product would keep MPI_Finalize
  }
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "products";
  if (what == "leaves-kokkos" || what == "mpi-ends-first") {  // Kokkos never ends, or after MPI
    MPI_Init(&argc, &argv);
    Kokkos::initialize(argc, argv);
    multiply(Tpetra::getDefaultComm());
    MPI_Finalize();
    if (what == "mpi-ends-first") Kokkos::finalize();
    return 0;
  }
  const bool severalThreads = what == "threads";
  int level = MPI_THREAD_SINGLE;
  if (severalThreads) MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  int status = 0;
  {
    const Tpetra::ScopeGuard scope(&argc, &argv);  // ends MPI where it has begun it
    status = runAndSayErrors(what);
  }
  if (severalThreads) MPI_Finalize();
  return status;
}
