// SPDX-License-Identifier: BSD-3-Clause
// Lesson 8: the clusters of a network, by the library. Groups of 5, 10, 15 and 20 nodes follow each
// other; inside a group all know each other, and each node has two weak ties elsewhere.
// Trident::markovCluster() finds the groups, as the program mcl would.
//
// Look at how modularity is found: S has a one where node i is in cluster c, so SᵀAS has the weight
// between each two clusters, and inside of each. It is one call, and as small as the clusters are.
// The sizes that are printed are known for this network.
//
//   Trident_08_clustering.exe [nodes] [inflation]
#include <Teuchos_CommHelpers.hpp>
#include <Tpetra_Core.hpp>
#include <Trident_MarkovCluster.hpp>
#include <Trident_MatrixOfEdges.hpp>
#include <Trident_MultiplyRAP.hpp>
#include <Trident_ScopeGuard.hpp>
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <vector>

using matrix_type = Tpetra::CrsMatrix<>;
using map_type = matrix_type::map_type;
using vector_type = Tpetra::Vector<>;
using GO = map_type::global_ordinal_type;
using MapPtr = Teuchos::RCP<const map_type>;
using MatrixPtr = Teuchos::RCP<matrix_type>;

static constexpr GO block = 50;  // nodes of one group of each size
static constexpr int mostNodes = 20;

/// Makes the matrix whose row i lists the neighbours of node i. Each rank lists the edges of its
/// nodes; it might be any others. Collective.
static MatrixPtr network(const MapPtr& nodes) {
  const GO n = nodes->getGlobalNumElements();
  std::vector<long long> from, to;
  std::vector<double> weights;
  const auto tie = [&](GO i, GO j, double weight) {
    if (i == j) return;
    from.push_back(i);
    to.push_back(j);
    weights.push_back(weight);
  };
  for (GO i = nodes->getMinGlobalIndex(); i <= nodes->getMaxGlobalIndex(); ++i) {
    const GO place = i % block;
    const GO begin = place < 5 ? 0 : place < 15 ? 5 : place < 30 ? 15 : 30;
    const GO end = place < 5 ? 5 : place < 15 ? 15 : place < 30 ? 30 : 50;
    for (GO j = begin; j < end; ++j)
      if (i - place + j < n) tie(i, i - place + j, 1.0);
    if (i + block < n) tie(i, i + block, 0.2);
    if (i >= block) tie(i, i - block, 0.2);
  }
  Trident::EdgeOptions options;
  options.rows = n;
  return Trident::matrixOfEdges(from, to, weights, options, nodes->getComm());
}

/// Makes a matrix with a row for each node and a column for each cluster. Collective.
template <class Labels>
static MatrixPtr membership(const Labels& labels, const MapPtr& clusters) {
  const auto nodes = labels.getMap();
  const auto S = Teuchos::rcp(new matrix_type(nodes, 1));
  const auto labelOf = labels.getData();
  const GO first = nodes->getMinGlobalIndex();
  for (GO i = first; i <= nodes->getMaxGlobalIndex(); ++i)
    S->insertGlobalValues(i, Teuchos::tuple<GO>(labelOf[i - first]), Teuchos::tuple<double>(1.0));
  S->fillComplete(clusters, nodes);
  return S;
}

/// Returns the share of all weight that is inside clusters, less that of chance. Collective.
static double modularity(const matrix_type& A, const matrix_type& S, const MapPtr& clusters) {
  matrix_type between(clusters, 0);
  Trident::MultiplyRAP(S, true, A, false, S, false, between);
  vector_type inside(clusters), ones(clusters), all(clusters);
  between.getLocalDiagCopy(inside);
  ones.putScalar(1.0);
  between.apply(ones, all);
  const double weight = all.norm1();  // no weight is negative
  return inside.norm1() / weight - all.dot(all) / (weight * weight);
}

/// Counts the clusters of each number of nodes, up to `most`. Collective.
static std::vector<int> countSizes(const matrix_type& S, int most) {
  vector_type ones(S.getRangeMap()), sizes(S.getDomainMap());
  ones.putScalar(1.0);
  S.apply(ones, sizes, Teuchos::TRANS);
  std::vector<int> mine(most + 1, 0), all(most + 1, 0);
  for (const double size : sizes.getData()) ++mine[static_cast<int>(std::min<double>(size, most))];
  Teuchos::reduceAll(*S.getComm(), Teuchos::REDUCE_SUM, most + 1, mine.data(), all.data());
  return all;
}

int main(int argc, char* argv[]) {
  const Trident::ScopeGuard scope(&argc, &argv);  // Tpetra's, and threads for the exchange
  const auto comm = Tpetra::getDefaultComm();
  const MapPtr nodes = Teuchos::rcp(new map_type(argc > 1 ? std::atol(argv[1]) : 5000, 0, comm));
  const MatrixPtr A = network(nodes);

  Trident::MarkovOptions options;
  options.inflation = argc > 2 ? std::atof(argv[2]) : 2.0;
  const auto found = Trident::markovCluster(*A, options);

  const MapPtr clusters = Teuchos::rcp(new map_type(found.clusters, 0, comm));
  const MatrixPtr S = membership(*found.labels, clusters);
  const std::vector<int> sizes = countSizes(*S, mostNodes + 1);
  const double fits = modularity(*A, *S, clusters);
  if (comm->getRank() != 0) return 0;
  std::cout << found.clusters << " clusters after " << found.iterations << " iterations, "
            << found.singletons << " of one node, the largest of " << found.largest
            << "\nmodularity " << fits << "\n";
  for (int size = 1; size <= mostNodes; ++size)
    if (sizes[size] > 0) std::cout << sizes[size] << " of " << size << " nodes\n";
  if (sizes.back() > 0) std::cout << sizes.back() << " larger ones\n";
}
