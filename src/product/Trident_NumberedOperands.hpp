// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NUMBEREDOPERANDS_HPP
#define TRIDENT_NUMBEREDOPERANDS_HPP

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "layout/Trident_SpaceCuts.hpp"
#include "layout/Trident_WorkWeights.hpp"
#include "matrix/Trident_NumberedMatrix.hpp"
#include "tpetra/Trident_MapNumbering.hpp"
#include "tpetra/Trident_Operand.hpp"

namespace Trident::Impl {

/// The operands of a product as their ranks have them, rows and columns numbered along the distinct
/// Maps. There is one index space more than operands: the rows of each, which the columns of
/// the one before meet, and the columns of the last.
template <class SC, class LO, class GO, class NO>
class NumberedOperands {
  using Types = TpetraTypes<SC, LO, GO, NO>;
  using Device = typename Types::device_type;
  using Numbered = NumberedMatrix<typename Types::scalar_type, Device>;
  using MapPtr = Teuchos::RCP<const typename Types::map_type>;
  using NumberingPtr = std::shared_ptr<const MapNumbering<LO, GO, NO>>;
  static_assert(std::is_same<LO, int>::value, "Trident's local indices are int");

 public:
  using Operands = std::vector<Operand<SC, LO, GO, NO>>;

  /// Collective over `comm`, which is in the order that `layout` speaks of; may throw
  /// Trident::Error on every rank.
  /// @param operands outlive this
  NumberedOperands(const Operands& operands, const NodeLayout& layout, MPI_Comm comm,
                   Traffic& traffic, LocalFailure& failure)
      : operands_(operands) {
    numberIndices(layout, comm, traffic, failure);
    nameMaps();
    weights_.resize(numberings_.size());
    failure.guard([&] {
      numberOperands();
      if (layout.gridRank.size() > 1) weighMaps();
    });
    numbered_.resize(size());
  }

  /// Has the rows of left factors weigh their multiply-adds. In R·(A·P) those of R are counted as
  /// if a row of A·P had as many entries as multiply-adds. Asks the owners of the rows that each
  /// rank meets, once for each product. Collective over `ranks`; throws Trident::Error on every
  /// rank where one has failed by then.
  void weighByWork(const GridRanks& ranks, std::size_t messageBytes, Traffic& traffic,
                   LocalFailure& failure) {
    IndexWeights<Device> behind;  // of the rows of what operand p is multiplied by
    failure.guard(
        [&] { behind = rowWeights(numbered_.back().matrix, numbered_.back().rowNumbers); });
    for (std::size_t p = size() - 1; p-- > 0;) {
      const Numbering& inner = numbering(p + 1);
      const auto own = operands_[p + 1].transposed()
                           ? sumsOfParts(ranks, inner, behind, messageBytes, traffic, failure)
                           : behind.weights;
      behind = workWeights(ranks, inner, numbered_[p], own, messageBytes, traffic, failure);
      behind.work = true;
      weights_[mapOf_[p]] = behind;
    }
  }

  std::size_t size() const { return operands_.size(); }

  /// Of the distinct Maps.
  const std::vector<NumberingPtr>& numberings() const { return numberings_; }
  /// Which of them has the rows of operand p; of p = size(), the columns of the last.
  int mapOf(std::size_t p) const { return mapOf_[p]; }
  const Numbering& numbering(std::size_t p) const { return *numberings_[mapOf_[p]]; }
  /// Indices of each space.
  std::vector<Position> sizes() const {
    std::vector<Position> sizes;
    for (int n : mapOf_) sizes.push_back(numberings_[n]->size());
    return sizes;
  }
  /// Entries, or work, by which Map n's indices may be balanced, whatever shape they are cut for,
  /// and its name: of the first operand whose rows it has. One rank weighs nothing, as nothing is
  /// cut.
  const IndexWeights<Device>& weights(int n) const { return weights_[n]; }
  const std::string& name(int n) const { return names_[n]; }
  /// Which Map the columns of that operand meet; -1 where Map n has no rows of a left factor.
  int meets(int n) const {
    for (std::size_t p = 0; p + 1 < size(); ++p)
      if (mapOf_[p] == n) return mapOf_[p + 1];
    return -1;
  }
  /// Whether the product's rows lie along Map n.
  bool hasResult(int n) const { return mapOf_.front() == n; }

