// SPDX-License-Identifier: BSD-3-Clause
// A stressed product: drawn from random numbers that every rank draws alike.
#ifndef TRIDENT_STRESS_CONFIGURATION_HPP
#define TRIDENT_STRESS_CONFIGURATION_HPP

#include <mpi.h>

#include <random>
#include <string>
#include <vector>

#include "Rounds_TestTools.hpp"
#include "exchange/Trident_GridExchanges.hpp"

namespace Trident::Impl {
namespace Stress {

using Random = std::mt19937_64;

template <class T>
T oneOf(Random& random, const std::vector<T>& choices) {
  return choices[random() % choices.size()];
}

/// A grid, and how moody its exchanges are.
struct GridConfiguration {
  GridShape shape;
  int nodeSize;      ///< ranks in a node of the machine
  int microseconds;  ///< longest injected delay; 0: exchanges as they are
  bool messages;     ///< true if requests travel by messages, as where there is no window

  explicit GridConfiguration(Random& random) {
    const int ranks = TestTools::worldSize();
    std::vector<GridShape> shapes = TestTools::gridsOf(ranks, {1, 2, 4});
    for (const GridShape& shape : allShapes(ranks, 1))
      shapes.push_back(summaShape(shape.nodeRows, shape.nodeCols));
    shape = oneOf(random, shapes);
    nodeSize = shape.order == RoundOrder::Summa ? 1 + static_cast<int>(random() % 4) : shape.lambda;
    microseconds = oneOf<int>(random, {0, 50, 300, 2000});
    messages = random() % 3 == 0;
  }

  NodeLayout layout() const {
    const NodeLayout nodes = layoutNodes(std::vector<int>(TestTools::worldSize(), 0), nodeSize);
    return shape.order == RoundOrder::Summa ? flattened(nodes) : nodes;
  }
  std::string text() const {
    return shape.name() + (shape.order == RoundOrder::Summa ? " SUMMA" : " Cannon") +
           ", nodes of " + std::to_string(nodeSize) + ", delays to " +
           std::to_string(microseconds) + " us" + (messages ? ", requests by messages" : "");
  }
};

enum class Chain { Single, Left, Right };  ///< A·B, (A·B)·C, A·(B·C)

/// One product, or two in a row.
struct ProductConfiguration {
  RoundOptions options;
  Position sizes[4];  ///< A is sizes[0] × sizes[1], B sizes[1] × sizes[2], C sizes[2] × sizes[3]
  int percents[3];    ///< stored places of A, B and C
  Chain chain;
  int victim = -1;     ///< the rank that fails first, before the product is done again; or none
  int allocation = 0;  ///< number of the allocation that fails there
  std::uint64_t seed;  ///< seed of cuts and entries

  ProductConfiguration(Random& random, const GridShape& shape, bool threadsMultiple) {
    std::vector<ExchangeKind> kinds{ExchangeKind::Auto, ExchangeKind::Prefetch};
    if (threadsMultiple) {
      kinds.push_back(ExchangeKind::RequestQueue);
      kinds.push_back(ExchangeKind::RequestQueue);
    }
    if (shape.order == RoundOrder::Summa) kinds.push_back(ExchangeKind::Ring);
    options.exchange = oneOf(random, kinds);
    options.gather =
        oneOf<GatherKind>(random, {GatherKind::Auto, GatherKind::Mpi, GatherKind::Shared});
    options.kernel =
        oneOf<KernelKind>(random, {KernelKind::Auto, KernelKind::Auto, KernelKind::KokkosKernels});
    options.fuseRounds = oneOf<int>(random, {0, 1, 2});
    if (shape.canFetchRows())
      options.fetch = oneOf<FetchKind>(random, {FetchKind::Auto, FetchKind::Tiles,
                                                FetchKind::NeededRows, FetchKind::NeededRows});
    options.prefetchDepth = oneOf<int>(random, {0, 1, 2, 3});
    options.messageBytes = oneOf<std::size_t>(
        random, {64, 100, 1000, 4096, std::size_t(1) << 20, std::size_t(1) << 26});
    options.memoryBytes = oneOf<std::size_t>(random, {0, 0, 1, 5000});
    options.synchronize = random() % 8 == 0;
    for (Position& size : sizes)
      size = oneOf<Position>(random, {0, 1, 7, 20, 33, 48, static_cast<Position>(random() % 48)});
    for (int& percent : percents) percent = oneOf<int>(random, {2, 10, 30, 100});
    chain = oneOf<Chain>(random, {Chain::Single, Chain::Single, Chain::Left, Chain::Right});
    if (random() % 4 == 0) victim = static_cast<int>(random() % shape.ranks());
    allocation = static_cast<int>(random() % 30);
    seed = random();
  }

  std::string text() const {
    const char* const chains[] = {"A*B", "(A*B)*C", "A*(B*C)"};
    std::string text = std::string(chains[static_cast<int>(chain)]) + " of";
    for (Position size : sizes) text += " " + std::to_string(size);
    text += " filled to";
    for (int percent : percents) text += " " + std::to_string(percent) + "%";
    text += ", " + TestTools::describe(options) + " memory " + std::to_string(options.memoryBytes) +
            (options.kernel == KernelKind::KokkosKernels ? ", kokkos-kernels" : "") +
            (options.synchronize ? ", synchronized" : "");
    if (victim >= 0)
      text +=
          ", rank " + std::to_string(victim) + " fails at allocation " + std::to_string(allocation);
    return text;
  }
};

}  // namespace Stress

}  // namespace Trident::Impl

#endif
