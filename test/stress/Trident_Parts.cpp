// SPDX-License-Identifier: BSD-3-Clause
// Products in disjoint parts of the world at the same time, as on the coarse levels of a multigrid
// hierarchy: each part makes its own grid, and so its own means of asking for slices, while other
// parts make theirs.
//
// Usage: [--parts N] [--products N] [--unequal yes|no] [--exchange NAME]
//
// Says which exchange each part took, and why, and whether all products were right.

#include <algorithm>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>

#include "Trident_Multiply.hpp"
#include "Trident_ScopeGuard.hpp"
#include "Trident_TestOracle.hpp"
#include "exchange/Trident_Context.hpp"

namespace {

using namespace TridentTest;

struct Arguments {
  int parts = 4, products = 60;
  bool unequal = false;
  std::string exchange = "auto";

  Arguments(int argc, char* argv[]) {
    for (int n = 1; n + 1 < argc; n += 2) {
      const std::string name = argv[n], value = argv[n + 1];
      if (name == "--parts")
        parts = std::stoi(value);
      else if (name == "--products")
        products = std::stoi(value);
      else if (name == "--unequal")
        unequal = value == "yes";
      else if (name == "--exchange")
        exchange = value;
      else
        throw std::invalid_argument("unknown: " + name);
    }
  }
  /// Returns a rank's part. Ranks are dealt; or the first part has half of the ranks, the second
  /// half of the rest, and so on.
  int partOf(int rank, int ranks) const {
    if (!unequal) return rank % parts;
    int part = 0;
    for (int left = ranks, first = 0; part + 1 < parts; ++part) {
      const int size = std::max(1, left / 2);
      if (rank < first + size) break;
      first += size;
      left -= size;
    }
    return part;
  }
};

/// The findings of one part: its exchange and the reason, or what is wrong.
struct Outcome {
  std::string exchange, problem;
};

Outcome multiplyInPart(const CommPtr& comm, const Arguments& arguments, int part) {
  Outcome outcome;
  Random random(1 + part);
  const int n = 40;
  const Indices indices = contiguousIndices(n);
  const Sparse a = randomSparse(random, n, n, true);
  const MatrixPtr A = makeUniform(a, comm);
  const Expected expected(a, a);
  const auto params = tridentList();
  params->sublist("Trident")
      .set("ranks per node", 1)
      .sublist("expert")
      .set("exchange", arguments.exchange);
  for (int p = 0; p < arguments.products && outcome.problem.empty(); ++p) {
    const MatrixPtr C = newResult(*A);
    const Trident::Report report = Trident::Multiply(*A, *A, *C, params);
    outcome.exchange = report.exchange + ": " + report.reasons;
    outcome.problem = everywhere(*comm, checkEntries(*C, expected, indices, indices, true));
  }
  return outcome;
}

int run(const Arguments& arguments) {
  const CommPtr all = world();
  const int rank = all->getRank(), part = arguments.partOf(rank, all->getSize());
  MPI_Comm raw = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, part, rank, &raw);
  Outcome outcome;
  try {
    outcome = multiplyInPart(Teuchos::rcp(new Teuchos::MpiComm<int>(raw)), arguments, part);
  } catch (const std::exception& e) {
    outcome.problem = e.what();
  }
  int first = 0;
  MPI_Comm_rank(raw, &first);
  if (first == 0) {
    std::printf("part %d: %s%s%s\n", part, outcome.exchange.c_str(),
                outcome.problem.empty() ? "" : "\nFAILED: ", outcome.problem.c_str());
    std::fflush(stdout);
  }
  MPI_Comm_free(&raw);
  return everywhere(*all, outcome.problem).empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char* argv[]) {
  const Arguments arguments(argc, argv);
  Trident::ScopeGuard scope(&argc, &argv);
  return run(arguments);
}
