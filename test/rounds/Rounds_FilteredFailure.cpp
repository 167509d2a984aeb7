// SPDX-License-Identifier: BSD-3-Clause
// A product in pieces, filtered or given to a consumer, whose every allocation fails once, on one
// rank: it ends on all ranks with one exception, and the next one is right. And what such a product
// takes of memory, by Kokkos' own account, against the bound.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "Rounds_TestTools.hpp"
#include "Trident_FailingAllocation.hpp"
#include "Trident_TestFilter.hpp"
#include "rounds/Trident_FilteredMultiply.hpp"
#include "rounds/Trident_RowPartMerge.hpp"

namespace Trident::Impl {
namespace {

using TestTools::Dense;
using TestTools::Device;
using TestTools::expectedRows;
using TestTools::FailingAllocation;
using TestTools::Formula;
using TestTools::gathered;
using TestTools::gridsOf;
using TestTools::makeExchanges;
using TestTools::makeMatrix;
using TestTools::Matrix;
using TestTools::uniformSpace;
using TestTools::worldRank;
using TestTools::worldSize;

using Rule = DropRule<double>;

Matrix filtered(const Matrix& A, const Rule& rule, const RoundOptions& options,
                RoundCounters* counters = nullptr) {
  return TestTools::filterOnGrid(A, A, RuleFilter<double, Rule>{rule}, options, counters);
}

using Rows = NumberedPiece<double, Device>;

template <class View>
auto onHost(const View& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
}

/// Returns A·A as a consumer gets it on this rank.
Dense<double> passed(const Matrix& A, const RoundOptions& options) {
  const int size = static_cast<int>(A.rows()->size());
  Dense<double> all(size, size);
  RoundCounters counters;
  const auto consume = [&](const Rows& piece) {
    const auto rows = onHost(piece.rows), columns = onHost(piece.columns);
    const auto begin = onHost(piece.begin);
    const auto values = onHost(piece.values);
    for (std::size_t r = 0; r < rows.extent(0); ++r)
      for (std::size_t e = begin(r); e < begin(r + 1); ++e)
        all.add(static_cast<int>(rows(r)), static_cast<int>(columns(e)), values(e));
  };
  TestTools::passOnGrid(A, A, consume, options, counters);
  return all;
}

/// Sums all ranks' parts of a product, on every rank. Collective.
Dense<double> summed(Dense<double> part) {
  const int count = static_cast<int>(part.values.size());
  MPI_Allreduce(MPI_IN_PLACE, part.values.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, part.stored.data(), count, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  return part;
}
Dense<double> summed(const Matrix& C) { return gathered(C); }

/// Returns the error of a product if allocation `number` of rank `victim` fails; an empty text if
/// it succeeds.
template <class Multiply>
std::string refusal(const Multiply& multiply, int victim, int number) {
  const FailingAllocation failing(worldRank() == victim ? number : FailingAllocation::never);
  try {
    multiply();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

/// Fails each allocation of `multiply(A, options)` once. Empty where all went as it should.
/// Collective.
/// @param multiply returns what summed() takes, which is called when nothing can fail any more: it
///   copies from the device, and where a rank fails in that, the others wait
/// @param expected the whole product where nothing fails
template <class Multiply>
std::string failEach(const Matrix& A, const Dense<double>& expected, const Multiply& multiply) {
  const int victim = worldSize() / 2;
  const std::string blamed = "rank " + std::to_string(victim) + " of ";
  RoundOptions options;
  options.exchange = ExchangeKind::Prefetch;
  options.pieceBytes = 20000;  // a few pieces
  multiply(A, options);        // makes what is made once
  int allocations = TestTools::allocationsOf([&] { multiply(A, options); });
  MPI_Bcast(&allocations, 1, MPI_INT, victim, MPI_COMM_WORLD);
  const int stride = TestTools::stepOfFailures(allocations, isHost<Device>);
  for (int number = 0;; number += stride) {
    const std::string text = refusal([&] { multiply(A, options); }, victim, number);
    const std::string of = "allocation " + std::to_string(number) + ": ";
    if (text.empty())
      return number == 0                           ? "nothing was allocated"
             : !FailingAllocation::label().empty() ? of + "went unnoticed"
                                                   : "";
    if (text.find("injected failure") != 0) return of + text;
    if (worldSize() > 1 && text.find(blamed) == std::string::npos) return of + text;
    const std::string wrong = differences(summed(multiply(A, options)), expected);
    if (!wrong.empty()) return of + "and then " + wrong;
  }
}

TEUCHOS_UNIT_TEST(FilteredFailure, EveryAllocation) {
  const Formula formula{15, 40};
  // The second one is judged where entries are, also where ranks share rows.
  const Rule rules[] = {{2, DropRelativeTo::Nothing, 3}, {2}};
  const auto full = formula.full(24, 24);
  const auto whole = product(full, full);
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2})) {
    const auto exchanges = makeExchanges(shape);
    const auto space = uniformSpace(shape, 24);
    const Matrix A = makeMatrix(exchanges, space, space, formula);
    out << shape.name() << "\n";
    for (const Rule& rule : rules)
      TRIDENT_TEST_OK(failEach(
          A, expectedRows(rule, whole),
          [&](const Matrix& a, const auto& options) { return filtered(a, rule, options); }));
    TRIDENT_TEST_OK(failEach(A, whole, passed));
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

/// Returns the peak of Kokkos' allocations during work(), above what there was, on this rank.
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

/// Compares the peaks of `multiply(options, counters)` for five bounds. What the rounds and one row
/// take is what it takes for a bound of a byte. Collective.
template <class Multiply>
void comparePeaks(const GridShape& shape, const Multiply& multiply, Teuchos::FancyOStream& out,
                  bool& success) {
  RoundOptions options;
  const auto peakFor = [&](std::size_t bound, RoundCounters& counters) {
    options.pieceBytes = bound;
    return peakOf([&] { multiply(options, counters); });
  };
  RoundCounters first, byRows, whole;
  options.pieceBytes = 1;
  multiply(options, first);  // makes what stays
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
    // What the report says is what Kokkos has seen.
    TEST_COMPARE(peak, <=, base + static_cast<long long>(counters.pieceBytes));
    // Three arrays of offsets are counted, of which the first is freed before the last is made.
    TEST_COMPARE(static_cast<long long>(counters.pieceBytes), <=, peak + peak / 100);
    TEST_ASSERT(counters.pieces > 1 || static_cast<long long>(whole.pieceBytes) <= bound);
  }
  TEST_COMPARE(unbounded, >=, base);
}

// A product that keeps nothing takes what the rounds take, and the bound.
TEUCHOS_UNIT_TEST(FilteredFailure, PeakAgainstBound) {
  const Formula formula{16, 20};
  const Rule nothingStays{1e300, DropRelativeTo::Nothing, 1};  // a matter of the row
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2})) {
    const auto exchanges = makeExchanges(shape);
    const auto space = uniformSpace(shape, 300);
    const Matrix A = makeMatrix(exchanges, space, space, formula);
    const auto filter = [&](const RoundOptions& options, RoundCounters& counters) {
      filtered(A, nothingStays, options, &counters);
    };
    const auto pass = [&](const RoundOptions& options, RoundCounters& counters) {
      TestTools::passOnGrid(
          A, A, [](const Rows&) {}, options, counters);
    };
    comparePeaks(shape, filter, out, success);
    comparePeaks(shape, pass, out, success);
  }
}

}  // namespace

}  // namespace Trident::Impl
