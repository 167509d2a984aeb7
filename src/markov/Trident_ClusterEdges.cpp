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
#include "base/Trident_Threads.hpp"
#include "exchange/Trident_Context.hpp"
#include "grid/Trident_Partition.hpp"
#include "tpetra/Trident_TpetraCompat.hpp"
#include "transport/Trident_AllToAll.hpp"

namespace Trident {
namespace Impl {
namespace {

using Matrix = Tpetra::CrsMatrix<double>;
using GO = Matrix::global_ordinal_type;

/// The items of all ranks, in their order. Collective; throws Trident::Error on every rank.
/// @param what they are, for messages
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

/// How the rows of a graph are dealt to ranks: in their order, and about equally many to each.
struct DealtRows {
  long long nodes;
  int ranks;

  long long begin(int rank) const { return binBegin(nodes, ranks, rank); }
  int owner(long long node) const { return binOf(nodes, ranks, node); }
};

/// Half edges on their way to who has their rows: by grid rank.
struct OutgoingHalves {
  std::vector<long long> counts;
  std::vector<HalfEdge> halves;
};

/// Both halves of each edge. Local.
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

/// Puts half edges in the order of rows, and leaves the heaviest of each place. Local.
void keepHeaviest(std::vector<HalfEdge>& halves) {
  std::sort(halves.begin(), halves.end(), [](const HalfEdge& a, const HalfEdge& b) {
    if (a.row != b.row) return a.row < b.row;
    return a.column != b.column ? a.column < b.column : a.weight > b.weight;
  });
  halves.erase(std::unique(halves.begin(), halves.end(),
                           [](const HalfEdge& a, const HalfEdge& b) {
                             return a.row == b.row && a.column == b.column;
                           }),
               halves.end());
}

/// The edges of all ranks, both ways, in the rows that this rank has. Collective; throws
/// Trident::Error on every rank where one fails.
std::vector<HalfEdge> dealtHalves(const std::vector<long long>& from,
                                  const std::vector<long long>& to,
                                  const std::vector<double>& weights, const DealtRows& rows,
                                  MPI_Comm comm) {
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
  runEverywhere(comm, [&] { keepHeaviest(halves); });
  return halves;
}

/// The graph as a matrix. Collective; throws Trident::Error on every rank where one fails.
Teuchos::RCP<Matrix> graphOf(const std::vector<long long>& from, const std::vector<long long>& to,
                             const std::vector<double>& weights, long long nodes, MPI_Comm comm) {
  const auto teuchosComm = Teuchos::rcp(new Teuchos::MpiComm<int>(comm));
  const DealtRows dealt{nodes, teuchosComm->getSize()};
  const auto halves = dealtHalves(from, to, weights, dealt, comm);
  const long long begin = dealt.begin(teuchosComm->getRank());
  const auto rows = static_cast<std::size_t>(dealt.begin(teuchosComm->getRank() + 1) - begin);
  const auto map = Teuchos::rcp(
      new Matrix::map_type(static_cast<Tpetra::global_size_t>(nodes), rows, 0, teuchosComm));
  Teuchos::RCP<Matrix> A;
  runEverywhere(comm, [&] {
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

/// How many nodes the edges of all ranks name: up to the largest number. Collective; throws
/// Trident::Error on every rank where an edge is not good.
long long countNodes(const std::vector<long long>& from, const std::vector<long long>& to,
                     const std::vector<double>& weights, MPI_Comm comm) {
  LocalFailure failure;
  std::vector<long long> nodes{0};
  failure.guard([&] {
    const std::string problem = ThreadInside::problem();
    if (!problem.empty()) throw Error(problem);
    requireEdges(from, to, weights);
    for (const auto* numbers : {&from, &to})
      for (const long long number : *numbers) nodes[0] = std::max(nodes[0], number + 1);
  });
  maximumEverywhere(comm, nodes, failure);
  return nodes[0];
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

/// The labels of all ranks, numbered in their order. Collective.
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
  return Impl::inNameOf("Trident::markovCluster", [&] {
    const Impl::ThreadInside inside;
    const long long nodes = Impl::countNodes(from, to, weights, comm);
    return Impl::clustersOfEdges(from, to, weights, nodes, options, comm);
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
    const Impl::ThreadInside inside;
    Impl::countNodes(fromNumbers, toNumbers, weights, comm);  // for what is not good
    const auto nodes = static_cast<long long>(numbers.labels.size());
    EdgeClusters found =
        Impl::clustersOfEdges(fromNumbers, toNumbers, weights, nodes, options, comm);
    found.labels = std::move(numbers.labels);
    return found;
  });
}

}  // namespace Trident
