// SPDX-License-Identifier: BSD-3-Clause
// A program of its own: products, and then an end in one of many ways (`ways`). By default Tpetra
// starts Kokkos with the first Map, and ends it in an exit handler. The script `same_end` runs each
// way with products of Tpetra's, and with Trident's, which must end alike.
//
//   Trident_Program_Exit.exe WAY tpetra|trident

#include <Kokkos_Core.hpp>
#include <Teuchos_DefaultMpiComm.hpp>
#include <TpetraExt_MatrixMatrix.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>

#include "Trident_Multiply.hpp"
#include "Trident_TestMatrices.hpp"

namespace {

using namespace TridentTest;

bool byTrident = false;
MPI_Comm kept = MPI_COMM_NULL;  // is never freed

/// Forms a product of a matrix with itself, whose norm the first rank prints.
/// @param exchange nothing: as Trident chooses
MatrixPtr multiplyOn(MPI_Comm raw, const char* exchange = "") {
  const CommPtr comm = Teuchos::rcp(new Teuchos::MpiComm<int>(raw));
  Sparse entries(60, 60);
  for (int i = 0; i < 60; ++i)
    for (const int j : {i, (i + 1) % 60, (i + 31) % 60}) entries.rows[i][j] = 1 + i % 3;
  const MatrixPtr A = makeUniform(entries, comm), C = newResult(*A);
  if (byTrident) {
    const auto list = tridentList();
    if (*exchange) list->sublist("Trident").sublist("expert").set("exchange", exchange);
    if (*exchange) list->sublist("Trident").set("ranks per node", 1);
    Trident::Multiply(*A, *A, *C, list);
  } else {
    Tpetra::MatrixMatrix::Multiply(*A, false, *A, false, *C);
  }
  const double norm = C->getFrobeniusNorm();
  if (comm->getRank() == 0) std::printf("norm %.12g\n", norm);
  std::fflush(stdout);
  // Where a rank exits without MPI_Finalize, the launcher ends the others: not before this line.
  MPI_Barrier(raw);
  return C;
}

/// Forms products on several communicators, with all that Trident keeps of them, also threads.
void multiply() {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  MPI_Comm_dup(MPI_COMM_WORLD, &kept);
  for (MPI_Comm comm : {MPI_COMM_WORLD, kept, MPI_COMM_SELF}) multiplyOn(comm);
  multiplyOn(kept, level == MPI_THREAD_MULTIPLE ? "request-queue" : "prefetch");
}

void begin() {
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level);
}
void beginKokkos() {
  int none = 0;
  Kokkos::initialize(none, nullptr);
}
void end() {
  int ended = 0;
  MPI_Finalized(&ended);
  if (!ended) MPI_Finalize();
}
int ranks() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}
int rank() {
  int me = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  return me;
}

/// Does something when it is destroyed.
struct AtItsEnd {
  void (*work)() = nullptr;
  ~AtItsEnd() {
    if (work) work();
  }
};
AtItsEnd object;  // made before main(), so it is destroyed after all that is made in it

/// A singleton that owns MPI.
struct OwnsMpi {
  OwnsMpi() { begin(); }
  ~OwnsMpi() { end(); }
};

void inMain() {
  begin();
  multiply();
  end();
}
void none() {
  begin();
  multiply();
}
void byHandler() {
  std::atexit(end);
  none();
}
void byObject() {
  object.work = end;
  none();
}
void bySingleton() {
  static const OwnsMpi singleton;
  multiply();
}
void byLaterObject() {  // before Tpetra ends Kokkos
  none();
  static AtItsEnd late;
  late.work = end;
}
void exitInside() {
  begin();
  const MatrixPtr C = multiplyOn(MPI_COMM_WORLD);
  std::exit(0);
}
void oneRankExits() {
  none();
  if (rank() == ranks() - 1) std::exit(1);
  end();
}
void allExitAndFinalize() {
  std::atexit(end);
  none();
  std::exit(1);
}
void exitInDestructor() {
  static AtItsEnd exits;
  exits.work = [] { std::exit(3); };
  inMain();
}
void exitInLaterDestructor() {  // before Tpetra ends Kokkos; MPI ends in a handler behind it
  byHandler();
  static AtItsEnd exits;
  exits.work = [] { std::exit(3); };
}
void abort() {
  none();
  if (rank() == ranks() - 1) MPI_Abort(MPI_COMM_WORLD, 3);
  MPI_Barrier(MPI_COMM_WORLD);
}
void kokkosByObject() {  // behind MPI's end
  object.work = [] { Kokkos::finalize(); };
  begin();
  beginKokkos();
  multiply();
  end();
}
void kokkosInMainMpiByObject() {
  object.work = end;
  begin();
  beginKokkos();
  multiply();
  Kokkos::finalize();
}
/// Ends Kokkos on one rank after the other, which hears of it by a message.
void kokkosInTurn() {
  begin();
  beginKokkos();
  multiply();
  if (rank() > 0) MPI_Recv(nullptr, 0, MPI_BYTE, rank() - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  Kokkos::finalize();
  if (rank() + 1 < ranks()) MPI_Send(nullptr, 0, MPI_BYTE, rank() + 1, 0, MPI_COMM_WORLD);
  end();
}

const std::map<std::string, void (*)()>& ways() {
  static const auto& all = *new std::map<std::string, void (*)()>{
      {"in-main", inMain},
      {"none", none},
      {"by-handler", byHandler},
      {"by-object", byObject},
      {"by-singleton", bySingleton},
      {"by-later-object", byLaterObject},
      {"exit-inside", exitInside},
      {"one-rank-exits", oneRankExits},
      {"all-exit-and-finalize", allExitAndFinalize},
      {"exit-in-destructor", exitInDestructor},
      {"exit-in-later-destructor", exitInLaterDestructor},
      {"abort", abort},
      {"kokkos-by-object", kokkosByObject},
      {"kokkos-in-main-mpi-by-object", kokkosInMainMpiByObject},
      {"kokkos-in-turn", kokkosInTurn}};
  return all;
}

}  // namespace

int main(int argc, char* argv[]) {
  if (argc == 2 && !std::strcmp(argv[1], "ways")) {
    for (const auto& way : ways()) std::printf("%s\n", way.first.c_str());
    return 0;
  }
  const auto way = argc == 3 ? ways().find(argv[1]) : ways().end();
  if (way == ways().end()) {
    std::fprintf(stderr, "usage: %s WAY tpetra|trident, or: %s ways\n", argv[0], argv[0]);
    return 2;
  }
  byTrident = !std::strcmp(argv[2], "trident");
  way->second();
  return 0;
}
