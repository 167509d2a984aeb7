// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PLACEMENT_HPP
#define TRIDENT_PLACEMENT_HPP

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "Trident_Report.hpp"
#include "base/Trident_Agreement.hpp"
#include "exchange/Trident_Context.hpp"
#include "layout/Trident_SpaceCuts.hpp"
#include "layout/Trident_WorkWeights.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "product/Trident_ReadParameters.hpp"
#include "product/Trident_ShapeChoice.hpp"
#include "tpetra/Trident_GlobalNumbering.hpp"
#include "tpetra/Trident_Operand.hpp"

namespace Trident::Impl {

/// The places of a product's rows and columns on a grid. This class numbers and weighs the indices
/// of distinct Maps, chooses the grid's shape, and cuts the index spaces for this shape.
///
/// There is one space more than operands. Space p has the rows of operand p, which the columns of
/// operand p - 1 meet. The last space has the columns of the last operand.
template <class SC, class LO, class GO, class NO>
class Placement {
  using Types = TpetraTypes<SC, LO, GO, NO>;
  using MapPtr = Teuchos::RCP<const typename Types::map_type>;
  using NumberingPtr = std::shared_ptr<const GlobalNumbering<LO, GO, NO>>;
  static_assert(std::is_same<LO, int>::value, "Trident's local indices are int");

 public:
  using Scalar = typename Types::scalar_type;
  using Device = typename Types::device_type;
  using GlobalIndex = GO;
  using Operands = std::vector<Operand<SC, LO, GO, NO>>;
  using Numbered = NumberedMatrix<Scalar, Device>;

  /// Places a product's operands. Collective over their communicator. Throws Trident::Error on
  /// every rank if "grid" does not fit. `report` gets the choices and their reasons.
  /// @param failure gets a lack of memory, or a column that meets no row, if there is one node. If
  ///   there are several, all ranks throw instead
  Placement(const Operands& operands, const Options& options, Report& report, LocalFailure& failure)
      : Placement(contextOf(operands), options) {
    Context& context = contextOf(operands);
    numberSpaces(operands);
    numberOperands(operands, report.traffic.import, failure);
    weighMaps(failure);
    if (options.grid.partition == PartitionKind::Work && !isSingleRank(comm()))
      weighByWork(context.ranks(options.grid.ranksPerNode, orderOf(options.grid)), operands,
                  report.traffic.setup, failure);
    ShapeChoice<Placement> choice(*this, options, context, report, failure);
    takeSpaces(choice.choose());
    rounds_.fetch = choice.fetch();
    exchanges_ = context.grid(options.grid.ranksPerNode, report.grid);
    report.node = numbering(0).me / report.grid.lambda;
    for (const auto& operand : operands)
      report.operands.push_back(
          {operand.label(), static_cast<long long>(localEntries(*operand.matrix))});
  }

  /// A function that returns weights of a rank's indices of a Map. Collective; never on one rank.
  using Weigh = std::function<IndexWeights<Device>(const GlobalNumbering<LO, GO, NO>&,
                                                   const GridRanks&, LocalFailure&)>;

  /// Places one-to-one Maps without operands. The options give the grid. If `weigh` is given, it
  /// weighs the indices of the first Map. All other indices weigh the same. Collective over `comm`,
  /// which may be freed afterwards. Throws Trident::Error on every rank.
  /// @param report gets the shape and the partition, with reasons
  Placement(MPI_Comm comm, const std::vector<MapPtr>& maps, const Options& options, Report& report,
            const Weigh& weigh = {})
      : Placement(Context::of(comm), options) {
    report.grid = givenShape(options.grid, layout().nodes(), layout().lambda);
    exchanges_ = Context::of(comm).grid(options.grid.ranksPerNode, report.grid);
    numberSpaces(maps);
    LocalFailure failure;
    failure.guard([&] {
      if (isSingleRank(this->comm())) return;
      for (std::size_t n = 0; n < numberings_.size(); ++n)
        weights_[n] = unitWeights(*numberings_[n]);
    });
    if (weigh && !isSingleRank(this->comm()))
      weights_[0] =
          weigh(numbering(0),
                Context::of(comm).ranks(options.grid.ranksPerNode, orderOf(options.grid)), failure);
    PartitionNotes notes;
    takeSpaces(cutFor(report.grid, options.grid, failure, notes));
    report.reasons = layout().reason + "; ";
    noteCuts(notes, report);
  }

