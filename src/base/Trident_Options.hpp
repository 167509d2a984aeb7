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
/// The part of B that travels: whole tiles, or only the rows that the node's columns of A meet.
enum class FetchKind { Auto, Tiles, NeededRows };
enum class ExchangeKind { Auto, RequestQueue, Prefetch, Ring, Nccl };
/// The ways of device memory through MPI: Direct as it lies, Staged through pinned host memory.
/// Auto is Direct if MPI is GPU-aware (transport/Trident_GpuAware.hpp).
enum class DeviceMessages { Auto, Direct, Staged };
enum class KernelKind { Auto, KokkosKernels, Host, Device };
/// The semirings that a product adds and multiplies by (matrix/Trident_Semiring.hpp).
enum class SemiringKind { PlusTimes, MinPlus, MaxMin, OrAnd, PlusSecond };
/// The factor of a drop tolerance: 1 (Nothing), or the largest magnitude or the sum of magnitudes
/// in the same row of the product.
enum class DropRelativeTo { Nothing, Largest, Sum };

/// Options of the grid and of how matrices are cut. Defaults are those of the parameters.
struct GridOptions {
  Algorithm algorithm = Algorithm::Trident;
  GridChoice choice = GridChoice::Auto;
  int nodeRows = 0;      ///< p_r, with GridChoice::Explicit
  int nodeCols = 0;      ///< p_c, with GridChoice::Explicit
  int ranksPerNode = 0;  ///< ranks in a node; 0: those that share memory
  PartitionKind partition = PartitionKind::Aligned;
  /// Largest block / mean block above which an aligned partition yields to a balanced one; 0: the
  /// product's work decides (doc/algorithm.md, "Balance").
  double partitionImbalance = 0;
  /// Limit of a tile's rows and columns, because local indices are int. Tests lower it.
  int largestTile = std::numeric_limits<int>::max() - 1;
  bool predictVolume = false;  ///< true: evaluate the volume model even if the shape is given
};

/// Options of messages: their length, and the way of device memory through MPI.
struct MessageOptions {
  std::size_t messageBytes = std::size_t(1) << 26;  ///< limit of a message's length
  DeviceMessages deviceMessages = DeviceMessages::Auto;
};

/// Options of a rank's local product.
struct KernelOptions {
  KernelKind kernel = KernelKind::Auto;
  bool reproducible = true;  ///< true: sums in order of the inner index, if the kernel is Trident's
  /// Limit of a kernel's memory beside its operands and C; 0: 256 MB and a tenth of A and B.
  std::size_t workspaceBytes = 0;
  SemiringKind semiring = SemiringKind::PlusTimes;
};

/// Options of the filter of a product.
struct FilterOptions {
  double dropTolerance = 0;  ///< magnitude below which entries are dropped; 0: none
  DropRelativeTo relative = DropRelativeTo::Nothing;
  long long keepLargest = 0;  ///< limit of a row's entries, of which the largest are kept; 0: none

  bool filters() const { return dropTolerance > 0 || keepLargest > 0; }
};

/// Options of the rounds.
struct RoundOptions : MessageOptions, KernelOptions, FilterOptions {
  FetchKind fetch = FetchKind::Auto;
  ExchangeKind exchange = ExchangeKind::Auto;
  GatherKind gather = GatherKind::Auto;
  int fuseRounds = 0;  ///< rounds in a batch; 0: all that fit memoryBytes
  /// Number of batches that are requested ahead of the present one. Senders do not know the batches
  /// of their receivers, so they send this number of rounds ahead.
  int prefetchDepth = 1;
  std::size_t memoryBytes = 0;  ///< limit of the fused operands; 0: derived from the slices
  /// Limit of the memory to make and hold a piece, if a product is formed by pieces; 0: derived.
  std::size_t pieceBytes = 0;
  bool synchronize = false;  ///< true: barriers around the rounds, for measuring
};

}  // namespace Trident::Impl

#endif
