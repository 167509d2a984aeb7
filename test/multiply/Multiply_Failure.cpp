// SPDX-License-Identifier: BSD-3-Clause
// A rank that runs out of memory, anywhere in a product, ends it on all ranks with one exception,
// and the next product is right. Every allocation of a product fails once, by a Kokkos callback.

#include <Teuchos_UnitTestHarness.hpp>
#include <stdexcept>
#include <string>

#include "Multiply_TestTools.hpp"
#include "Trident_Error.hpp"

namespace Trident {
namespace {

using TestTools::Formula;
using TestTools::gathered;
using TestTools::gridsOf;
using TestTools::makeMatrix;
using TestTools::makeTransport;
using TestTools::Matrix;
using TestTools::uniformSpace;
using TestTools::worldRank;
using TestTools::worldSize;

int allocationsLeft = -1;  // until one fails; negative: none fails
std::string failedLabel;

void countAllocation(Kokkos::Tools::SpaceHandle, const char* label, const void*, std::uint64_t) {
  if (allocationsLeft < 0 || allocationsLeft-- > 0) return;
  failedLabel = label;
  throw std::runtime_error("injected failure");
}

/// Fails allocations of this rank while it lives.
class FailingAllocation {
 public:
  explicit FailingAllocation(int number) {
    allocationsLeft = number;
    failedLabel.clear();
    Kokkos::Tools::Experimental::set_allocate_data_callback(countAllocation);
  }
  ~FailingAllocation() {
    allocationsLeft = -1;
    Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr);
  }
};

/// What a product says where allocation `number` of rank `victim` fails; empty where it succeeds.
std::string refusal(const Matrix& A, const RoundOptions& options, int victim, int number) {
  const FailingAllocation failing(worldRank() == victim ? number : -1);
  try {
    multiply(A, A, options);
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

TEUCHOS_UNIT_TEST(Failure, EveryAllocationOfAProduct) {
  const Formula formula{5, 30};
  const auto full = formula.full(24, 24);
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2})) {
    const auto transport = makeTransport(shape);
    const auto space = uniformSpace(shape, 24);
    const Matrix A = makeMatrix(transport, space, space, formula);
    // Its tiles stay in the gather's storage: where a failed rank writes nothing, they are no CSR
    // arrays of A's size, and who takes them for such crashes.
    const auto larger = uniformSpace(shape, 60);
    const Matrix full60 = makeMatrix(transport, larger, larger, Formula{6, 100});
    const int victim = worldSize() / 2;
    const std::string blamed =
        "rank " + std::to_string(victim) + " of " + std::to_string(worldSize());
    for (int fuse : {1, 0}) {
      RoundOptions options;
      options.fuseRounds = fuse;
      options.gather = fuse ? GatherKind::Mpi : GatherKind::Shared;
      for (int number = 0;; ++number) {
        multiply(full60, full60, options);
        const std::string text = refusal(A, options, victim, number);
        if (text.empty()) {
          TEST_ASSERT(failedLabel.empty());  // no failure went unnoticed
          out << shape.name() << " fuse " << fuse << ": " << number << " allocations\n";
          TEST_COMPARE(number, >, 0);
          break;
        }
        if (worldRank() == victim) out << failedLabel << ": " << text << "\n";
        TEST_ASSERT(text.find("Trident::multiply: injected failure") == 0);
        TEST_ASSERT(worldSize() == 1 || text.find(blamed) != std::string::npos);
      }
      TEST_EQUALITY_CONST(differences(gathered(multiply(A, A, options)), product(full, full)), 0);
    }
  }
}

}  // namespace
}  // namespace Trident
