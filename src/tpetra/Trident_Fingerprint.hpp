// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_FINGERPRINT_HPP
#define TRIDENT_FINGERPRINT_HPP

#include <cstdint>
#include <cstring>

#include "matrix/Trident_Device.hpp"
#include "matrix/Trident_LocalMatrix.hpp"

namespace Trident::Impl {

/// Works a word into a hash; each step is one to one in either. For kernels.
KOKKOS_INLINE_FUNCTION std::uint64_t stirred(std::uint64_t hash, std::uint64_t word) {
  const std::uint64_t x = (hash + word) * 0xBF58476D1CE4E5B9ull;
  return x ^ (x >> 32);
}

/// Hashes a group of an array's elements and where it lies. Groups are summed, which gives the same
/// in whatever order threads come; a group is long enough for a multiplication per word to keep up
/// with memory.
template <class Array>
struct GroupHash {
  static constexpr int size = 8;
  static constexpr int perWord = sizeof(typename Array::value_type) == 4 ? 2 : 1;
  Array array;
  long long count;

  KOKKOS_INLINE_FUNCTION void operator()(long long group, std::uint64_t& sum) const {
    const long long begin = group * size;
    std::uint64_t hash = stirred(0x9E3779B97F4A7C15ull, static_cast<std::uint64_t>(group));
    if (begin + size <= count)
      for (int e = 0; e < size; e += perWord) hash = stirred(hash, word(begin + e));
    else
      for (long long e = begin; e < count; ++e)
        hash = stirred(hash, static_cast<std::uint64_t>(array(e)));
    sum += stirred(hash, 0);
  }

 private:
  /// Hosts read a word at once: put together of two elements, an array takes nearly twice as long.
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

/// Reads an array of non-negative numbers of 4 or 8 bytes once. Local.
template <class Device, class Array>
std::uint64_t hashArray(const std::string& label, const Array& array) {
  const GroupHash<Array> hash{array, static_cast<long long>(array.extent(0))};
  const long long groups = (hash.count + hash.size - 1) / hash.size;
  std::uint64_t sum = 0;
  Kokkos::parallel_reduce(label, Range<Device>(0, groups), hash, sum);
  return sum;
}

/// What tells the structures of local matrices apart. Two of one size that were not made for it
/// have the same with a probability of about 2^-64.
struct Fingerprint {
  long long rows = 0, entries = 0;
  std::uint64_t offsets = 0, columns = 0;

  friend bool operator==(const Fingerprint& a, const Fingerprint& b) {
    return a.rows == b.rows && a.entries == b.entries && a.offsets == b.offsets &&
           a.columns == b.columns;
  }
};

/// Reads the arrays of CSR once, on their device. Local.
template <class Graph>
Fingerprint fingerprint(const Graph& graph) {
  using Device = typename Graph::device_type;
  return {static_cast<long long>(graph.numRows()), static_cast<long long>(graph.entries.extent(0)),
          hashArray<Device>("Trident::fingerprintOffsets", graph.row_map),
          hashArray<Device>("Trident::fingerprintColumns", graph.entries)};
}

}  // namespace Trident::Impl

#endif
