// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_GRID_DEF_HPP
#define TRIDENT_GRID_DEF_HPP

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "Trident_Error.hpp"
#include "base/Trident_DefinedHere.hpp"
#include "base/Trident_Phase.hpp"
#include "base/Trident_Wait.hpp"
#include "kernels/Trident_SemiringProduct_def.hpp"
#include "product/Trident_GridCall.hpp"
#include "product/Trident_GridSpaces.hpp"
#include "product/Trident_Grid_decl.hpp"
#include "product/Trident_Product.hpp"
#include "rounds/Trident_FilteredMultiply.hpp"
#include "rounds/Trident_Rounds.hpp"
#include "rounds/Trident_RowPartMerge.hpp"
#include "tpetra/Trident_CheckInput.hpp"
#include "tpetra/Trident_ResultMatrix.hpp"

namespace Trident {
namespace Impl {

/// Returns the reason why no grid can be made of these Maps; empty if a grid can be made. Local.
template <class MapPtr>
std::string problemOfMaps(MPI_Comm comm, const std::vector<MapPtr>& maps) {
  if (maps.empty()) return "there is no Map; pass those of the matrices' rows and columns";
  for (const MapPtr& map : maps) {
    if (map.is_null()) return "a Map is null";
    if (!hasRanksOf(comm, *map)) return "a Map lives on another communicator than the grid";
  }
  return "";
}

/// Returns A·B, or its entries that filters and a mask keep. Collective; throws like Rounds::run().
/// @param mask null, or a mask along A's row space and B's column space, with sorted rows. Entries
///   that the mask stops are not formed, except by multiplyOutside() on devices
template <class Scalar, class Device>
GridMatrix<Scalar, Device> multiplyPlaced(const GridMatrix<Scalar, Device>& A,
                                          const GridMatrix<Scalar, Device>& B,
                                          const RoundOptions& options, RoundCounters& counters,
                                          LocalFailure& failure,
                                          const LocalMask<Device>* mask = nullptr) {
  if (options.filters()) return multiplyAndDrop(A, B, options, counters, failure, mask);
  Rounds<Scalar, Device> rounds(A, B, options, counters, failure);
  PartialSums<Scalar, Device> sums(options, counters, mask);
  rounds.run(sums);
  return rounds.product(sums);
}

}  // namespace Impl

template <class SC, class LO, class GO, class NO>
auto Grid<SC, LO, GO, NO>::Matrix::rowMap() const -> Teuchos::RCP<const map_type> {
  return placed_ ? placed_->grid->numbering(placed_->rows).map : Teuchos::null;
}

template <class SC, class LO, class GO, class NO>
auto Grid<SC, LO, GO, NO>::Matrix::columnMap() const -> Teuchos::RCP<const map_type> {
  return placed_ ? placed_->grid->numbering(placed_->columns).map : Teuchos::null;
}

template <class SC, class LO, class GO, class NO>
std::size_t Grid<SC, LO, GO, NO>::Matrix::localEntries() const {
  return placed_ ? placed_->matrix.local().nnz() : 0;
}

template <class SC, class LO, class GO, class NO>
Report Grid<SC, LO, GO, NO>::Matrix::report() const {
  return placed_ ? placed_->report : Report();
}

template <class SC, class LO, class GO, class NO>
Grid<SC, LO, GO, NO>::Grid(const Teuchos::RCP<const Teuchos::Comm<int>>& comm,
                           const std::vector<Teuchos::RCP<const map_type>>& maps,
                           const Teuchos::RCP<Teuchos::ParameterList>& params) {
  const char* const function = "Trident::Grid";
  const Impl::CallScope inside(function);
  if (comm.is_null()) throw Error(function, "the communicator is null; pass that of the matrices");
  Impl::withErrorContext(function, [&] {
    const MPI_Comm raw = Impl::rawComm(*comm);
    const Impl::Options options = Impl::agreedOptions(
        function, {{"the number of Maps", std::to_string(maps.size())}}, params, raw,
        [&](const std::string& problem, const Impl::CollectiveArguments& values) {
          Impl::requireConsistent(
              raw, function, problem.empty() ? Impl::problemOfMaps(raw, maps) : problem, values);
        });
    const Impl::TimeoutScope timeout(options.timeoutSeconds);
    for (std::size_t m = 0; m < maps.size(); ++m)
      Impl::requireOneToOne(*maps[m], "Map " + std::to_string(m + 1) + " of the grid",
                            "pass one-to-one Maps");
    spaces_ = std::make_shared<const Impl::GridSpaces<SC, LO, GO, NO>>(raw, maps, options);
  });
}

template <class SC, class LO, class GO, class NO>
auto Grid<SC, LO, GO, NO>::spaces(const char* function) const -> const Spaces& {
  if (!spaces_) throw Error(function, "this grid was moved from; call the one that it went to");
  return *spaces_;
}

template <class SC, class LO, class GO, class NO>
template <class Object>
auto Grid<SC, LO, GO, NO>::importMatrix(const Object& A, const std::string& name,
                                        const Teuchos::RCP<const map_type>& columns,
                                        const Teuchos::RCP<const map_type>& rows) const -> Matrix {
  const std::string remedy = " is none of the grid's Maps; pass it when the grid is made";
  const auto indexOf = [&](const auto& asked, const char* word, const auto& own,
                           const char* whose) {
    const int index = spaces_->indexOf(asked.is_null() ? own : asked);
    if (index < 0) throw Error((asked.is_null() ? name + "'s " + whose : word) + remedy);
    return index;
  };
  const int row = indexOf(rows, "rows", A.getRowMap(), "row Map");
  const int column = indexOf(columns, "columns", A.getDomainMap(), "domain Map");
  const Impl::MissingIndexMessage lookup{name + " has a column", "the grid's Map",
                                         "choose a Map that has all columns of " + name};
  if (rows.is_null() || A.getRowMap()->isSameAs(*rows))
    return Matrix(
        Impl::placedMatrix(spaces_, row, column, spaces_->import(A, row, column, lookup)));
  Impl::requireOneToOne(*A.getRowMap(), name + "'s row Map",
                        "pass one whose rows lie along a one-to-one Map");
  const Impl::MissingIndexMessage rowLookup{name + " has a row", "the Map passed as rows",
                                            "choose a Map that has all rows of " + name};
  return Matrix(Impl::placedMatrix(spaces_, row, column,
                                   spaces_->importRows(A, row, column, rowLookup, lookup)));
}

template <class SC, class LO, class GO, class NO>
template <class Object>
auto Grid<SC, LO, GO, NO>::importChecked(const Object* A, const std::string& name,
                                         const Teuchos::RCP<const map_type>& columns,
                                         const Teuchos::RCP<const map_type>& rows) const -> Matrix {
  const char* const function = "Trident::Grid::fromTpetra";
  const auto check = [&](Impl::CollectiveArguments& values) -> std::string {
    values.push_back({"columns", columns.is_null() ? "null" : "a Map"});
    values.push_back({"rows", rows.is_null() ? "null" : "a Map"});
    if (!A) return "the graph is null";
    if (!Impl::hasRanksOf(spaces_->comm(), *A))
      return name + " lives on another communicator than the grid";
    return A->isFillComplete()
               ? ""
               : name + " is not fill-complete; call " + name + ".fillComplete() first";
  };
  return Impl::onGrid(function, spaces(function), check,
                      [&] { return importMatrix(*A, name, columns, rows); });
}

template <class SC, class LO, class GO, class NO>
auto Grid<SC, LO, GO, NO>::fromTpetra(const crs_matrix_type& A,
                                      const Teuchos::RCP<const map_type>& columns,
                                      const Teuchos::RCP<const map_type>& rows) const -> Matrix {
  return importChecked(&A, "A", columns, rows);
}

template <class SC, class LO, class GO, class NO>
auto Grid<SC, LO, GO, NO>::fromTpetra(const Teuchos::RCP<const crs_graph_type>& G,
                                      const Teuchos::RCP<const map_type>& columns,
                                      const Teuchos::RCP<const map_type>& rows) const -> Matrix {
  return importChecked(G.get(), "G", columns, rows);
}

template <class SC, class LO, class GO, class NO>
auto Grid<SC, LO, GO, NO>::multiply(const Matrix& A, const Matrix& B,
                                    const Teuchos::ParameterList& options) const -> Matrix {
  return multiplyBy("Trident::Grid::multiply", A, B, options, Impl::noMoreProblems,
                    [](const auto& a, const auto& b, const Impl::RoundOptions& rounds,
                       Impl::RoundCounters& counters, Impl::LocalFailure& failure) {
                      return Impl::multiplyPlaced(a, b, rounds, counters, failure);
                    });
}

template <class SC, class LO, class GO, class NO>
Report Grid<SC, LO, GO, NO>::multiplyInPieces(const Matrix& A, const Matrix& B,
                                              const std::function<void(const Piece&)>& consume,
                                              const Teuchos::ParameterList& options) const {
  const auto checkMore = [&](const Impl::RoundOptions&, Impl::CollectiveArguments&) {
    if (!consume) return std::string("there is no function for the pieces; pass one");
    return Impl::problemOfFilters(options, "a consumer, which gets all of the product");
  };
  long long entries = 0;
  const auto pass = [&](const auto& rows) {
    entries += static_cast<long long>(rows.values.extent(0));
    consume({rows.rows, rows.begin, rows.columns, rows.values});
  };
  const auto multiply = [&](const auto& a, const auto& b, const Impl::RoundOptions& rounds,
                            Impl::RoundCounters& counters, Impl::LocalFailure& failure) {
    using Slice = std::decay_t<decltype(a)>;
    Impl::multiplyPassing(a, b, pass, rounds, counters, failure);
    return Slice(a.exchanges(), a.rows(), b.columns(), {});  // empty, because no piece is kept
  };
  Report report =
      multiplyBy("Trident::Grid::multiplyInPieces", A, B, options, checkMore, multiply).report();
  report.entriesC = entries;
  return report;
}

template <class SC, class LO, class GO, class NO>
auto Grid<SC, LO, GO, NO>::multiplyMasked(const char* function, const Matrix& A, const Matrix& B,
                                          const Matrix& mask, bool complement,
                                          const Teuchos::ParameterList& options) const -> Matrix {
  const auto* const m = mask.placed_.get();
  const auto check = [&](const Impl::RoundOptions&, Impl::CollectiveArguments& values) {
    std::string problem = Impl::problemOfPlaced(m, spaces_.get(), "the mask", values);
    if (problem.empty() && (m->rows != A.placed_->rows || m->columns != B.placed_->columns))
      problem =
          "the mask lies along other Maps than A's rows and B's columns; bring it onto the grid "
          "with fromTpetra(mask, B.columnMap(), A.rowMap())";
    return problem;
  };
  return multiplyBy(function, A, B, options, check,
                    [&](const auto& a, const auto& b, const Impl::RoundOptions& rounds,
                        Impl::RoundCounters& counters, Impl::LocalFailure& failure) {
                      spaces_->orderRows(m->matrix, "the mask");
                      const Impl::LocalMask<typename NO::device_type> local(m->matrix.local(),
                                                                            complement);
                      return Impl::multiplyPlaced(a, b, rounds, counters, failure, &local);
                    });
}

template <class SC, class LO, class GO, class NO>
auto Grid<SC, LO, GO, NO>::multiplyWithin(const Matrix& A, const Matrix& B, const Matrix& mask,
                                          const Teuchos::ParameterList& options) const -> Matrix {
  return multiplyMasked("Trident::Grid::multiplyWithin", A, B, mask, false, options);
}

template <class SC, class LO, class GO, class NO>
auto Grid<SC, LO, GO, NO>::multiplyOutside(const Matrix& A, const Matrix& B, const Matrix& mask,
                                           const Teuchos::ParameterList& options) const -> Matrix {
  return multiplyMasked("Trident::Grid::multiplyOutside", A, B, mask, true, options);
}

template <class SC, class LO, class GO, class NO>
auto Grid<SC, LO, GO, NO>::transpose(const Matrix& A) const -> Matrix {
  const auto* const a = A.placed_.get();
  const auto check = [&](Impl::CollectiveArguments& values) {
    return Impl::problemOfPlaced(a, spaces_.get(), "A", values);
  };
  return Impl::onGrid("Trident::Grid::transpose", spaces("Trident::Grid::transpose"), check, [&] {
    return Matrix(Impl::placedMatrix(spaces_, a->columns, a->rows,
                                     spaces_->transposed(a->matrix, a->rows, a->columns)));
  });
}

template <class SC, class LO, class GO, class NO>
auto Grid<SC, LO, GO, NO>::add(SC alpha, const Matrix& A, SC beta, const Matrix& B) const
    -> Matrix {
  const auto *const a = A.placed_.get(), *const b = B.placed_.get();
  const auto check = [&](Impl::CollectiveArguments& values) {
    const std::string problem = Impl::problemOfPair(a, b, spaces_.get(), values);
    values.push_back({"alpha", Impl::scalarText(alpha)});
    values.push_back({"beta", Impl::scalarText(beta)});
    return problem;
  };
  using Scalar = typename Impl::TpetraTypes<SC, LO, GO, NO>::scalar_type;
  return Impl::onGrid("Trident::Grid::add", spaces("Trident::Grid::add"), check, [&] {
    return Matrix(Impl::placedMatrix(
        spaces_, a->rows, a->columns,
        spaces_->sum(static_cast<Scalar>(alpha), a->matrix, static_cast<Scalar>(beta), b->matrix)));
  });
}

template <class SC, class LO, class GO, class NO>
void Grid<SC, LO, GO, NO>::toTpetra(const Matrix& matrix, crs_matrix_type& C) const {
  const char* const function = "Trident::Grid::toTpetra";
  const auto* const placed = matrix.placed_.get();
  const auto check = [&](Impl::CollectiveArguments& values) {
    std::string problem = Impl::problemOfPlaced(placed, spaces_.get(), "the matrix", values);
    if (problem.empty())
      problem = Impl::problemOfResult(C, "C", Impl::ResultPattern::New,
                                      "pass a new CrsMatrix(matrix.rowMap(), 0)");
    return problem;
  };
  Impl::onGrid(function, spaces(function), check, [&] {
    const auto &rows = spaces_->numbering(placed->rows),
               &columns = spaces_->numbering(placed->columns);
    if (!C.getRowMap()->isSameAs(*rows.map))
      throw Error(function,
                  "C's row Map is not the Map that the matrix's rows lie along; pass a new "
                  "CrsMatrix(matrix.rowMap(), 0)");
    Traffic uncounted;
    const auto& options = spaces_->options().rounds;
    Impl::LocalFailure failure;
    const auto exported = [&] {
      Impl::MatrixExport outgoing(placed->matrix, Impl::SliceUsers::Shared,
                                  spaces_->space(placed->rows), spaces_->space(placed->columns),
                                  options, uncounted, failure);
      return Impl::exportMatrix<SC, LO, GO, NO>(outgoing, columns, options, uncounted, failure);
    };
    const auto result = exported();
    Impl::commitResult(result, columns.map, rows.map, {}, true, C, failure);
  });
}

template <class SC, class LO, class GO, class NO>
std::string Grid<SC, LO, GO, NO>::description() const {
  return spaces("Trident::Grid::description").description();
}

}  // namespace Trident

#include "product/Trident_GridEntries_def.hpp"

#define TRIDENT_GRID_INSTANT(SC, LO, GO, NO) template class Trident::Grid<SC, LO, GO, NO>;

#endif
