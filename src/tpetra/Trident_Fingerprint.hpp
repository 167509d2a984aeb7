// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_FINGERPRINT_HPP
#define TRIDENT_FINGERPRINT_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "matrix/Trident_Device.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "tpetra/Trident_LocalEntries.hpp"
#include "tpetra/Trident_TpetraCompat.hpp"

namespace Trident::Impl {

/// Mixes a word into a hash. If only one of the two changes, the result changes, too. For kernels.
KOKKOS_INLINE_FUNCTION std::uint64_t mixedInto(std::uint64_t hash, std::uint64_t word) {
  const std::uint64_t x = (hash + word) * 0xBF58476D1CE4E5B9ull;
  return x ^ (x >> 32);
}

/// A kernel that hashes a chunk of an array, together with the chunk's number. Hashes of chunks are
/// summed, so the order of threads does not matter. Longer chunks need fewer multiplications. At
/// this length, multiplications take no longer than reading memory.
template <class Array>
struct ChunkHash {
  static constexpr int size = 8;
  static constexpr int perWord = sizeof(typename Array::value_type) == 4 ? 2 : 1;
  Array array;
  long long count;

  KOKKOS_INLINE_FUNCTION void operator()(long long chunk, std::uint64_t& sum) const {
    const long long begin = chunk * size;
    std::uint64_t hash = mixedInto(0x9E3779B97F4A7C15ull, static_cast<std::uint64_t>(chunk));
    if (begin + size <= count)
      for (int e = 0; e < size; e += perWord) hash = mixedInto(hash, word(begin + e));
    else
      for (long long e = begin; e < count; ++e)
        hash = mixedInto(hash, static_cast<std::uint64_t>(array(e)));
    sum += mixedInto(hash, 0);
  }

 private:
  /// Reads a word. On hosts, reads two elements of 4 bytes at once, because combining them would
  /// take nearly twice as long.
  KOKKOS_INLINE_FUNCTION std::uint64_t word(long long e) const {
    if constexpr (perWord == 2 && isHost<typename Array::device_type>) {
      std::uint64_t word;
      std::memcpy(&word, &array(e), sizeof word);
      return word;
    } else {
      const auto low = static_cast<std::uint64_t>(array(e));
      return perWord == 1 ? low : low | static_cast<std::uint64_t>(array(e + 1)) << 32;
    }
  }
};

/// Hashes an array of non-negative numbers of 4 or 8 bytes. Reads each number once. Local.
/// @param[out] sum hash: a number, or a View on a device. The host does not wait for a View
template <class Device, class Array, class Sum>
void hashArrayInto(const std::string& label, const Array& array, Sum&& sum) {
  const ChunkHash<Array> hash{array, static_cast<long long>(array.extent(0))};
  const long long chunks = (hash.count + hash.size - 1) / hash.size;
  Kokkos::parallel_reduce(label, Range<Device>(0, chunks), hash, sum);
}

/// Returns the hash that hashArrayInto() forms of an array. Local.
template <class Device, class Array>
std::uint64_t hashArray(const std::string& label, const Array& array) {
  std::uint64_t sum = 0;
  hashArrayInto<Device>(label, array, sum);
  return sum;
}

/// Places of zeros among values, as an array for hashArray(). A word has the bits of 64 values.
template <class Values>
struct ZeroBits {
  using value_type = std::uint64_t;
  using device_type = typename Values::device_type;
  Values values;

  std::size_t extent(int) const { return (values.extent(0) + 63) / 64; }
  KOKKOS_INLINE_FUNCTION std::uint64_t operator()(long long word) const {
    const auto* const from = values.data() + 64 * word;
    const std::size_t left = values.extent(0) - 64 * word, count = left < 64 ? left : 64;
    std::uint64_t bits = 0;
    for (std::size_t e = 0; e < count; ++e)
      bits |= std::uint64_t(from[e] == typename Values::non_const_value_type(0)) << e;
    return bits;
  }
};

/// Fingerprint of a local matrix's structure: numbers of rows and entries, hashes of row offsets
/// and columns. Another structure of this size has this fingerprint with a chance of about 2^-64.
using EntriesPrint = std::array<std::uint64_t, 4>;

/// Returns the fingerprint of a matrix, as entriesPrints() does. Takes no memory. Local.
template <class Matrix>
EntriesPrint entriesPrint(const Matrix& matrix) {
  using Device = typename Matrix::device_type;
  const auto graph = localGraphOf(*matrix.getCrsGraph());
  return {static_cast<std::uint64_t>(graph.numRows()),
          static_cast<std::uint64_t>(graph.entries.extent(0)),
          hashArray<Device>("Trident::fingerprintOffsets", graph.row_map),
          hashArray<Device>("Trident::fingerprintColumns", graph.entries)};
}

/// Returns the fingerprints of matrices. Reads the row offsets and columns of each graph once, on
/// the device. The host waits for the last offset of each graph, and once for all hashes. Local.
/// @param matrices matrices that are fill-complete, or were so and have no room for more entries
template <class Matrix>
std::vector<EntriesPrint> entriesPrints(const std::vector<const Matrix*>& matrices) {
  using Device = typename Matrix::device_type;
  using Sum = Kokkos::View<std::uint64_t, Device, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  const Kokkos::View<std::uint64_t*, Device> sums("Trident::hashes", 2 * matrices.size());
  std::map<const void*, std::size_t> firstOf;  // the first matrix of each graph
  std::vector<EntriesPrint> prints;
  for (const Matrix* matrix : matrices) {
    const auto first = firstOf.emplace(matrix->getCrsGraph().get(), prints.size());
    if (!first.second) {
      prints.push_back(prints[first.first->second]);
      continue;
    }
    const auto graph = localGraphOf(*matrix->getCrsGraph());
    prints.push_back({static_cast<std::uint64_t>(graph.numRows()),
                      static_cast<std::uint64_t>(graph.entries.extent(0))});
    std::uint64_t* const sum = sums.data() + 2 * (prints.size() - 1);
    hashArrayInto<Device>("Trident::fingerprintOffsets", graph.row_map, Sum(sum));
    hashArrayInto<Device>("Trident::fingerprintColumns", graph.entries, Sum(sum + 1));
  }
  const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sums);
  for (std::size_t m = 0; m < prints.size(); ++m) {
    const std::size_t first = firstOf[matrices[m]->getCrsGraph().get()];
    std::copy_n(found.data() + 2 * first, 2, prints[m].data() + 2);
  }
  return prints;
}

