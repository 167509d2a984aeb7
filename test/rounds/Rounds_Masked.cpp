// SPDX-License-Identifier: BSD-3-Clause
// Masked products over min-plus on the grid, in batches of rounds, where one rank fails: wherever
// its memory runs out, all ranks throw, and the next product is right.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <string>

#include "Rounds_TestTools.hpp"
#include "Trident_FailingAllocation.hpp"

namespace Trident::Impl {
namespace {

using TestTools::Dense;
using TestTools::Device;
using TestTools::FailingAllocation;
using TestTools::Formula;
using TestTools::gathered;
using TestTools::gridsOf;
using TestTools::makeExchanges;
using TestTools::makeMatrix;
using TestTools::Matrix;
using TestTools::multiplyMaskedOnGrid;
using TestTools::uniformSpace;
using TestTools::worldRank;
using TestTools::worldSize;

constexpr int size = 24;
const Formula factors{15, 40}, masks{16, 50};

RoundOptions minPlusInBatches() {
  RoundOptions options;
  options.semiring = SemiringKind::MinPlus;
  options.exchange = ExchangeKind::Prefetch;
  options.fuseRounds = 1;
  return options;
}

Dense<double> expectedSquare(bool complement) {
  const Dense<double> a = factors.full(size, size), mask = masks.full(size, size);
  Dense<double> c(size, size);
  for (int i = 0; i < size; ++i)
    for (int k = 0; k < size; ++k)
      for (int j = 0; j < size; ++j) {
        const std::size_t n = c.at(i, j);
        if (!a.stored[a.at(i, k)] || !a.stored[a.at(k, j)]) continue;
        if ((mask.stored[n] != 0) == complement) continue;
        const double way = a.values[a.at(i, k)] + a.values[a.at(k, j)];
        c.values[n] = c.stored[n] ? std::min(c.values[n], way) : way;
        c.stored[n] = 1;
      }
  return c;
}

/// Returns the error of a product if allocation `number` of rank `victim` fails; an empty text if
/// it succeeds.
std::string refusal(const Matrix& A, const Matrix& mask, bool complement, int victim, int number) {
  const FailingAllocation failing(worldRank() == victim ? number : FailingAllocation::never);
  try {
    multiplyMaskedOnGrid(A, A, mask, complement, minPlusInBatches());
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

TEUCHOS_UNIT_TEST(Masked, EveryAllocation) {
  const int victim = worldSize() / 2;
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2})) {
    const auto exchanges = makeExchanges(shape);
    const auto space = uniformSpace(shape, size);
    const Matrix A = makeMatrix(exchanges, space, space, factors);
    const Matrix mask = makeMatrix(exchanges, space, space, masks);
    for (const bool complement : {false, true}) {
      const Dense<double> expected = expectedSquare(complement);
      const auto multiply = [&] {
        multiplyMaskedOnGrid(A, A, mask, complement, minPlusInBatches());
      };
      multiply();  // makes what is made once
      int allocations = TestTools::allocationsOf(multiply);
      MPI_Bcast(&allocations, 1, MPI_INT, victim, MPI_COMM_WORLD);
      const int stride = TestTools::stepOfFailures(allocations, isHost<Device>);
      for (int number = 0;; number += stride) {
        const std::string text = refusal(A, mask, complement, victim, number);
        if (text.empty()) {
          TEST_ASSERT(FailingAllocation::label().empty());  // no failure went unnoticed
          out << shape.name() << ": " << number << " allocations\n";
          TEST_COMPARE(number, >, 0);
          break;
        }
        TEST_ASSERT(text.find("injected failure") == 0);
        const std::string blamed = "rank " + std::to_string(victim) + " of ";
        TEST_ASSERT(worldSize() == 1 || text.find(blamed) != std::string::npos);
      }
      RoundCounters counters;
      const Matrix C = multiplyMaskedOnGrid(A, A, mask, complement, minPlusInBatches(), &counters);
      TRIDENT_TEST_OK(differences(gathered(C), expected));
      TEST_EQUALITY_CONST(counters.fusedRounds, 1);
      TEST_ASSERT(C.rowsAscend());
    }
  }
}

}  // namespace

}  // namespace Trident::Impl
