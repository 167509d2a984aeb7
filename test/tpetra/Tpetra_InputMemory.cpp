// SPDX-License-Identifier: BSD-3-Clause
// A rank that runs out of memory while ranks find out what is wrong with the input leaves no rank
// waiting.

#include <Teuchos_UnitTestHarness.hpp>

#include "Trident_FailingNew.hpp"
#include "Trident_TestErrors.hpp"
#include "Trident_TestFailure.hpp"
#include "Trident_TestNeeds.hpp"

namespace {

using namespace TridentTest;

#define FAILURE_BAD_INPUT_NEEDS_KOKKOS    \
  TRIDENT_TEST_NEEDS(kokkosMayLackMemory, \
                     "Kokkos 5 ends a program that lacks memory for its own bookkeeping")

/// Returns the rank that runs out of memory.
int victim() { return world()->getSize() / 2; }

int onVictim(int number) { return world()->getRank() == victim() ? number : FailingNew::never; }

/// Returns the message of a product that cannot be; in all of it objects are counted.
std::string messageOf(const matrix_type& A, const matrix_type& B, matrix_type& C) {
  std::string message = "no Error";
  Kokkos::Profiling::pushRegion("Trident: Multiply: export");
  try {
    Trident::Multiply(A, B, C);
  } catch (const Trident::Error& error) {
    FailingNew::end();
    message = error.what();
  } catch (const std::bad_alloc&) {
    FailingNew::end();
    message = "bad alloc on this rank alone";
  }
  Kokkos::Profiling::popRegion();
  return message;
}

std::string expectWords(const std::string& message, const std::string& words) {
  const bool found = message.find(words) != std::string::npos;
  return everywhere(*world(), found ? "" : "\"" + words + "\" is not in: " + message);
}

MatrixPtr identity(const MapPtr& rows, const MapPtr& columns) {
  const MatrixPtr M = Teuchos::rcp(new matrix_type(rows, 1));
  for (const GO gid : Trident::Impl::localGids(*rows))
    M->insertGlobalValues(gid, Teuchos::tuple<GO>(gid)(), Teuchos::tuple<double>(1)());
  M->fillComplete(columns, columns);
  return M;
}

// The owners of a rank's rows are asked for by all ranks together.
TEUCHOS_UNIT_TEST(Failure, WhereRowsHaveSeveralOwners) {
  FAILURE_BAD_INPUT_NEEDS_KOKKOS;
  constexpr GO each = 5000;  // the list of owners is the first large object
  Teuchos::Array<GO> gids(1, GO(0));
  for (GO g = each * world()->getRank(); g < each * (world()->getRank() + 1); ++g)
    if (g > 0) gids.push_back(g);
  const auto any = Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid();
  const MapPtr shared = Teuchos::rcp(new map_type(any, gids(), 0, world()));
  const MapPtr single = Teuchos::rcp(new map_type(each * world()->getSize(), 0, world()));
  const MatrixPtr A = identity(shared, single), B = identity(single, single);
  const MatrixPtr C = Teuchos::rcp(new matrix_type(shared, 0));
  const std::string owned = "A's row Map has an index that several ranks own (0)";
  // The first call makes Tpetra's directory of the Map, which Tpetra keeps.
  TRIDENT_TEST_OK(expectWords(messageOf(*A, *B, *C), owned));
  {
    const FailingNew now = FailingNew::ofBytes(each * sizeof(int), onVictim(0));
    TRIDENT_TEST_OK(expectWords(messageOf(*A, *B, *C), "bad_alloc"));
  }
  TRIDENT_TEST_OK(expectWords(messageOf(*A, *B, *C), owned));
}

}  // namespace