/// The global indices of a Map on this rank as an array, for hashArray().
template <class Map>
struct GlobalIndices {
  using value_type = long long;
  using device_type = typename Map::device_type;
  typename Map::local_map_type map;
  std::size_t count;

  std::size_t extent(int) const { return count; }
  KOKKOS_INLINE_FUNCTION long long operator()(long long l) const {
    return map.getGlobalElement(static_cast<typename Map::local_ordinal_type>(l));
  }
};

/// Words that identify this rank's rows and Maps: numbers and 64-bit hashes. If all ranks get the
/// same words again, Maps are the same, and rows have the same entries in the same order. Reads
/// each matrix and each Map once. The caller must keep matrices and Maps as long as this object.
template <class Matrix>
class Fingerprint {
  using map_type = typename Matrix::map_type;

 public:
  using Words = std::vector<std::uint64_t>;

  /// Adds a number. Local, as all functions here.
  void add(std::uint64_t word) { words_.push_back(word); }
  void add(const std::string& text) {
    std::uint64_t hash = text.size();
    for (const char c : text) hash = mixedInto(hash, static_cast<unsigned char>(c));
    add(hash);
  }
  void add(const map_type& map) {
    add(map.getGlobalNumElements());
    add(static_cast<std::uint64_t>(map.getIndexBase()));
    add(localSize(map));
    add((map.isContiguous() ? 1u : 0u) + (map.isDistributed() ? 2u : 0u));
    add(indicesOf(map));
  }
  /// Sets the fingerprints of matrices that add() will add.
  void setPrints(const std::vector<const Matrix*>& matrices,
                 const std::vector<EntriesPrint>& prints) {
    for (std::size_t m = 0; m < prints.size(); ++m) entries_[matrices[m]] = prints[m];
  }
  /// Adds a matrix: its fingerprint, then its Maps. setPrints() must have set the fingerprint.
  void add(const Matrix& matrix) {
    for (const std::uint64_t word : entries_.at(&matrix)) add(word);
    for (const auto& map :
         {matrix.getRowMap(), matrix.getColMap(), matrix.getDomainMap(), matrix.getRangeMap()})
      add(*map);
  }

  /// Adds the places of the zeros that a matrix stores. Reads its values once.
  void addZeros(const Matrix& matrix) {
    using Values = typename decltype(localMatrixOf(matrix))::values_type;
    add(hashArray<typename Matrix::device_type>("Trident::fingerprintZeros",
                                                ZeroBits<Values>{localMatrixOf(matrix).values}));
  }

  /// Returns the words that were added since the last call.
  Words take() {
    Words taken;
    taken.swap(words_);
    return taken;
  }

 private:
  std::uint64_t indicesOf(const map_type& map) {
    if (localSize(map) == 0) return 0;
    if (map.isContiguous()) return static_cast<std::uint64_t>(map.getMinGlobalIndex());
    const auto known = indices_.find(&map);
    if (known != indices_.end()) return known->second;
    const GlobalIndices<map_type> indices{map.getLocalMap(), localSize(map)};
    return indices_[&map] =
               hashArray<typename map_type::device_type>("Trident::mapIndices", indices);
  }

  Words words_;
  // Fingerprints of structures, and hashes of Maps, that were read.
  std::map<const Matrix*, EntriesPrint> entries_;
  std::map<const map_type*, std::uint64_t> indices_;
};

}  // namespace Trident::Impl

#endif
