// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_AMALGAMATIONFACTORY_DEF_HPP
#define TRIDENT_AMALGAMATIONFACTORY_DEF_HPP

#include <MueLu_Monitor.hpp>
#include <Teuchos_Array.hpp>
#include <algorithm>
#include <unordered_map>

#include "muelu/Trident_AmalgamationFactory_decl.hpp"
#include "tpetra/Trident_TpetraCompat.hpp"

namespace Trident {
namespace Impl {

/// Returns the distance from a strided Map's index base to its first unknown, by MueLu's factory.
template <class Factory, class Map>
auto firstUnknown(const Map& map, int) -> decltype(Factory::DOFGidOffset(map)) {
  return Factory::DOFGidOffset(map);
}
/// Returns the distance from a strided Map's index base to its first unknown, in Trilinos 13.2.
template <class Factory, class Map>
auto firstUnknown(const Map& map, long) {
  return map->getOffset();
}

/// The nodes of a Map of unknowns: the local index of each unknown's node, and the global indices
/// of the nodes. Nodes are in the order of their first unknowns.
template <class LO, class GO>
struct NodesOfMap {
  Teuchos::RCP<Teuchos::Array<LO>> ofUnknowns = Teuchos::rcp(new Teuchos::Array<LO>());
  Teuchos::Array<GO> numbers;

  /// @param unknowns global indices of the unknowns
  /// @param first first unknown of node `base`
  NodesOfMap(const Teuchos::ArrayView<const GO>& unknowns, GO block, GO first, GO base) {
    ofUnknowns->resize(unknowns.size());
    numbers.reserve(unknowns.size() / block + 1);
    GO begin = 0, end = 0;  // [begin, end): unknowns of `node`
    LO node = 0;
    for (decltype(unknowns.size()) i = 0; i < unknowns.size(); ++i) {
      const GO unknown = unknowns[i];
      if (unknown < begin || unknown >= end) {
        const GO offset = (unknown - first) / block;
        node = find(offset + base);
        begin = first + offset * block;
        end = begin + block;
      }
      (*ofUnknowns)[i] = node;
    }
  }

 private:
  /// Returns the local number of a node. A new node gets the next number.
  LO find(GO number) {
    const auto next = static_cast<LO>(numbers.size());
    if (later_.empty() && (next == 0 || numbers.back() < number)) {
      numbers.push_back(number);
      return next;
    }
    if (later_.empty()) ascending_ = numbers.size();
    const auto end = numbers.begin() + ascending_;
    const auto found = std::lower_bound(numbers.begin(), end, number);
    if (found != end && *found == number) return static_cast<LO>(found - numbers.begin());
    const auto added = later_.emplace(number, next);
    if (added.second) numbers.push_back(number);
    return added.first->second;
  }

  // Number of nodes at the front whose numbers ascend. Unset while `later_` is empty.
  typename Teuchos::Array<GO>::size_type ascending_ = 0;
  std::unordered_map<GO, LO> later_;  // local number of each later node, by its global number
};

}  // namespace Impl

template <class SC, class LO, class GO, class NO>
void AmalgamationFactory<SC, LO, GO, NO>::Build(MueLu::Level& level) const {
  const auto A = this->template Get<Teuchos::RCP<matrix_type>>(level, "A");
  const auto strided = Impl::stridedRows(*A);
  if (Impl::tpetraMatrix(A).is_null() || strided.is_null() || strided->getFixedBlockSize() < 2 ||
      strided->getStridedBlockId() >= 0)
    return base_type::Build(level);

  const MueLu::FactoryMonitor timed(*this, "Build", level);
  const auto block = static_cast<LO>(strided->getFixedBlockSize());
  const GO offset = Impl::firstUnknown<base_type>(strided, 0);
  const auto nodes = [&](const auto& map) {
    const GO base = map.getIndexBase();
    return Impl::NodesOfMap<LO, GO>(Impl::localGids(map), block, offset + base, base);
  };
  const auto map = [&](const Impl::NodesOfMap<LO, GO>& of, GO base) {
    return Impl::mueLuMap<LO, GO, NO>(of.numbers(), base, A->getRowMap()->getComm());
  };
  const auto rowMap = A->getRowMap(), columnMap = A->getColMap();
  const auto rows = nodes(*rowMap);
  const auto rowNodes = map(rows, rowMap->getIndexBase());
  const auto unknowns = Impl::localGids(*rowMap), all = Impl::localGids(*columnMap);
  const bool same = rowMap->getComm()->getSize() == 1 &&
                    rowMap->getIndexBase() == columnMap->getIndexBase() &&
                    std::equal(unknowns.begin(), unknowns.end(), all.begin(), all.end());
  const auto columns = same ? rows : nodes(*columnMap);
  const auto columnNodes = same ? rowNodes : map(columns, columnMap->getIndexBase());
  this->Set(level, "UnAmalgamationInfo",
            Teuchos::rcp(new MueLu::AmalgamationInfo<LO, GO, NO>(
                rows.ofUnknowns, columns.ofUnknowns, rowNodes, columnNodes, columnMap, block,
                offset, -1, 0, block)));
}

}  // namespace Trident

#define TRIDENT_AMALGAMATIONFACTORY_INSTANT(SC, LO, GO, NO) \
  template class Trident::AmalgamationFactory<SC, LO, GO, NO>;

#endif