  const std::shared_ptr<const LocalOperand<SC, LO, GO, NO>>& local(std::size_t p) const {
    return locals_[p];
  }
  /// What this rank has of each operand, until dropped.
  const std::vector<Numbered>& numbered() const { return numbered_; }
  void drop(std::size_t p) { numbered_[p] = {}; }
  void dropWeights() { weights_.clear(); }
  /// Frees what the operands' import has used.
  void dropAll() {
    numbered_.clear();
    locals_.clear();
  }

  /// The last operand that is the same matrix in the same place as operand p: itself, mostly.
  std::size_t sameAs(std::size_t p) const {
    std::size_t q = size() - 1;
    while (!same(p, q)) --q;
    return q;
  }

 private:
  /// Numbers the distinct Maps and the operands' rows and columns along them.
  void numberIndices(const NodeLayout& layout, MPI_Comm comm, Traffic& traffic,
                     LocalFailure& failure) {
    std::vector<MapPtr> maps;  // that are distinct
    const auto add = [&](const MapPtr& map) {
      mapOf_.push_back(static_cast<int>(findOrAddMap(map, maps)));
    };
    for (const auto& operand : operands_) add(operand.rowMap());
    add(operands_.back().domainMap());
    numberings_ = numberMaps(maps, comm, layout);
    for (std::size_t p = 0; p < size(); ++p) {
      const std::size_t known = firstSame(p);
      if (known < p) {
        locals_.push_back(locals_[known]);
        continue;
      }
      const LookupText lookup =
          p + 1 < size() ? lookupOf(operands_[p], operands_[p + 1]) : lookupOf(operands_[p]);
      locals_.push_back(std::make_shared<LocalOperand<SC, LO, GO, NO>>(
          operands_[p], *numberings_[mapOf_[p]], *numberings_[mapOf_[p + 1]], layout, comm, traffic,
          lookup, failure));
    }
  }
  /// Local.
  void numberOperands() {
    for (std::size_t p = 0; p < size(); ++p) {
      const std::size_t known = firstSame(p);
      numbered_.push_back(known < p ? numbered_[known] : locals_[p]->numbered(operands_[p]));
    }
  }
  std::size_t firstSame(std::size_t p) const {
    std::size_t known = 0;
    while (!same(known, p)) ++known;
    return known;
  }
  bool same(std::size_t p, std::size_t q) const {
    const auto& a = operands_[p];
    const auto& b = operands_[q];
    return p == q || (a.matrix == b.matrix && a.form == b.form && a.form != OperandForm::Jacobi &&
                      mapOf_[p] == mapOf_[q] && mapOf_[p + 1] == mapOf_[q + 1]);
  }

  /// Local.
  void nameMaps() {
    names_.resize(numberings_.size());
    for (std::size_t p = size() + 1; p-- > 0;)
      names_[mapOf_[p]] =
          p < size() ? operands_[p].label() + "'s rows" : operands_.back().label() + "'s columns";
  }
  /// Local.
  void weighMaps() {
    for (int n = 0; n < static_cast<int>(weights_.size()); ++n) {
      const auto p = std::find(mapOf_.begin(), mapOf_.end(), n) - mapOf_.begin();
      const bool rows = p < static_cast<std::ptrdiff_t>(size());
      const Numbered& numbered = numbered_[rows ? p : p - 1];
      weights_[n] = rows ? rowWeights(numbered.matrix, numbered.rowNumbers)
                         : columnWeights(numbered.matrix, numbered.columnNumbers);
    }
  }

  const Operands& operands_;
  std::vector<NumberingPtr> numberings_;       // of distinct Maps
  std::vector<int> mapOf_;                     // of each space
  std::vector<IndexWeights<Device>> weights_;  // as numberings_; empty on one rank
  std::vector<std::string> names_;             // as numberings_
  std::vector<std::shared_ptr<const LocalOperand<SC, LO, GO, NO>>> locals_;
  std::vector<Numbered> numbered_;
};

}  // namespace Trident::Impl

#endif
