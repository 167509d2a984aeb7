// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_CheckpointBody.hpp"

#include <cstring>

namespace Trident {
namespace Clustering {

namespace Details {  // what holds kernels: nvcc wants a name for it

using device_type = matrix_type::device_type;
using HostRows =
    Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace, Kokkos::IndexType<long long>>;

/// Returns the columns of a rank's rows by their global indices, on the device.
Kokkos::View<std::int64_t*, device_type> globalColumns(const matrix_type& matrix) {
  const auto local = matrix.getLocalMatrixDevice();
  const auto map = matrix.getColMap()->getLocalMap();
  const Kokkos::View<std::int64_t*, device_type> columns(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, "checkpoint"), local.graph.entries.extent(0));
  Kokkos::parallel_for(
      "TridentClustering::globalColumns",
      matrix_range(0, static_cast<long long>(columns.extent(0))),
      KOKKOS_LAMBDA(long long e) { columns(e) = map.getGlobalElement(local.graph.entries(e)); });
  return columns;
}

/// Returns offsets as words of a file, on the device.
Kokkos::View<std::int64_t*, device_type> offsetWords(const matrix_type& matrix) {
  const auto offsets = matrix.getLocalMatrixDevice().graph.row_map;
  const std::size_t rows = numLocalElements(*matrix.getRowMap());
  const Kokkos::View<std::int64_t*, device_type> words("checkpoint", rows + 1);
  if (offsets.extent(0) == 0) return words;  // of a rank without rows
  Kokkos::parallel_for(
      "TridentClustering::offsets", matrix_range(0, static_cast<long long>(words.extent(0))),
      KOKKOS_LAMBDA(long long r) { words(r) = static_cast<std::int64_t>(offsets(r)); });
  return words;
}

// Loops of the host are functors: a lambda would be compiled for devices, too.

struct Shift {
  HostWords<std::int64_t> offsets;
  std::int64_t by;

  void operator()(long long r) const { offsets(r) += by; }
};

/// Works a word into a hash; each step is one to one in either.
std::uint64_t stirred(std::uint64_t hash, std::uint64_t word) {
  const std::uint64_t x = (hash + word) * 0xBF58476D1CE4E5B9ull;
  return x ^ (x >> 32);
}

/// Returns the bits of a number, without its sign.
std::uint64_t bitsOf(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits & ~(std::uint64_t{1} << 63);
}

/// Sums the hashes of a row's entries.
struct DigestRow {
  CheckpointBody body;
  std::int64_t firstRow;

  void operator()(long long row, std::uint64_t& sum) const {
    const std::int64_t begin = body.offsets(0);
    const auto size = static_cast<std::int64_t>(body.columns.extent(0));
    for (std::int64_t e = body.offsets(row); e < body.offsets(row + 1); ++e) {
      if (e < begin || e - begin >= size) return;  // damaged, which the reader finds
      std::uint64_t word =
          stirred(static_cast<std::uint64_t>(firstRow + row), static_cast<std::uint64_t>(e));
      word = stirred(word, static_cast<std::uint64_t>(body.columns(e - begin)));
      sum += stirred(stirred(word, bitsOf(body.values(e - begin))), 0);
    }
  }
};

}  // namespace Details

void CheckpointBody::shift(std::int64_t firstEntry) {
  Kokkos::parallel_for("TridentClustering::shift",
                       Details::HostRows(0, static_cast<long long>(offsets.extent(0))),
                       Details::Shift{offsets, firstEntry});
  Kokkos::DefaultHostExecutionSpace().fence();
}

CheckpointBody bodyOf(const matrix_type& matrix) {
  const auto offsets = Details::offsetWords(matrix);
  const auto columns = Details::globalColumns(matrix);
  const auto values = matrix.getLocalMatrixDevice().values;
  CheckpointBody body{hostWords<std::int64_t>(static_cast<std::int64_t>(offsets.extent(0))),
                      hostWords<std::int64_t>(static_cast<std::int64_t>(columns.extent(0))),
                      hostWords<double>(static_cast<std::int64_t>(columns.extent(0)))};
  Kokkos::deep_copy(body.offsets, offsets);
  Kokkos::deep_copy(body.columns, columns);
  Kokkos::deep_copy(body.values, values);
  return body;
}

std::uint64_t digestOf(const CheckpointBody& body, std::int64_t firstRow) {
  std::uint64_t digest = 0;
  Kokkos::parallel_reduce("TridentClustering::digest",
                          Details::HostRows(0, static_cast<long long>(body.offsets.extent(0)) - 1),
                          Details::DigestRow{body, firstRow}, digest);
  return digest;
}

}  // namespace Clustering
}  // namespace Trident
