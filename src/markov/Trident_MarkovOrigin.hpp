// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MARKOVORIGIN_HPP
#define TRIDENT_MARKOVORIGIN_HPP

#include <Tpetra_CrsMatrix_decl.hpp>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "markov/Trident_MarkovCluster_decl.hpp"
#include "markov/Trident_PruneScheme.hpp"
#include "matrix/Trident_Magnitude.hpp"
#include "tpetra/Trident_Fingerprint.hpp"
#include "tpetra/Trident_LocalEntries.hpp"

namespace Trident::Impl {

/// Returns a number as text with all its digits, so that different numbers have different texts.
std::string allDigits(double value);

/// Returns a precision's name in the option --precision and in messages.
const char* nameOf(MarkovPrecision precision);

/// Returns the parts of an origin: each part's name in messages, and its value as text.
CollectiveArguments partsOf(const MarkovOrigin& origin);

/// Returns a message if the resumed state's origin differs from the origin of the call, else an
/// empty text. Local.
std::string problemOfOrigin(const MarkovOrigin& resumed, const MarkovOrigin& called);

/// A functor that sums the hashes of a row's edges. The sum depends neither on the edges' order nor
/// on the ranks that have them. Loops and zeros are no edges.
template <class Local, class RowMap, class ColumnMap>
struct DigestRow {
  Local local;
  RowMap rows;
  ColumnMap columns;

  KOKKOS_INLINE_FUNCTION void operator()(long long r, std::uint64_t& digest) const {
    const long long row = rows.getGlobalElement(static_cast<int>(r));
    const std::uint64_t ofRow = mixedInto(0x9E3779B97F4A7C15ull, static_cast<std::uint64_t>(row));
    for (auto e = local.graph.row_map(r); e < local.graph.row_map(r + 1); ++e) {
      const long long column = columns.getGlobalElement(local.graph.entries(e));
      const double weight = local.values(e);
      if (column == row || weight == 0) continue;
      const std::uint64_t edge = mixedInto(ofRow, static_cast<std::uint64_t>(column));
      digest += mixedInto(mixedInto(edge, keyOfMagnitude(weight)), weight < 0);
    }
  }
};

/// Returns a digest of this rank's rows.
template <class Matrix>
std::uint64_t digestOfRows(const Matrix& A) {
  const auto local = localMatrixOf(A);
  const auto rows = A.getRowMap()->getLocalMap();
  const auto columns = A.getColMap()->getLocalMap();
  using Digest = DigestRow<std::decay_t<decltype(local)>, std::decay_t<decltype(rows)>,
                           std::decay_t<decltype(columns)>>;
  std::uint64_t digest = 0;
  Kokkos::parallel_reduce("Trident::digestEdges",
                          Range<typename Matrix::device_type>(0, local.numRows()),
                          Digest{local, rows, columns}, digest);
  return digest;
}

/// Returns the origin of a run, to compare with that of a checkpoint. Collective; throws
/// Trident::Error on every rank if a rank fails.
/// @param options checked already
template <class Matrix>
MarkovOrigin originOf(const Matrix& A, const MarkovOptions& options, MPI_Comm comm) {
  MarkovOrigin origin = originOfOptions(options);
  origin.nodes = static_cast<long long>(A.getRowMap()->getGlobalNumElements());
  LocalFailure failure;
  std::uint64_t digest = 0;
  failure.guard([&] { digest = digestOfRows(A); });
  // The digest is summed in halves, because a sum of signed numbers must not overflow.
  std::vector<long long> halves{static_cast<long long>(digest >> 32),
                                static_cast<long long>(digest & 0xffffffffull)};
  sumEverywhere(comm, halves, failure);
  origin.graph =
      (static_cast<std::uint64_t>(halves[0]) << 32) + static_cast<std::uint64_t>(halves[1]);
  // Options that change the graph or the first iterations belong to the digest, too. Their defaults
  // leave the digest as it was, so checkpoints that are older than these options stay valid.
  if (options.loopFactor != 1 || options.firstInflation != 1)
    origin.graph = mixedInto(mixedInto(origin.graph, keyOfMagnitude(options.loopFactor)),
                             keyOfMagnitude(options.firstInflation));
  if (options.initialIterations > 0)
    origin.graph =
        mixedInto(mixedInto(origin.graph, static_cast<std::uint64_t>(options.initialIterations)),
                  keyOfMagnitude(options.initialInflation));
  return origin;
}

}  // namespace Trident::Impl

#endif
