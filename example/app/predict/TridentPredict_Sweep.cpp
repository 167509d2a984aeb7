// SPDX-License-Identifier: BSD-3-Clause
#include "TridentPredict_Sweep.hpp"

#include <algorithm>
#include <stdexcept>

#include "TridentProblems_ParseNumber.hpp"

namespace Trident {
namespace Predict {
namespace {

/// Returns the shapes that "grid" names for so many nodes.
std::vector<GridShape> shapesOf(const std::string& grid, int nodes, int lambda) {
  if (grid == "square") return {squareShape(nodes, lambda)};
  if (grid == "tall") return {{nodes, 1, lambda}};
  if (grid == "all") return allShapes(nodes, lambda);
  const char *at = grid.data(), *end = at + grid.size();
  std::int64_t rows = 0, columns = 0;
  const bool read = Problems::parseInteger(at, end, rows) && at != end && *at++ == 'x' &&
                    Problems::parseInteger(at, end, columns) && at == end;
  const GridShape shape{static_cast<int>(rows), static_cast<int>(columns), lambda};
  if (!read || !shape.fills(nodes))
    throw std::runtime_error("--grid=" + grid + " does not fit " + std::to_string(nodes) +
                             " nodes; use all, square, tall, or PRxPC with PR times PC nodes");
  return {shape};
}

std::vector<Case> casesOf(const std::string& algorithm, int ranks, const Options& options,
                          const Machine& machine) {
  const int nodeSize = std::min(ranks, machine.ranksPerNode);
  if (ranks % nodeSize != 0)
    throw std::runtime_error("--ranks: " + std::to_string(ranks) + " are no full nodes of " +
                             std::to_string(nodeSize) + " ranks, as the machine has");
  if (algorithm == "tpetra") return {{algorithm, {ranks, 1, 1}, nodeSize, options.fetch}};
  if (algorithm == "summa") {
    const GridShape square = squareShape(ranks, 1);
    return {{algorithm, summaShape(square.nodeRows, square.nodeCols), nodeSize, options.fetch}};
  }
  std::vector<Case> cases;
  for (const int lambda : options.lambdas.empty() ? std::vector<int>{nodeSize} : options.lambdas) {
    if (nodeSize % lambda != 0)
      throw std::runtime_error("--lambda: " + std::to_string(lambda) + " does not divide " +
                               std::to_string(nodeSize) + ", the ranks of a node");
    for (const GridShape& shape : shapesOf(options.grid, ranks / lambda, lambda))
      cases.push_back({algorithm, shape, nodeSize, options.fetch});
  }
  return cases;
}

void sumTraffic(const Counted& counted, Prediction& prediction) {
  const int nodeSize = prediction.which.nodeSize;
  double node = 0;
  for (int rank = 0; rank < counted.traffic.ranks(); ++rank) {
    if (rank % nodeSize == 0) node = 0;
    double mine = 0;
    const TrafficByPart& received = counted.traffic.received[rank];
    for (Traffic TrafficByPart::*part : {&TrafficByPart::import, &TrafficByPart::rounds,
                                         &TrafficByPart::export_, &TrafficByPart::setup}) {
      prediction.received.*part += received.*part;
      mine += static_cast<double>((received.*part).internodeBytes);
    }
    node += mine;
    prediction.fullestRank = std::max(prediction.fullestRank, mine);
    prediction.fullestNode = std::max(prediction.fullestNode, node);
  }
}

double imbalanceOf(const Counted& counted) {
  double most = 0, sum = 0;
  for (const RankLoad& load : counted.loads) {
    most = std::max(most, load.multiplyAdds);
    sum += load.multiplyAdds;
  }
  return sum > 0 ? most * static_cast<double>(counted.loads.size()) / sum : 1;
}

}  // namespace

Prediction predict(ProductCounter& counter, const Case& which, const Machine& machine) {
  const Counted counted = counter.count(which);
  Prediction prediction;
  prediction.which = which;
  prediction.neededRows = counted.neededRows;
  sumTraffic(counted, prediction);
  prediction.imbalance = imbalanceOf(counted);
  prediction.memory = largestMemory(which, counted, machine);
  prediction.seconds = predictSeconds(which, counted, machine);
  return prediction;
}

std::vector<Prediction> sweep(ProductCounter& counter, const Options& options,
                              const Machine& machine) {
  std::vector<Prediction> all;
  for (const int ranks : options.ranks)
    for (const std::string& algorithm : options.algorithms) {
      const std::size_t first = all.size();
      for (const Case& which : casesOf(algorithm, ranks, options, machine))
        all.push_back(predict(counter, which, machine));
      std::min_element(all.begin() + static_cast<std::ptrdiff_t>(first), all.end(),
                       [](const Prediction& a, const Prediction& b) {
                         return a.seconds.total() < b.seconds.total();
                       })
          ->best = true;
    }
  return all;
}

std::vector<Prediction> leastNodes(ProductCounter& counter, const Options& options,
                                   const Machine& machine, int mostNodes) {
  if (machine.memoryBytes == 0)
    throw std::runtime_error("--least-ranks needs \"memory bytes\" of the machine");
  std::vector<Prediction> found;
  const auto holds = [&](int nodes) {
    for (const GridShape& shape :
         {GridShape{nodes, 1, machine.ranksPerNode}, squareShape(nodes, machine.ranksPerNode)}) {
      const Prediction prediction =
          predict(counter, {"trident", shape, machine.ranksPerNode, options.fetch}, machine);
      if (prediction.memory > machine.memoryBytes) continue;
      found.assign(1, prediction);
      return true;
    }
    return false;
  };
  int enough = 1, tooFew = 0;
  while (!holds(enough)) {
    if (enough == mostNodes) return {};
    tooFew = enough;
    enough = std::min(2 * enough, mostNodes);
  }
  while (enough - tooFew > 1) {
    const int middle = tooFew + (enough - tooFew) / 2;
    (holds(middle) ? enough : tooFew) = middle;
  }
  return found;
}

}  // namespace Predict
}  // namespace Trident
