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
#include "base/Trident_Phase.hpp"
#include "exchange/Trident_Context.hpp"
#include "grid/Trident_Partition.hpp"
#include "tpetra/Trident_TpetraCompat.hpp"
#include "transport/Trident_AllToAll.hpp"

namespace Trident {
namespace Impl {
namespace {

using Matrix = Tpetra::CrsMatrix<double>;
using GO = Matrix::global_ordinal_type;

/// Gathers the items of all ranks, in their order. Collective; throws Trident::Error on every rank.
/// @param what name of the items, for messages
template <class T>
std::vector<T> gathered(const std::vector<T>& mine, MPI_Datatype type, MPI_Comm comm,
                        const char* what) {
  int ranks = 0, rank = 0;
  TRIDENT_MPI_CHECK(MPI_Comm_size(comm, &ranks));
  TRIDENT_MPI_CHECK(MPI_Comm_rank(comm, &rank));
  std::vector<long long> counts(ranks);
  const long long count = static_cast<long long>(mine.size());
  allGather(&count, 1, MPI_LONG_LONG, counts.data(), comm, what);
  std::vector<int> sizes(ranks), offsets(ranks);
  long long all = 0;
  for (int p = 0; p < ranks; ++p) {
    sizes[p] = static_cast<int>(counts[p]);
    offsets[p] = static_cast<int>(all);
    all += counts[p];
    if (all > std::numeric_limits<int>::max())  // as on all ranks
      throw Error(std::string(what) + " are more than can be gathered; pass a matrix of the edges");
  }
  std::vector<T> items;
  runEverywhere(comm, [&] { items.resize(static_cast<std::size_t>(all)); });
  allGatherV(mine.data(), sizes[rank], type, items.data(), sizes.data(), offsets.data(), comm,
             what);
  return items;
}

void requireLengths(std::size_t from, std::size_t to, std::size_t weights) {
  if (from == to && (weights == from || weights == 0)) return;
  throw Error("there are " + std::to_string(from) + " nodes that edges come from, " +
              std::to_string(to) + " that they go to and " + std::to_string(weights) +
              " weights; pass arrays of one length, or no weights");
}

void requireNodes(const std::vector<long long>& numbers) {
  for (const long long number : numbers)
    if (number < 0 || number >= std::numeric_limits<int>::max())
      throw Error("an edge has the node " + std::to_string(number) +
                  "; nodes are numbers from 0 to 2^31 - 2");
}

/// Throws if the calling thread may not be inside, or lengths or weights are not good.
void requireEdges(std::size_t from, std::size_t to, const std::vector<double>& weights) {
  const std::string problem = SingleThreadGuard::problem();
  if (!problem.empty()) throw Error(problem);
  requireLengths(from, to, weights.size());
  for (const double weight : weights)
    if (!(weight >= 0 && std::isfinite(weight)))
      throw Error(
          "an edge has a weight that is negative or not finite; weights must be numbers "
          "from 0 on");
}

/// An edge in the row of its node.
struct HalfEdge {
  long long row, column;
  double weight;
};

/// The deal of a graph's rows to ranks: in their order, and about equally many to each.
struct DealtRows {
  long long nodes;
  int ranks;

  long long begin(int rank) const { return binBegin(nodes, ranks, rank); }
  int owner(long long node) const { return binOf(nodes, ranks, node); }
};

/// Half edges on their way to the owners of their rows, by grid rank.
struct OutgoingHalves {
  std::vector<long long> counts;
  std::vector<HalfEdge> halves;
};

/// Returns both halves of each edge. Local.
/// @param weights of the edges, or empty: all are 1
/// @param gridRanks by rank of the communicator that rows are dealt on
OutgoingHalves halvesOf(const std::vector<long long>& from, const std::vector<long long>& to,
                        const std::vector<double>& weights, const DealtRows& rows,
                        const std::vector<int>& gridRanks) {
  const auto each = [&](const auto& take) {
    for (std::size_t e = 0; e < from.size(); ++e) {
      const double weight = weights.empty() ? 1 : weights[e];
      if (from[e] == to[e] || weight == 0) continue;
      take(gridRanks[rows.owner(from[e])], HalfEdge{from[e], to[e], weight});
      take(gridRanks[rows.owner(to[e])], HalfEdge{to[e], from[e], weight});
    }
  };
  OutgoingHalves out;
  out.counts.assign(gridRanks.size(), 0);
  each([&](int rank, const HalfEdge&) { ++out.counts[rank]; });
  std::vector<long long> at(gridRanks.size() + 1, 0);
  for (std::size_t g = 0; g < gridRanks.size(); ++g) at[g + 1] = at[g] + out.counts[g];
  out.halves.resize(static_cast<std::size_t>(at.back()));
  each([&](int rank, const HalfEdge& half) { out.halves[at[rank]++] = half; });
  return out;
}

/// An edge in the row that has it.
struct Neighbour {
  long long column;
  double weight;
};

/// Rows of a graph: the neighbours of row r from the r-th offset on, columns ascending.
struct NeighbourRows {
  std::vector<std::size_t> offsets;
  std::vector<Neighbour> neighbours;