  MPI_Comm comm() const { return own_->all.get(); }
  const NodeLayout& layout() const { return *layout_; }
  const std::shared_ptr<GridExchanges>& exchanges() const { return exchanges_; }
  /// Returns the options of the rounds. Placing operands may change `fetch` from Auto to Tiles.
  const RoundOptions& rounds() const { return rounds_; }

  /// Returns the space of operand p's rows. For p = size(), returns the space of the last operand's
  /// columns. If Maps were placed without operands, p is the index of a distinct Map.
  const std::shared_ptr<const IndexSpace>& space(std::size_t p) const { return spaces_[mapOf_[p]]; }
  /// Returns the numbering of space p's Map.
  const GlobalNumbering<LO, GO, NO>& numbering(std::size_t p) const {
    return *numberings_[mapOf_[p]];
  }
  /// Returns the index of space p's numbering in numberings(). Each distinct Map has one numbering.
  int mapOf(std::size_t p) const { return mapOf_[p]; }
  const std::vector<NumberingPtr>& numberings() const { return numberings_; }
  /// Returns the number of indices of each space.
  std::vector<Position> sizes() const {
    std::vector<Position> sizes;
    for (int n : mapOf_) sizes.push_back(numberings_[n]->size());
    return sizes;
  }

  /// Returns the number of operands.
  std::size_t size() const { return lastSame_.size(); }
  const std::shared_ptr<const LocalOperand<SC, LO, GO, NO>>& local(std::size_t p) const {
    return locals_[p];
  }
  /// Returns the structure of this rank's part of each operand. After drop(p), element p is empty.
  const std::vector<Numbered>& numbered() const { return numbered_; }
  void drop(std::size_t p) { numbered_[p] = {}; }
  /// Frees the data of the operands' import.
  void dropAll() {
    numbered_.clear();
    locals_.clear();
  }
  /// Returns the index of the last operand with operand p's matrix, form and Maps: often p itself.
  std::size_t sameAs(std::size_t p) const { return lastSame_[p]; }

  /// Cuts the space of each distinct Map for a shape of the grid, by a SpacePartitioner.
  /// Collective.
  SpaceCut cutFor(const GridShape& shape, const GridOptions& grid, LocalFailure& failure,
                  PartitionNotes& notes, SumsOfCuts* also = nullptr) const {
    std::vector<SpaceToPartition<Device>> uncut;
    // Copies numberings without Maps. Plans keep spaces, but must not keep the caller's Maps.
    for (int n = 0; n < static_cast<int>(numberings_.size()); ++n)
      uncut.push_back({std::make_shared<const Numbering>(*numberings_[n]), weights_[n], names_[n],
                       columnMapOf(n), isRowMapOfC(n)});
    return SpacePartitioner(uncut, shape, grid, comm()).cut(failure, notes, also);
  }

 private:
  Placement(Context& context, const Options& options)
      : own_(context.ownRanks()),
        layout_(context.sharedLayout(options.grid.ranksPerNode, orderOf(options.grid))),
        rounds_(options.rounds) {}
  static Context& contextOf(const Operands& operands) {
    return Context::of(rawComm(*operands[0].matrix->getComm()));
  }

