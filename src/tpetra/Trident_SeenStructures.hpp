// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SEENSTRUCTURES_HPP
#define TRIDENT_SEENSTRUCTURES_HPP

#include <Teuchos_Describable.hpp>
#include <Teuchos_RCP.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tpetra/Trident_Fingerprint.hpp"
#include "tpetra/Trident_LocalEntries.hpp"

namespace Trident::Impl {

/// A structure that was read, and facts by which a change of the structure is noticed. Compares
/// objects by weak RCPs, not by addresses, because a new object may have the address of an old one.
class SeenStructure {
  using Object = Teuchos::RCP<const Teuchos::Describable>;

 public:
  template <class Matrix>
  SeenStructure(const Matrix& matrix, const EntriesPrint& read)
      : print(read), graph_(weak(matrix.getCrsGraph())), columnMap_(weak(matrix.getColMap())) {
    const auto local = graphArraysOf(*matrix.getCrsGraph());
    heldOffsets_ = std::make_shared<decltype(local.row_map)>(local.row_map);
    offsets_ = local.row_map.data();
    columns_ = local.entries.data();
    extent_ = local.entries.extent(0);
  }

  /// Returns true if the graph that was read still exists.
  bool lives() const { return graph_.strong_count() > 0; }
  /// Returns true if the matrix has the graph object that was read.
  template <class Matrix>
  bool hasGraphOf(const Matrix& matrix) const {
    return graph_.shares_resource(matrix.getCrsGraph());
  }
  /// Returns true if Tpetra cannot have changed the structure of this matrix since it was read.
  /// Tpetra changes entries in place only if storage is not optimized. Otherwise Tpetra makes a new
  /// column Map, or new offsets. New offsets have another address, because this object holds the
  /// old ones. Local; reads no elements.
  template <class Matrix>
  bool isOf(const Matrix& matrix) const {
    if (!hasGraphOf(matrix) || !columnMap_.shares_resource(matrix.getColMap()) ||
        !matrix.getCrsGraph()->isStorageOptimized())
      return false;
    const auto local = graphArraysOf(*matrix.getCrsGraph());
    return local.row_map.data() == offsets_ && local.entries.data() == columns_ &&
           local.entries.extent(0) == extent_ &&
           static_cast<std::uint64_t>(local.numRows()) == print[0];
  }

  EntriesPrint print;

 private:
  template <class T>
  static Object weak(const Teuchos::RCP<T>& object) {
    return Object(object.create_weak());
  }

  Object graph_, columnMap_;
  std::shared_ptr<const void> heldOffsets_;
  const void *offsets_, *columns_;
  std::size_t extent_;
};

/// Structures that were read lately. When a graph is gone, the next call of prints() or
/// forgetGone() frees its row offsets. Only one thread at a time may use an object.
class SeenStructures {
 public:
  /// Returns the fingerprints of matrices, as entriesPrints() does. Local.
  /// @param readsAll true if structures that were read before are read again
  template <class Matrix>
  std::vector<EntriesPrint> prints(const std::vector<const Matrix*>& matrices, bool readsAll) {
    forgetGone();
    std::vector<EntriesPrint> all(matrices.size());
    std::vector<const Matrix*> unseen;
    std::vector<std::size_t> places;
    for (std::size_t m = 0; m < matrices.size(); ++m) {
      const auto seen = find(*matrices[m]);
      if (seen != seen_.end() && !readsAll) {
        all[m] = seen->print;
      } else {
        unseen.push_back(matrices[m]);
        places.push_back(m);
      }
    }
    if (unseen.empty()) return all;
    const std::vector<EntriesPrint> read = entriesPrints(unseen);
    for (std::size_t u = 0; u < unseen.size(); ++u) {
      all[places[u]] = read[u];
      note(*unseen[u], read[u]);
    }
    return all;
  }

  /// Returns the fingerprint of a matrix. Reads only an unseen structure. Allocates no View. Local.
  template <class Matrix>
  EntriesPrint print(const Matrix& matrix) {
    const auto seen = find(matrix);
    if (seen != seen_.end()) return seen->print;
    const EntriesPrint print = entriesPrint(matrix);
    note(matrix, print);
    return print;
  }

  /// Forgets structures whose graphs are gone, and frees their row offsets.
  void forgetGone() {
    forget([](const SeenStructure& seen) { return !seen.lives(); });
  }
  void clear() { seen_.clear(); }

 private:
  static constexpr std::size_t most = 256;  // limit of kept structures

  template <class Matrix>
  std::vector<SeenStructure>::iterator find(const Matrix& matrix) {
    return std::find_if(seen_.begin(), seen_.end(),
                        [&](const SeenStructure& seen) { return seen.isOf(matrix); });
  }
  template <class Matrix>
  void note(const Matrix& matrix, const EntriesPrint& print) {
    forget([&](const SeenStructure& seen) { return seen.hasGraphOf(matrix); });
    if (!matrix.getCrsGraph()->isStorageOptimized()) return;  // not kept, as isOf() returns false
    if (seen_.size() == most) seen_.erase(seen_.begin());
    seen_.emplace_back(matrix, print);
  }
  template <class Which>
  void forget(const Which& which) {
    seen_.erase(std::remove_if(seen_.begin(), seen_.end(), which), seen_.end());
  }

  std::vector<SeenStructure> seen_;
};

}  // namespace Trident::Impl

#endif
