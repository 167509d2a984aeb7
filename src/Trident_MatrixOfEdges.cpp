// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_MatrixOfEdges.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Phase.hpp"
#include "tpetra/Trident_EdgeEntries.hpp"
#include "tpetra/Trident_TpetraCompat.hpp"

namespace Trident {
namespace Impl {
namespace {

constexpr const char* edgesFunction = "Trident::matrixOfEdges";

/// Returns the first contradiction in the options; an empty text if there is none. Local.
std::string problemOf(const EdgeOptions& options, bool labels) {
  constexpr long long most = (1LL << 31) - 1;
  if (options.rows < 0 || options.columns < 0 || options.rows > most || options.columns > most)
    return "rows and columns must be from 0 to 2^31 - 1";
  if (labels && (options.rows > 0 || options.columns > 0))
    return "labels say how many rows and columns there are; leave both 0";
  if (options.twoSets && options.bothWays)
    return "edges between two sets go one way; leave bothWays or twoSets out";
  if (!options.twoSets && options.columns > 0 && options.columns != options.rows)
    return "there are " + std::to_string(options.rows) + " rows and " +
           std::to_string(options.columns) +
           " columns; pass equal numbers, or twoSets, or columns = 0";
  return "";
}

void requireValues(const std::vector<double>& values) {
  for (const double value : values)
    if (std::isnan(value)) throw Error("an edge has a value that is not a number");
}

/// Throws Trident::Error on every rank if arguments are wrong or differ between ranks. Collective.
void agreeOnArguments(const EdgeOptions& options, bool labels, MPI_Comm comm) {
  checkArguments(comm, edgesFunction, [&](CollectiveArguments& values) {
    values.push_back({"nodes have", labels ? "labels" : "numbers"});
    values.push_back({"bothWays", options.bothWays ? "true" : "false"});
    values.push_back({"twoSets", options.twoSets ? "true" : "false"});
    values.push_back({"rows", std::to_string(options.rows)});
    values.push_back({"columns", std::to_string(options.columns)});
    return problemOf(options, labels);
  });
}

/// Makes the matrix of edges between numbered nodes. Checks the edges. Collective.
Teuchos::RCP<Tpetra::CrsMatrix<double>> matrixOfNumbers(
    const EdgeArrays& edges, const EdgeOptions& options,
    const Teuchos::RCP<const Teuchos::Comm<int>>& comm) {
  LocalFailure failure;
  std::vector<long long> sizes{0, 0};
  failure.guard([&] {
    requireLengths(edges.from.size(), edges.to.size(), edges.weights.size());
    requireValues(edges.weights);
    sizes[0] = countNumbers(edges.from, options.rows);
    sizes[1] = countNumbers(edges.to, options.twoSets ? options.columns : options.rows);
  });
  sizes = agreeOnEdges(sizes, edges.from.size(), edges.weights.size(), failure, rawComm(*comm));
  if (!options.twoSets) sizes[0] = sizes[1] = std::max(sizes[0], sizes[1]);
  return matrixOfEntries(edges, sizes[0], sizes[1], {options.bothWays, false}, comm);
}

}  // namespace
}  // namespace Impl

Teuchos::RCP<Tpetra::CrsMatrix<double>> matrixOfEdges(
    const std::vector<long long>& from, const std::vector<long long>& to,
    const std::vector<double>& values, const EdgeOptions& options,
    const Teuchos::RCP<const Teuchos::Comm<int>>& comm) {
  if (comm.is_null()) throw Error(Impl::edgesFunction, "the communicator is null");
  return Impl::withErrorContext(Impl::edgesFunction, [&] {
    const Impl::CallScope inside(Impl::edgesFunction);
    Impl::agreeOnArguments(options, false, Impl::rawComm(*comm));
    return Impl::matrixOfNumbers({from, to, values}, options, comm);
  });
}

LabelledMatrix matrixOfEdges(const std::vector<std::string>& from,
                             const std::vector<std::string>& to, const std::vector<double>& values,
                             const EdgeOptions& options,
                             const Teuchos::RCP<const Teuchos::Comm<int>>& comm) {
  if (comm.is_null()) throw Error(Impl::edgesFunction, "the communicator is null");
  return Impl::withErrorContext(Impl::edgesFunction, [&] {
    const Impl::CallScope inside(Impl::edgesFunction);
    const MPI_Comm raw = Impl::rawComm(*comm);
    Impl::agreeOnArguments(options, true, raw);
    Impl::runEverywhere(raw, [&] { Impl::requireLengths(from.size(), to.size(), values.size()); });
    Impl::NumberedEdges edges = Impl::numberedEdges(from, to, options.twoSets, raw);
    EdgeOptions sized = options;
    sized.rows = static_cast<long long>(edges.rowLabels.size());
    sized.columns = static_cast<long long>(edges.columnLabels.size());
    LabelledMatrix found;
    found.matrix = Impl::matrixOfNumbers({edges.from, edges.to, values}, sized, comm);
    found.rowLabels = std::move(edges.rowLabels);
    found.columnLabels = std::move(edges.columnLabels);
    return found;
  });
}

}  // namespace Trident