  /// Numbers distinct Maps. Collective.
  /// @param own null, or this rank's weight in each Map. All ranks learn these weights
  void numberDistinct(const std::vector<MapPtr>& distinct,
                      const std::vector<long long>* own = nullptr) {
    std::vector<std::vector<long long>> ofRanks;
    numberings_ = numberMaps(distinct, comm(), layout(), own, &ofRanks);
    names_.resize(distinct.size());
    weights_.resize(distinct.size());
    for (std::size_t n = 0; own && n < distinct.size(); ++n)
      weights_[n].ofRanks = std::move(ofRanks[n]);
  }
  /// Numbers each distinct Map and makes one space for it. Collective.
  void numberSpaces(const std::vector<MapPtr>& maps) {
    std::vector<MapPtr> distinct;
    for (const MapPtr& map : maps) findOrAddMap(map, distinct);
    numberDistinct(distinct);
    for (std::size_t n = 0; n < distinct.size(); ++n) {
      mapOf_.push_back(static_cast<int>(n));
      names_[n] = "Map " + std::to_string(n);
    }
  }
  /// Numbers the Maps of the operands' rows and of the last operand's columns. Collective.
  void numberSpaces(const Operands& operands) {
    std::vector<MapPtr> distinct;
    const auto add = [&](const MapPtr& map) {
      mapOf_.push_back(static_cast<int>(findOrAddMap(map, distinct)));
    };
    for (const auto& operand : operands) add(operand.rowMap());
    add(operands.back().domainMap());
    // On one node the weights are known here, so aligned cuts need no reduction. But if an operand
    // is transposed, the reduction tells all ranks whether a rank failed to transpose it.
    const bool known =
        layout().nodes() == 1 && std::none_of(operands.begin(), operands.end(),
                                              [](const auto& o) { return o.transposed(); });
    std::vector<long long> weights;
    if (known) weights = ownWeights(operands, distinct.size());
    numberDistinct(distinct, known ? &weights : nullptr);
    names_[mapOf_.back()] = operands.back().label() + "'s columns";
    for (std::size_t p = operands.size(); p-- > 0;)
      names_[mapOf_[p]] = operands[p].label() + "'s rows";
  }

  /// Returns this rank's weight in each Map, for a grid of one node. This is the number of entries
  /// that this rank stores of the first operand whose rows lie along the Map. No operand may be
  /// transposed. A Map of columns alone has weight 0, because the only tile has all columns.
  std::vector<long long> ownWeights(const Operands& operands, std::size_t maps) const {
    std::vector<long long> weights(maps, 0);
    for (std::size_t p = operands.size(); p-- > 0;)
      weights[mapOf_[p]] = static_cast<long long>(localEntries(*operands[p].matrix));
    return weights;
  }

  /// Numbers the operands' rows and columns. Collective.
  void numberOperands(const Operands& operands, Traffic& traffic, LocalFailure& failure) {
    std::vector<std::size_t> firstSame;
    for (std::size_t p = 0; p < operands.size(); ++p) {
      std::size_t known = 0;
      while (!same(operands, known, p)) ++known;
      firstSame.push_back(known);
      lastSame_.push_back(p);
      for (std::size_t q = 0; q < p; ++q)
        if (firstSame[q] == known) lastSame_[q] = p;
      if (known < p) {
        locals_.push_back(locals_[known]);
        continue;
      }
      const MissingIndexMessage lookup = p + 1 < operands.size()
                                             ? missingMessage(operands[p], operands[p + 1])
                                             : missingMessage(operands[p]);
      locals_.push_back(std::make_shared<LocalOperand<SC, LO, GO, NO>>(
          operands[p], numbering(p), numbering(p + 1), layout(), comm(), traffic, lookup, failure));
    }
    failure.guard([&] {
      for (std::size_t p = 0; p < size(); ++p)
        numbered_.push_back(firstSame[p] < p ? numbered_[firstSame[p]]
                                             : locals_[p]->structure(operands[p]));
    });
    numbered_.resize(size());
  }
  bool same(const Operands& operands, std::size_t p, std::size_t q) const {
    const auto &a = operands[p], &b = operands[q];
    return p == q || (a.matrix == b.matrix && a.form == b.form && a.form != OperandForm::Jacobi &&
                      a.ignoresZeros == b.ignoresZeros && mapOf_[p] == mapOf_[q] &&
                      mapOf_[p + 1] == mapOf_[q + 1]);
  }

