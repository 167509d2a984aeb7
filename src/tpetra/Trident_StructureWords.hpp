// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_STRUCTUREWORDS_HPP
#define TRIDENT_STRUCTUREWORDS_HPP

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tpetra/Trident_Fingerprint.hpp"
#include "tpetra/Trident_LocalEntries.hpp"
#include "tpetra/Trident_TpetraCompat.hpp"

namespace Trident::Impl {

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

/// What tells structures and Maps apart without holding any of them: numbers that this rank can
/// find, and hashes of 64 bits (Trident_Fingerprint.hpp). Where all ranks find the words that they
/// found before, Maps are the same and rows have the same entries in their order. A matrix, and a
/// Map of several matrices, is read once.
template <class Matrix>
class StructureWords {
  using map_type = typename Matrix::map_type;

 public:
  using Words = std::vector<std::uint64_t>;

  /// Adds a number. Local, as all here.
  void add(std::uint64_t word) { words_.push_back(word); }
  void add(const std::string& text) {
    std::uint64_t hash = text.size();
    for (const char c : text) hash = stirred(hash, static_cast<unsigned char>(c));
    add(hash);
  }
  void add(const map_type& map) {
    add(map.getGlobalNumElements());
    add(static_cast<std::uint64_t>(map.getIndexBase()));
    add(localSize(map));
    add((map.isContiguous() ? 1u : 0u) + (map.isDistributed() ? 2u : 0u));
    add(indicesOf(map));
  }
  /// @param matrix which was fill-complete once, and has no room for more entries if it is open
  void add(const Matrix& matrix) {
    const Fingerprint print = printOf(matrix);
    add(static_cast<std::uint64_t>(print.rows));
    add(static_cast<std::uint64_t>(print.entries));
    add(print.offsets);
    add(print.columns);
    for (const auto& map :
         {matrix.getRowMap(), matrix.getColMap(), matrix.getDomainMap(), matrix.getRangeMap()})
      add(*map);
  }

  /// What was added since the last call.
  Words take() {
    Words taken;
    taken.swap(words_);
    return taken;
  }

 private:
  Fingerprint printOf(const Matrix& matrix) {
    const auto known = prints_.find(&matrix);
    if (known != prints_.end()) return known->second;
    return prints_[&matrix] = fingerprint(localGraphOf(*matrix.getCrsGraph()));
  }
  std::uint64_t indicesOf(const map_type& map) {
    if (localSize(map) == 0) return 0;
    if (map.isContiguous()) return static_cast<std::uint64_t>(map.getMinGlobalIndex());
    const auto known = read_.find(&map);
    if (known != read_.end()) return known->second;
    const GlobalIndices<map_type> indices{map.getLocalMap(), localSize(map)};
    return read_[&map] = hashArray<typename map_type::device_type>("Trident::mapIndices", indices);
  }

  Words words_;
  // What was read; matrices and Maps live as long as this.
  std::map<const Matrix*, Fingerprint> prints_;
  std::map<const map_type*, std::uint64_t> read_;
};

}  // namespace Trident::Impl

#endif
