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
/// The part of B that travels: whole tiles, or only the needed rows.
enum class FetchKind { Auto, Tiles, NeededRows };
enum class ExchangeKind { Auto, RequestQueue, Prefetch, Ring, Nccl };
/// The path of device memory through MPI. Direct: MPI gets the device's address. Staged: Trident
/// copies to pinned host memory. Auto: Direct if MPI is GPU-aware (transport/Trident_GpuAware.hpp).
enum class DeviceMessages { Auto, Direct, Staged };
enum class KernelKind { Auto, KokkosKernels, Host, Device };
/// The semirings that a product adds and multiplies by (matrix/Trident_Semiring.hpp).
enum class SemiringKind { PlusTimes, MinPlus, MaxMin, OrAnd, PlusSecond };
/// The factor of a drop tolerance: 1 (Nothing), or the largest magnitude or the sum of magnitudes
/// in the same row of the product.
enum class DropRelativeTo { Nothing, Largest, Sum };

/// Options of the grid and of partitions. Defaults are those of the parameters.
struct GridOptions {
  Algorithm algorithm = Algorithm::Trident;
  GridChoice choice = GridChoice::Auto;
  int nodeRows = 0;      ///< p_r, with GridChoice::Explicit
  int nodeCols = 0;      ///< p_c, with GridChoice::Explicit
  int ranksPerNode = 0;  ///< ranks in a node; 0: those that share memory
  PartitionKind partition = PartitionKind::Aligned;
  /// Limit of (weight of the largest block / mean weight). An aligned partition above it is cut
  /// anew. 0: the product's work sets the limit (doc/algorithm.md, "Balance").
  double partitionImbalance = 0;
  /// Limit of a tile's rows and columns, because local indices are int. Tests lower the limit.
  int largestTile = std::numeric_limits<int>::max() - 1;
  bool predictVolume = false;  ///< true: evaluate the volume model even if the shape is given
};

/// Options of messages between ranks.
struct MessageOptions {
  std::size_t messageBytes = std::size_t(1) << 26;  ///< limit of a message's length
  DeviceMessages deviceMessages = DeviceMessages::Auto;
};

/// Options of a rank's local product.
struct KernelOptions {
  KernelKind kernel = KernelKind::Auto;
  bool reproducible = true;  ///< true: sums in order of the inner index, if the kernel is Trident's
  /// Limit of a kernel's memory beside operands and C. 0: 256 MiB + (bytes of A and B) / 10.
  std::size_t workspaceBytes = 0;
  SemiringKind semiring = SemiringKind::PlusTimes;
};

/// Options of the filter of a product.
struct FilterOptions {
  double dropTolerance = 0;  ///< magnitude below which entries are dropped; 0: none
  DropRelativeTo relative = DropRelativeTo::Nothing;
  long long keepLargest = 0;  ///< number of entries that a row may keep, the largest ones; 0: all

  bool filters() const { return dropTolerance > 0 || keepLargest > 0; }
};

/// Options of the rounds.
struct RoundOptions : MessageOptions, KernelOptions, FilterOptions {
  FetchKind fetch = FetchKind::Auto;
  ExchangeKind exchange = ExchangeKind::Auto;
  GatherKind gather = GatherKind::Auto;
  int fuseRounds = 0;  ///< rounds in a batch; 0: all that fit memoryBytes
  /// Number of later batches that a rank requests while it works on one. A PrefetchExchange sends
  /// this number of rounds ahead, because senders do not know the batches of receivers.
  int prefetchDepth = 1;
  std::size_t memoryBytes = 0;  ///< limit of the fused operands; 0: derived from the slices
  /// Limit of the memory for a piece and for forming it. 0: derived from the operands.
  std::size_t pieceBytes = 0;
  bool synchronize = false;  ///< true: barriers around the rounds, for measuring
};

}  // namespace Trident::Impl

#endif
