// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_ClusterEdges.hpp"

#include <Teuchos_DefaultMpiComm.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Mpi.hpp"
#include "tpetra/Trident_TpetraCompat.hpp"

namespace Trident {
namespace Impl {
namespace {

using Matrix = Tpetra::CrsMatrix<double>;
using GO = Matrix::global_ordinal_type;

/// Gathers the items of all ranks, in their order. Collective; throws Trident::Error on every rank.
template <class T>
std::vector<T> gathered(const std::vector<T>& mine, MPI_Datatype type, MPI_Comm comm) {
  int ranks = 0, rank = 0;
  TRIDENT_MPI_CHECK(MPI_Comm_size(comm, &ranks));
  TRIDENT_MPI_CHECK(MPI_Comm_rank(comm, &rank));
  std::vector<long long> counts(ranks);
  const long long count = static_cast<long long>(mine.size());
  allGather(&count, 1, MPI_LONG_LONG, counts.data(), comm, "how many edges each rank has");
  std::vector<int> sizes(ranks), offsets(ranks);
  long long all = 0;
  for (int p = 0; p < ranks; ++p) {
    sizes[p] = static_cast<int>(counts[p]);
    offsets[p] = static_cast<int>(all);
    all += counts[p];
    if (all > std::numeric_limits<int>::max())  // as on all ranks
      throw Error("the edges are more than can be gathered; pass a matrix of them");
  }
  std::vector<T> items;
  runEverywhere(comm, [&] { items.resize(static_cast<std::size_t>(all)); });
  allGatherV(mine.data(), sizes[rank], type, items.data(), sizes.data(), offsets.data(), comm,
             "the edges of all ranks");
  return items;
}

void requireLengths(std::size_t from, std::size_t to, std::size_t weights) {
  if (from == to && (weights == from || weights == 0)) return;
  throw Error("there are " + std::to_string(from) + " nodes that edges come from, " +
              std::to_string(to) + " that they go to and " + std::to_string(weights) +
              " weights; pass arrays of one length, or no weights");
}

void requireEdges(const std::vector<long long>& from, const std::vector<long long>& to,
                  const std::vector<double>& weights) {
  requireLengths(from.size(), to.size(), weights.size());
  for (const auto* numbers : {&from, &to})
    for (const long long number : *numbers)
      if (number < 0 || number >= std::numeric_limits<int>::max())
        throw Error("an edge has the node " + std::to_string(number) +
                    "; nodes are numbers from 0 to 2^31 - 2");
  for (const double weight : weights)
    if (!(weight >= 0 && std::isfinite(weight)))
      throw Error(
          "an edge has a weight that is negative or not finite; weights must be numbers "
          "from 0 on");
}

/// An edge as a row has it.
struct HalfEdge {
  long long row, column;
  double weight;
};

/// Returns the edges of all ranks, both ways, in the rows that this rank has; of each place the
/// heaviest. Local.
std::vector<HalfEdge> halvesOf(const std::vector<long long>& from, const std::vector<long long>& to,
                               const std::vector<double>& weights, long long begin, long long end) {
  std::vector<HalfEdge> halves;
  const auto add = [&](long long row, long long column, double weight) {
    if (row >= begin && row < end) halves.push_back({row, column, weight});
  };
  for (std::size_t e = 0; e < from.size(); ++e) {
    if (from[e] == to[e] || weights[e] == 0) continue;
    add(from[e], to[e], weights[e]);
    add(to[e], from[e], weights[e]);
  }
  std::sort(halves.begin(), halves.end(), [](const HalfEdge& a, const HalfEdge& b) {
    if (a.row != b.row) return a.row < b.row;
    return a.column != b.column ? a.column < b.column : a.weight > b.weight;
  });
  halves.erase(std::unique(halves.begin(), halves.end(),
                           [](const HalfEdge& a, const HalfEdge& b) {
                             return a.row == b.row && a.column == b.column;
                           }),
               halves.end());
  return halves;
}

/// Makes the graph as a matrix. Collective; throws Trident::Error on every rank if one fails.
Teuchos::RCP<Matrix> graphOf(const std::vector<long long>& from, const std::vector<long long>& to,
                             const std::vector<double>& weights, long long nodes, MPI_Comm comm) {
  const auto teuchosComm = Teuchos::rcp(new Teuchos::MpiComm<int>(comm));
  const auto map =
      Teuchos::rcp(new Matrix::map_type(static_cast<Tpetra::global_size_t>(nodes), 0, teuchosComm));
  Teuchos::RCP<Matrix> A;
  runEverywhere(comm, [&] {
    const auto rows = localSize(*map);
    const long long begin = rows > 0 ? static_cast<long long>(map->getMinGlobalIndex()) : 0;
    const auto halves = halvesOf(from, to, weights, begin, begin + static_cast<long long>(rows));
    Teuchos::Array<std::size_t> counts(rows, 0);
    for (const HalfEdge& half : halves) ++counts[half.row - begin];
    A = Teuchos::rcp(new Matrix(map, counts()));
    std::vector<GO> columns;
    std::vector<double> values;
    for (std::size_t at = 0; at < halves.size();) {
      const std::size_t size = counts[halves[at].row - begin];
      columns.clear();
      values.clear();
      for (std::size_t e = at; e < at + size; ++e) {
        columns.push_back(static_cast<GO>(halves[e].column));
        values.push_back(halves[e].weight);
      }
      A->insertGlobalValues(static_cast<GO>(halves[at].row), static_cast<int>(size), values.data(),
                            columns.data());
      at += size;
    }
  });
  A->fillComplete();
  return A;
}

/// Clusters edges that are all there on every rank. Collective.
EdgeClusters clustersOfEdges(const std::vector<long long>& from, const std::vector<long long>& to,
                             const std::vector<double>& weights, long long nodes,
                             const MarkovOptions& options, MPI_Comm comm) {
  const auto A = graphOf(from, to, weights, nodes, comm);
  const auto result = Trident::markovCluster(*A, options);
  EdgeClusters found;
  found.clusters = result.clusters;
  found.singletons = result.singletons;
  found.largest = result.largest;
  found.iterations = result.iterations;
  found.chaos = result.chaos;
  found.converged = result.converged;
  std::vector<long long> mine;
  runEverywhere(comm, [&] {
    const auto labels = result.labels->getData();
    mine.assign(labels.begin(), labels.end());
  });
  found.clusterOf = gathered(mine, MPI_LONG_LONG, comm);
  return found;
}

/// The edges of all ranks on each.
struct AllEdges {
  std::vector<long long> from, to;
  std::vector<double> weights;
};

/// Gathers the edges of all ranks. Collective; throws Trident::Error on every rank if some of them
/// are not good.
AllEdges allEdges(const std::vector<long long>& from, const std::vector<long long>& to,
                  const std::vector<double>& weights, MPI_Comm comm) {
  std::vector<double> mine;
  runEverywhere(comm, [&] {
    requireEdges(from, to, weights);
    mine = weights.empty() ? std::vector<double>(from.size(), 1.0) : weights;
  });
  AllEdges all;
  all.from = gathered(from, MPI_LONG_LONG, comm);
  all.to = gathered(to, MPI_LONG_LONG, comm);
  all.weights = gathered(mine, MPI_DOUBLE, comm);
  return all;
}

/// Gives labels their numbers.
class LabelNumbers {
 public:
  long long of(const std::string& label) {
    const auto known = numbers_.emplace(label, static_cast<long long>(labels.size()));
    if (known.second) labels.push_back(label);
    return known.first->second;
  }

