// SPDX-License-Identifier: BSD-3-Clause
// A filtered product whose every allocation fails once, on one rank: it ends on all ranks with one
// exception, and the next one is right. And what such a product takes of memory, by Kokkos' own
// account, against the bound.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "Multiply_FailingAllocation.hpp"
#include "Multiply_TestTools.hpp"
#include "Trident_FilteredMultiply.hpp"
#include "Trident_TestFilter.hpp"

namespace Trident::Impl {
namespace {

using TestTools::Device;
using TestTools::expectedRows;
using TestTools::FailingAllocation;
using TestTools::Formula;
using TestTools::gathered;
using TestTools::gridsOf;
using TestTools::makeMatrix;
using TestTools::makeTransport;
using TestTools::Matrix;
using TestTools::uniformSpace;
using TestTools::worldRank;
using TestTools::worldSize;

using Rule = DropRule<double>;

Matrix filtered(const Matrix& A, const Rule& rule, const RoundOptions& options,
                RoundCounters* counters = nullptr) {
  return multiplyFilteredOnGrid(A, A, RuleFilter<double, Rule>{rule}, options, counters);
}

/// What a filtered product says where allocation `number` of rank `victim` fails; empty where it
/// succeeds.
std::string refusal(const Matrix& A, const Rule& rule, const RoundOptions& options, int victim,
                    int number) {
  const FailingAllocation failing(worldRank() == victim ? number : FailingAllocation::never);
  try {
    filtered(A, rule, options);
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

// On devices a sample: products allocate more there, and take longer.
TEUCHOS_UNIT_TEST(FilteredFailure, EveryAllocation) {
  const int stride = isHost<Device> ? 1 : 13;
  const Formula formula{15, 40};
  const Rule rule{2, DropRelativeTo::Nothing, 3};
  const auto full = formula.full(24, 24);
  const auto expected = expectedRows(rule, product(full, full));
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2})) {
    const auto transport = makeTransport(shape);
    const auto space = uniformSpace(shape, 24);
    const Matrix A = makeMatrix(transport, space, space, formula);
    const int victim = worldSize() / 2;
    RoundOptions options;
    options.exchange = ExchangeKind::Prefetch;
    options.pieceBytes = 20000;  // a few pieces
    for (int number = 0;; number += stride) {
      const std::string text = refusal(A, rule, options, victim, number);
      if (text.empty()) {
        TEST_ASSERT(FailingAllocation::label().empty());  // no failure went unnoticed
        out << shape.name() << ": " << number << " allocations\n";
        TEST_COMPARE(number, >, 0);
        break;
      }
      if (worldRank() == victim) out << FailingAllocation::label() << ": " << text << "\n";
      TEST_ASSERT(text.find("injected failure") == 0);
      const std::string blamed = "rank " + std::to_string(victim) + " of ";
      TEST_ASSERT(worldSize() == 1 || text.find(blamed) != std::string::npos);
      TRIDENT_TEST_OK(differences(gathered(filtered(A, rule, options)), expected));
    }
  }
}

long long allocated = 0, highest = 0;

void onAllocate(Kokkos_Profiling_SpaceHandle, const char* label, const void*,
                const std::uint64_t size) {
  if (std::strncmp(label, "Trident::", 9) == 0 && std::strcmp(label, "Trident::staging") != 0)
    highest = std::max(highest, allocated += static_cast<long long>(size));
}
void onDeallocate(Kokkos_Profiling_SpaceHandle, const char* label, const void*,
                  const std::uint64_t size) {
  if (std::strncmp(label, "Trident::", 9) == 0 && std::strcmp(label, "Trident::staging") != 0)
    allocated -= static_cast<long long>(size);
}

/// The peak of Kokkos' allocations during work(), above what there was, on this rank.
template <class Work>
long long peakOf(const Work& work) {
  allocated = highest = 0;
  Kokkos::Tools::Experimental::set_allocate_data_callback(onAllocate);
  Kokkos::Tools::Experimental::set_deallocate_data_callback(onDeallocate);
  work();
  Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr);
  Kokkos::Tools::Experimental::set_deallocate_data_callback(nullptr);
  return highest;
}

// A product that drops everything takes what the rounds take, and the bound. What the rounds and
// one row take is what it takes for a bound of a byte.
TEUCHOS_UNIT_TEST(FilteredFailure, PeakAgainstBound) {
  const Formula formula{16, 20};
  const Rule nothingStays{1e300};
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2})) {
    const auto transport = makeTransport(shape);
    const auto space = uniformSpace(shape, 300);
    const Matrix A = makeMatrix(transport, space, space, formula);
    RoundOptions options;
    const auto peakFor = [&](std::size_t bound, RoundCounters& counters) {
      options.pieceBytes = bound;
      return peakOf([&] { filtered(A, nothingStays, options, &counters); });
    };
    RoundCounters byRows, whole;
    options.pieceBytes = 1;
    filtered(A, nothingStays, options);  // makes what stays
    const long long base = peakFor(1, byRows);
    long long aRow = static_cast<long long>(byRows.predictedPieceBytes);  // the most of any row
    MPI_Allreduce(MPI_IN_PLACE, &aRow, 1, MPI_LONG_LONG, MPI_MAX, MPI_COMM_WORLD);
    const long long unbounded = peakFor(std::size_t(1) << 40, whole);
    out << shape.name() << ": rows one by one " << base << ", whole " << unbounded << "\n";
    for (const long long bound : {100000ll, 200000ll, 400000ll, 800000ll, 1600000ll}) {
      RoundCounters counters;
      const long long peak = peakFor(bound, counters);
      out << "  bound " << bound << ": peak " << peak << ", " << counters.pieces
          << " pieces, predicted " << counters.predictedPieceBytes << ", arrays "
          << counters.pieceBytes << "\n";
      const long long allowed = shape.nodeCols == 1 ? std::max(bound, aRow) : bound + aRow;
      TEST_COMPARE(peak, <=, base + allowed);
      TEST_COMPARE(static_cast<long long>(counters.predictedPieceBytes), <=, allowed);
      TEST_COMPARE(counters.pieceBytes, <=, counters.predictedPieceBytes);
      TEST_ASSERT(whole.predictedPieceBytes == 0 || counters.pieces > 1 ||
                  static_cast<long long>(whole.predictedPieceBytes) <= bound);
    }
    TEST_COMPARE(unbounded, >=, base);
  }
}

}  // namespace

}  // namespace Trident::Impl
