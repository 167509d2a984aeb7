// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_OPTIONS_HPP
#define TRIDENT_OPTIONS_HPP

#include <cstddef>
#include <limits>

namespace Trident::Impl {

enum class Algorithm { Trident, Summa };
enum class GridChoice { Auto, Square, Explicit };
enum class PartitionKind { Aligned, Uniform, Balanced, Work };
enum class GatherKind { Auto, Mpi, Shared, Nccl, Peer };
/// The part of B that travels: its tiles whole, or the rows that a node's columns of A meet.
enum class FetchKind { Auto, Tiles, NeededRows };
enum class ExchangeKind { Auto, RequestQueue, Prefetch, Ring, Nccl };
/// The ways of messages with device memory at an end through MPI: as they lie, or through pinned
/// host memory. Auto is Direct if MPI is GPU-aware (transport/Trident_GpuAware.hpp).
enum class DeviceMessages { Auto, Direct, Staged };
enum class KernelKind { Auto, KokkosKernels, Host, Device };
/// The semirings that a product adds and multiplies by (matrix/Trident_Semiring.hpp).
enum class SemiringKind { PlusTimes, MinPlus, MaxMin, OrAnd, PlusSecond };
/// The number that a drop tolerance is multiplied by: 1, or, of the row of the product, the largest
/// magnitude or the sum of magnitudes.
enum class DropRelativeTo { Nothing, Largest, Sum };

/// Options of the grid and of how matrices are cut. The defaults are the parameters'.
struct GridOptions {
  Algorithm algorithm = Algorithm::Trident;
  GridChoice choice = GridChoice::Auto;
  int nodeRows = 0;      ///< p_r, with GridChoice::Explicit
  int nodeCols = 0;      ///< p_c, with GridChoice::Explicit
  int ranksPerNode = 0;  ///< 0: the shared-memory domain
  PartitionKind partition = PartitionKind::Aligned;
  /// Largest block / mean above which aligned yields to balanced; 0: by the product's work
  /// (doc/algorithm.md, "Balance").
  double partitionImbalance = 0;
  int largestTile = std::numeric_limits<int>::max() - 1;  ///< most rows or columns of a tile, whose
                                                          ///< local indices are int; tests lower it
  bool predictVolume = false;  ///< true: evaluate the volume model also where the shape is given
};

/// Options of how messages are cut, and, with device memory, pass through MPI.
struct MessageOptions {
  std::size_t messageBytes = std::size_t(1) << 26;  ///< longest message
  DeviceMessages deviceMessages = DeviceMessages::Auto;
};

/// Options of how a rank multiplies.
struct KernelOptions {
  KernelKind kernel = KernelKind::Auto;
  bool reproducible = true;  ///< products are added in ascending number of the inner index, where
                             ///< the kernel is one of Trident's own
  /// Bound for a kernel's memory beside its operands and C; 0: 256 MB and a tenth of A and B.
  std::size_t workspaceBytes = 0;
  SemiringKind semiring = SemiringKind::PlusTimes;
};

/// Options of the filter of a product.
struct FilterOptions {
  double dropTolerance = 0;  ///< entries of less magnitude are dropped
  DropRelativeTo relative = DropRelativeTo::Nothing;
  long long keepLargest = 0;  ///< entries of a row; 0: all

  bool filters() const { return dropTolerance > 0 || keepLargest > 0; }
};

/// Options of the rounds.
struct RoundOptions : MessageOptions, KernelOptions, FilterOptions {
  FetchKind fetch = FetchKind::Auto;
  ExchangeKind exchange = ExchangeKind::Auto;
  GatherKind gather = GatherKind::Auto;
  int fuseRounds = 0;  ///< rounds fused into one local product; 0: all that fit memoryBytes
  /// Batches of rounds that are requested ahead of the present one. Senders do not know their
  /// receivers' batches: they are as many rounds ahead.
  int prefetchDepth = 1;
  std::size_t memoryBytes = 0;  ///< bound for the fused operands; 0: derived from the slices
  /// Bound for a piece of rows and its making, if a product is formed by pieces; 0: derived.
  std::size_t pieceBytes = 0;
  bool synchronize = false;  ///< barriers around the rounds, for measuring
};

}  // namespace Trident::Impl

#endif