  std::vector<std::string> labels;

 private:
  std::unordered_map<std::string, long long> numbers_;
};

/// Numbers the labels of all ranks, in their order. Collective.
/// @param mine those of this rank, none twice
LabelNumbers numbersOfAll(const std::vector<std::string>& mine, MPI_Comm comm) {
  std::vector<char> text;
  std::vector<long long> lengths;
  runEverywhere(comm, [&] {
    for (const std::string& label : mine) {
      text.insert(text.end(), label.begin(), label.end());
      lengths.push_back(static_cast<long long>(label.size()));
    }
  });
  const auto allText = gathered(text, MPI_CHAR, comm);
  const auto allLengths = gathered(lengths, MPI_LONG_LONG, comm);
  LabelNumbers numbers;
  runEverywhere(comm, [&] {
    const char* at = allText.data();
    for (const long long length : allLengths) {
      numbers.of(std::string(at, static_cast<std::size_t>(length)));
      at += length;
    }
  });
  return numbers;
}

}  // namespace
}  // namespace Impl

EdgeClusters markovCluster(const std::vector<long long>& from, const std::vector<long long>& to,
                           const std::vector<double>& weights, const MarkovOptions& options,
                           MPI_Comm comm) {
  return Impl::inNameOf("Trident::markovCluster", [&] {
    const Impl::AllEdges all = Impl::allEdges(from, to, weights, comm);
    long long nodes = 0;
    for (const auto* numbers : {&all.from, &all.to})
      for (const long long number : *numbers) nodes = std::max(nodes, number + 1);
    return Impl::clustersOfEdges(all.from, all.to, all.weights, nodes, options, comm);
  });
}

EdgeClusters markovCluster(const std::vector<std::string>& from, const std::vector<std::string>& to,
                           const std::vector<double>& weights, const MarkovOptions& options,
                           MPI_Comm comm) {
  return Impl::inNameOf("Trident::markovCluster", [&] {
    Impl::LabelNumbers mine;
    Impl::runEverywhere(comm, [&] {
      Impl::requireLengths(from.size(), to.size(), weights.size());
      for (std::size_t e = 0; e < from.size(); ++e) {
        mine.of(from[e]);
        mine.of(to[e]);
      }
    });
    Impl::LabelNumbers numbers = Impl::numbersOfAll(mine.labels, comm);
    std::vector<long long> fromNumbers, toNumbers;
    Impl::runEverywhere(comm, [&] {
      for (const std::string& label : from) fromNumbers.push_back(numbers.of(label));
      for (const std::string& label : to) toNumbers.push_back(numbers.of(label));
    });
    const Impl::AllEdges all = Impl::allEdges(fromNumbers, toNumbers, weights, comm);
    const auto nodes = static_cast<long long>(numbers.labels.size());
    EdgeClusters found = Impl::clustersOfEdges(all.from, all.to, all.weights, nodes, options, comm);
    found.labels = std::move(numbers.labels);
    return found;
  });
}

}  // namespace Trident