  /// Weighs the indices of each Map by entries. If rows of operands lie along the Map, counts the
  /// entries of rows of the first of these operands. Otherwise counts the entries of columns of the
  /// last operand, but not on one node. On one rank, counts nothing. Local.
  void weighMaps(LocalFailure& failure) {
    failure.guard([&] {
      if (isSingleRank(comm())) return;
      for (int n = 0; n < static_cast<int>(weights_.size()); ++n) {
        const auto p = std::find(mapOf_.begin(), mapOf_.end(), n) - mapOf_.begin();
        const bool rows = p < static_cast<std::ptrdiff_t>(size());
        if (!rows && layout().nodes() == 1) continue;
        const Numbered& numbered = numbered_[rows ? p : p - 1];
        auto weights = rows ? rowWeights(numbered.matrix, numbered.rowNumbers)
                            : columnWeights(numbered.matrix, numbered.columnNumbers);
        weights.ofRanks = std::move(weights_[n].ofRanks);  // weights that all ranks know
        weights_[n] = std::move(weights);
      }
    });
  }
  /// Weighs the rows of left factors by their multiply-adds. In R·(A·P) each multiply-add of A·P
  /// counts as an entry of A·P. For each product, a rank asks others for the weights of rows that
  /// its entries meet. Collective over `ranks`. Throws Trident::Error on all ranks if one failed.
  void weighByWork(const GridRanks& ranks, const Operands& operands, Traffic& traffic,
                   LocalFailure& failure) {
    IndexWeights<Device> rightWeights;  // weights of rows of operand p's right factor
    failure.guard(
        [&] { rightWeights = rowWeights(numbered_.back().matrix, numbered_.back().rowNumbers); });
    for (std::size_t p = size() - 1; p-- > 0;) {
      const Numbering& inner = numbering(p + 1);
      const auto own =
          operands[p + 1].transposed()
              ? sumsOfParts(ranks, inner, rightWeights, rounds_.messageBytes, traffic, failure)
              : rightWeights.weights;
      rightWeights =
          workWeights(ranks, inner, numbered_[p], own, rounds_.messageBytes, traffic, failure);
      rightWeights.work = true;
      weights_[mapOf_[p]] = rightWeights;
    }
  }
  /// Returns weight 1 for each index that this rank owns. Local.
  static IndexWeights<Device> unitWeights(const Numbering& numbering) {
    const long long count = numbering.end() - numbering.begin();
    const auto ones = uninitialized<long long, Device>("Trident::rowEntries", count);
    Kokkos::deep_copy(ones, 1);
    return {{numbering.begin(), count}, ones};
  }

  /// Finds the first left factor on row Map n. Returns the index of the Map of its columns, or -1.
  int columnMapOf(int n) const {
    for (std::size_t p = 0; p + 1 < size(); ++p)
      if (mapOf_[p] == n) return mapOf_[p + 1];
    return -1;
  }
  /// Returns true if C's rows lie along Map n.
  bool isRowMapOfC(int n) const { return size() > 0 && mapOf_.front() == n; }

  void takeSpaces(const SpaceCut& cut) {
    spaces_ = cut;
    weights_.clear();
  }

  // Held because the Context ends if the program frees its communicator.
  std::shared_ptr<const OwnRanks> own_;
  std::shared_ptr<const NodeLayout> layout_;
  RoundOptions rounds_;
  std::shared_ptr<GridExchanges> exchanges_;
  std::vector<int> mapOf_;  // index of each space's Map among the distinct Maps
  // One element for each distinct Map:
  std::vector<NumberingPtr> numberings_;
  std::vector<std::string> names_;
  std::vector<IndexWeights<Device>> weights_;  // empty on one rank, and after the cuts
  SpaceCut spaces_;
  // One element for each operand:
  std::vector<std::shared_ptr<const LocalOperand<SC, LO, GO, NO>>> locals_;
  std::vector<Numbered> numbered_;
  std::vector<std::size_t> lastSame_;
};

}  // namespace Trident::Impl

#endif