  std::size_t rows() const { return offsets.size() - 1; }
};

/// Deals half edges to their rows, which are sorted then one by one. Local; frees the half edges.
/// @param begin the first of so many rows
NeighbourRows rowsOf(std::vector<HalfEdge>&& halves, long long begin, std::size_t rows) {
  NeighbourRows all{std::vector<std::size_t>(rows + 2, 0), std::vector<Neighbour>(halves.size())};
  // Of row r the offset at r + 2, then at r + 1 while it is filled: so none is copied.
  for (const HalfEdge& half : halves) ++all.offsets[half.row - begin + 2];
  for (std::size_t r = 0; r < rows; ++r) all.offsets[r + 2] += all.offsets[r + 1];
  for (const HalfEdge& half : halves)
    all.neighbours[all.offsets[half.row - begin + 1]++] = {half.column, half.weight};
  std::vector<HalfEdge>().swap(halves);  // = {} would keep the memory
  all.offsets.pop_back();
  for (std::size_t r = 0; r < rows; ++r)
    std::sort(all.neighbours.begin() + static_cast<std::ptrdiff_t>(all.offsets[r]),
              all.neighbours.begin() + static_cast<std::ptrdiff_t>(all.offsets[r + 1]),
              [](const Neighbour& a, const Neighbour& b) {
                return a.column != b.column ? a.column < b.column : a.weight > b.weight;
              });
  return all;
}

/// Leaves the heaviest edge of each place. Local.
void keepHeaviest(NeighbourRows& rows) {
  std::size_t kept = 0, begin = 0;
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    const std::size_t end = rows.offsets[r + 1], first = kept;
    for (std::size_t e = begin; e < end; ++e)
      if (kept == first || rows.neighbours[kept - 1].column != rows.neighbours[e].column)
        rows.neighbours[kept++] = rows.neighbours[e];
    begin = end;
    rows.offsets[r + 1] = kept;
  }
  rows.neighbours.resize(kept);
}

/// Brings the edges of all ranks, both ways, to the ranks that have their rows. Collective; throws
/// Trident::Error on every rank where one fails.
NeighbourRows dealtRows(const std::vector<long long>& from, const std::vector<long long>& to,
                        const std::vector<double>& weights, const DealtRows& rows, MPI_Comm comm) {
  const MessageOptions messages;
  const GridRanks& ranks = Context::of(comm).ranks(0);
  std::vector<int> gridRanks;  // a number for each rank, as counts for each are sent below
  runEverywhere(comm, [&] { gridRanks.resize(rows.ranks); });
  const int me = ranks.rank();
  allGather(&me, 1, MPI_INT, gridRanks.data(), comm, "the ranks that have rows");
  OutgoingHalves out;
  runEverywhere(comm, [&] { out = halvesOf(from, to, weights, rows, gridRanks); });
  const AllToAll toOwners(ranks, out.counts, messages.messageBytes);
  std::vector<HalfEdge> halves;
  runEverywhere(comm, [&] { halves.resize(static_cast<std::size_t>(toOwners.receives())); });
  Traffic uncounted;
  toOwners.exchange(out.halves.data(), halves.data(), sizeof(HalfEdge), uncounted);
  out = {};
  int rank = 0;
  TRIDENT_MPI_CHECK(MPI_Comm_rank(comm, &rank));
  const long long begin = rows.begin(rank), end = rows.begin(rank + 1);
  NeighbourRows own;
  runEverywhere(comm, [&] {
    own = rowsOf(std::move(halves), begin, static_cast<std::size_t>(end - begin));
    keepHeaviest(own);
  });
  return own;
}

/// Makes the graph a matrix. Collective; throws Trident::Error on every rank where one fails.
Teuchos::RCP<Matrix> graphOf(const std::vector<long long>& from, const std::vector<long long>& to,
                             const std::vector<double>& weights, long long nodes, MPI_Comm comm) {
  const auto teuchosComm = Teuchos::rcp(new Teuchos::MpiComm<int>(comm));
  const DealtRows dealt{nodes, teuchosComm->getSize()};
  const NeighbourRows own = dealtRows(from, to, weights, dealt, comm);
  const long long begin = dealt.begin(teuchosComm->getRank());
  const auto map = Teuchos::rcp(
      new Matrix::map_type(static_cast<Tpetra::global_size_t>(nodes), own.rows(), 0, teuchosComm));
  Teuchos::RCP<Matrix> A;
  runEverywhere(comm, [&] {
    Teuchos::Array<std::size_t> counts(own.rows());
    for (std::size_t r = 0; r < own.rows(); ++r) counts[r] = own.offsets[r + 1] - own.offsets[r];
    A = Teuchos::rcp(new Matrix(map, counts()));
    std::vector<GO> columns;
    std::vector<double> values;
    for (std::size_t r = 0; r < own.rows(); ++r) {
      columns.clear();
      values.clear();
      for (std::size_t e = own.offsets[r]; e < own.offsets[r + 1]; ++e) {
        columns.push_back(static_cast<GO>(own.neighbours[e].column));
        values.push_back(own.neighbours[e].weight);
      }
      if (!columns.empty())
        A->insertGlobalValues(static_cast<GO>(begin + static_cast<long long>(r)),
                              static_cast<int>(columns.size()), values.data(), columns.data());
    }
  });
  A->fillComplete();
  return A;
}

/// Clusters edges that are good. Collective.
EdgeClusters clustersOfEdges(const std::vector<long long>& from, const std::vector<long long>& to,
                             const std::vector<double>& weights, long long nodes,
                             const MarkovOptions& options, MPI_Comm comm) {
  const auto A = graphOf(from, to, weights, nodes, comm);
  const auto result = Trident::markovCluster(*A, options);
  EdgeClusters found;
  static_cast<MarkovFound&>(found) = result;
  std::vector<long long> mine;
  runEverywhere(comm, [&] {
    const auto labels = result.labels->getData();
    mine.assign(labels.begin(), labels.end());
  });
  found.clusterOf = gathered(mine, MPI_LONG_LONG, comm, "clusters of nodes");
  return found;
}

/// Returns the most nodes of a rank. Collective; throws Trident::Error on every rank where one has
/// failed, or where some ranks have weights and others edges without.
long long agreeOnEdges(long long nodes, std::size_t edges, std::size_t weights,
                       const LocalFailure& failure, MPI_Comm comm) {
  std::vector<long long> most{nodes, weights > 0, edges > weights};
  maximumEverywhere(comm, most, failure);
  if (most[1] && most[2])
    throw Error(
        "some ranks pass weights, and others edges without; pass weights on each rank that has "
        "edges, or on none");
  return most[0];
}

/// Counts the nodes that the edges of all ranks name: up to the largest number. Collective; throws
/// Trident::Error on every rank where an edge is not good.
long long countNodes(const std::vector<long long>& from, const std::vector<long long>& to,
                     const std::vector<double>& weights, MPI_Comm comm) {
  LocalFailure failure;
  long long nodes = 0;
  failure.guard([&] {
    requireEdges(from.size(), to.size(), weights);
    for (const auto* numbers : {&from, &to}) {
      requireNodes(*numbers);
      for (const long long number : *numbers) nodes = std::max(nodes, number + 1);
    }
  });
  return agreeOnEdges(nodes, from.size(), weights.size(), failure, comm);
}

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

/// Numbers the labels of all ranks in their order. Collective.
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
  const auto allText = gathered(text, MPI_CHAR, comm, "letters of labels");
  const auto allLengths = gathered(lengths, MPI_LONG_LONG, comm, "labels");
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
  return Impl::withErrorContext("Trident::markovCluster", [&] {
    const Impl::CallScope inside("Trident::markovCluster");
    const long long nodes = Impl::countNodes(from, to, weights, comm);
    return Impl::clustersOfEdges(from, to, weights, nodes, options, comm);
  });
}

EdgeClusters markovCluster(const std::vector<std::string>& from, const std::vector<std::string>& to,
                           const std::vector<double>& weights, const MarkovOptions& options,
                           MPI_Comm comm) {
  return Impl::withErrorContext("Trident::markovCluster", [&] {
    const Impl::CallScope inside("Trident::markovCluster");
    Impl::LabelNumbers mine;
    Impl::LocalFailure failure;
    failure.guard([&] {
      Impl::requireEdges(from.size(), to.size(), weights);
      for (std::size_t e = 0; e < from.size(); ++e) {
        mine.of(from[e]);
        mine.of(to[e]);
      }
    });
    Impl::agreeOnEdges(0, from.size(), weights.size(), failure, comm);
    Impl::LabelNumbers numbers = Impl::numbersOfAll(mine.labels, comm);
    std::vector<long long> fromNumbers, toNumbers;
    Impl::runEverywhere(comm, [&] {
      for (const std::string& label : from) fromNumbers.push_back(numbers.of(label));
      for (const std::string& label : to) toNumbers.push_back(numbers.of(label));
    });
    const auto nodes = static_cast<long long>(numbers.labels.size());
    EdgeClusters found =
        Impl::clustersOfEdges(fromNumbers, toNumbers, weights, nodes, options, comm);
    found.labels = std::move(numbers.labels);
    return found;
  });
}

}  // namespace Trident
