// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_GRID_DEF_HPP
#define TRIDENT_GRID_DEF_HPP

#include <memory>
#include <string>
#include <vector>

#include "Trident_CheckArguments.hpp"
#include "Trident_CheckCall.hpp"
#include "Trident_CheckInput.hpp"
#include "Trident_Error.hpp"
#include "Trident_ExportMatrix.hpp"
#include "Trident_FilteredMultiply.hpp"
#include "Trident_GridMultiply_def.hpp"
#include "Trident_GridSpaces.hpp"
#include "Trident_Grid_decl.hpp"
#include "Trident_NoteRounds.hpp"
#include "Trident_ThreadInside.hpp"
#include "Trident_Wait.hpp"

namespace Trident {
namespace Impl {

/// Does a function of a grid: under its name, with its patience, by one thread; and only where all
/// ranks' arguments are good and alike. Collective over the grid.
/// @param check what is wrong with this rank's arguments, empty where nothing is; adds what ranks
///   must pass alike
template <class Spaces, class Check, class Work>
auto onGrid(const char* function, const Spaces& spaces, const Check& check, const Work& work) {
  const ThreadInside inside;
  const Patience patience(spaces.options().timeoutSeconds);
  return inNameOf(function, [&] {
    checkArguments(spaces.comm(), function, [&](CommonValues& values) {
      values.push_back({"the function called", function});
      return check(values);
    });
    return work();
  });
}

/// What hinders a matrix from being an operand on this grid; empty where nothing does. Local.
template <class Placed, class Spaces>
std::string problemOfPlaced(const Placed* matrix, const Spaces* grid, const std::string& name,
                            CommonValues& values) {
  if (!matrix) return name + " is no matrix yet; make it with fromTpetra()";
  if (matrix->grid.get() != grid)
    return name + " lies on another grid; bring it onto this one with fromTpetra()";
  values.push_back({name, "along Maps " + std::to_string(matrix->rows) + " and " +
                              std::to_string(matrix->columns) + " of the grid"});
  return "";
}

/// What hinders a grid from being made; empty where nothing does. Local.
template <class MapPtr>
std::string problemOfMaps(MPI_Comm comm, const std::vector<MapPtr>& maps) {
  if (maps.empty()) return "there is no Map; pass those of the matrices' rows and columns";
  for (const MapPtr& map : maps) {
    if (map.is_null()) return "a Map is null";
    if (!livesOn(comm, *map)) return "a Map lives on another communicator than the grid";
  }
  return "";
}

}  // namespace Impl

template <class SC, class LO, class GO, class NO>
auto Grid<SC, LO, GO, NO>::Matrix::rowMap() const -> Teuchos::RCP<const map_type> {
  return placed_ ? placed_->grid->space(placed_->rows).numbering->map : Teuchos::null;
}

template <class SC, class LO, class GO, class NO>
auto Grid<SC, LO, GO, NO>::Matrix::columnMap() const -> Teuchos::RCP<const map_type> {
  return placed_ ? placed_->grid->space(placed_->columns).numbering->map : Teuchos::null;
}

template <class SC, class LO, class GO, class NO>
std::size_t Grid<SC, LO, GO, NO>::Matrix::localEntries() const {
  return placed_ ? placed_->matrix.local().nnz() : 0;
}

template <class SC, class LO, class GO, class NO>
Grid<SC, LO, GO, NO>::Grid(const Teuchos::RCP<const Teuchos::Comm<int>>& comm,
                           const std::vector<Teuchos::RCP<const map_type>>& maps,
                           const Teuchos::RCP<Teuchos::ParameterList>& params) {
  const char* const function = "Trident::Grid";
  const Impl::ThreadInside inside;
  Impl::inNameOf(function, [&] {
    const MPI_Comm raw = Impl::rawComm(*comm);
    const Impl::Options options = Impl::agreedOptions(
        function, {{"the number of Maps", std::to_string(maps.size())}}, params,
        [&](const std::string& problem, const Impl::CommonValues& values) {
          Impl::requireAlike(raw, function,
                             problem.empty() ? Impl::problemOfMaps(raw, maps) : problem, values);
        });
    const Impl::Patience patience(options.timeoutSeconds);
    for (const auto& map : maps)
      if (!Impl::oneToOne(*map))
        throw Error(function, "a Map has an index that several ranks own; pass one-to-one Maps");
    spaces_ = std::make_shared<const Impl::GridSpaces<SC, LO, GO, NO>>(raw, maps, options);
  });
}

template <class SC, class LO, class GO, class NO>
auto Grid<SC, LO, GO, NO>::fromTpetra(const crs_matrix_type& A,
                                      const Teuchos::RCP<const map_type>& columns) const -> Matrix {
  const char* const function = "Trident::Grid::fromTpetra";
  const auto check = [&](Impl::CommonValues& values) -> std::string {
    values.push_back({"columns", columns.is_null() ? "null" : "a Map"});
    if (!Impl::livesOn(spaces_->comm(), A)) return "A lives on another communicator than the grid";
    return A.isFillComplete() ? "" : "A is not fill-complete; call A.fillComplete() first";
  };
  return Impl::onGrid(function, *spaces_, check, [&] {
    const std::string remedy = " is none of the grid's Maps; pass it when the grid is made";
    const int row = spaces_->indexOf(A.getRowMap());
    if (row < 0) throw Error(function, "A's row Map" + remedy);
    const int column = spaces_->indexOf(columns.is_null() ? A.getDomainMap() : columns);
    if (column < 0)
      throw Error(function, (columns.is_null() ? "A's domain Map" : "columns") + remedy);
    const Impl::Meeting meeting{"A has a column", "the grid's Map",
                                "choose a Map that has all columns of A"};
    return Matrix(
        Impl::placedMatrix(spaces_, row, column, spaces_->import(A, row, column, meeting)));
  });
}

template <class SC, class LO, class GO, class NO>
template <class Work>
auto Grid<SC, LO, GO, NO>::multiplyBy(const char* function, const Matrix& A, const Matrix& B,
                                      const Teuchos::ParameterList& filter, Report* report,
                                      const Work& work, const std::string& problem) const
    -> Matrix {
  const auto *const a = A.placed_.get(), *const b = B.placed_.get();
  Impl::RoundOptions rounds = spaces_->options().rounds;
  const auto check = [&](Impl::CommonValues& values) {
    std::string wrong = Impl::problemOfPlaced(a, spaces_.get(), "A", values);
    if (wrong.empty()) wrong = Impl::problemOfPlaced(b, spaces_.get(), "B", values);
    if (wrong.empty()) values.push_back({"B", a == b ? "A itself" : "a matrix of its own"});
    if (wrong.empty() && a->columns != b->rows)
      wrong =
          "A's columns lie along another Map than B's rows; bring A onto the grid with "
          "fromTpetra(A, B.rowMap())";
    if (wrong.empty()) Impl::readFilter(filter, rounds, values);
    return wrong.empty() ? problem : wrong;
  };
  return Impl::onGrid(function, *spaces_, check, [&] {
    const double start = Impl::steadySeconds();
    Impl::RoundCounters counters;
    spaces_->orderFactors(a->matrix, b->matrix);
    const Matrix product(Impl::placedMatrix(spaces_, a->rows, b->columns,
                                            work(a->matrix, b->matrix, rounds, counters)));
    if (report) {
      *report = Report();
      report->grid = a->matrix.grid().shape();
      report->partition = spaces_->partition();
      report->operands = {{"A", static_cast<long long>(A.localEntries())},
                          {"B", static_cast<long long>(B.localEntries())}};
      report->reasons = spaces_->description() + "; ";
      Impl::noteRounds(*report, counters, a->matrix, b->matrix, product.placed_->matrix);
      Impl::endReasons(*report);
      report->totalSeconds = Impl::steadySeconds() - start;
    }
    return product;
  });
}

template <class SC, class LO, class GO, class NO>
auto Grid<SC, LO, GO, NO>::multiply(const Matrix& A, const Matrix& B, Report* report) const
    -> Matrix {
  return multiply(A, B, Teuchos::ParameterList(), report);
}

template <class SC, class LO, class GO, class NO>
auto Grid<SC, LO, GO, NO>::multiply(const Matrix& A, const Matrix& B,
                                    const Teuchos::ParameterList& filter, Report* report) const
    -> Matrix {
  return multiplyBy("Trident::Grid::multiply", A, B, filter, report,
                    [](const auto& a, const auto& b, const Impl::RoundOptions& rounds,
                       Impl::RoundCounters& counters) {
                      return rounds.filters() ? Impl::multiplyAndDrop(a, b, rounds, &counters)
                                              : Impl::multiplyOnGrid(a, b, rounds, &counters);
                    });
}

template <class SC, class LO, class GO, class NO>
auto Grid<SC, LO, GO, NO>::transpose(const Matrix& A) const -> Matrix {
  const auto* const a = A.placed_.get();
  const auto check = [&](Impl::CommonValues& values) {
    return Impl::problemOfPlaced(a, spaces_.get(), "A", values);
  };
  return Impl::onGrid("Trident::Grid::transpose", *spaces_, check, [&] {
    return Matrix(Impl::placedMatrix(spaces_, a->columns, a->rows,
                                     spaces_->transposed(a->matrix, a->rows, a->columns)));
  });
}

template <class SC, class LO, class GO, class NO>
auto Grid<SC, LO, GO, NO>::add(SC alpha, const Matrix& A, SC beta, const Matrix& B) const
    -> Matrix {
  const auto *const a = A.placed_.get(), *const b = B.placed_.get();
  const auto check = [&](Impl::CommonValues& values) {
    std::string problem = Impl::problemOfPlaced(a, spaces_.get(), "A", values);
    if (problem.empty()) problem = Impl::problemOfPlaced(b, spaces_.get(), "B", values);
    if (problem.empty() && (a->rows != b->rows || a->columns != b->columns))
      problem = "A and B lie along different Maps; bring both onto the grid along the same";
    return problem;
  };
  using Scalar = typename Impl::TpetraTypes<SC, LO, GO, NO>::scalar_type;
  return Impl::onGrid("Trident::Grid::add", *spaces_, check, [&] {
    return Matrix(Impl::placedMatrix(
        spaces_, a->rows, a->columns,
        spaces_->sum(static_cast<Scalar>(alpha), a->matrix, static_cast<Scalar>(beta), b->matrix)));
  });
}

template <class SC, class LO, class GO, class NO>
void Grid<SC, LO, GO, NO>::toTpetra(const Matrix& matrix, crs_matrix_type& C) const {
  const char* const function = "Trident::Grid::toTpetra";
  const auto* const placed = matrix.placed_.get();
  const auto check = [&](Impl::CommonValues& values) {
    std::string problem = Impl::problemOfPlaced(placed, spaces_.get(), "the matrix", values);
    if (problem.empty())
      problem = Impl::problemOfResult(C, "C", Impl::ResultPattern::New,
                                      "pass a new CrsMatrix(matrix.rowMap(), 0)");
    return problem;
  };
  Impl::onGrid(function, *spaces_, check, [&] {
    const auto &rows = spaces_->space(placed->rows), &columns = spaces_->space(placed->columns);
    if (!C.getRowMap()->isSameAs(*rows.numbering->map))
      throw Error(function,
                  "C's row Map is not the Map that the matrix's rows lie along; pass a new "
                  "CrsMatrix(matrix.rowMap(), 0)");
    Traffic uncounted;
    const auto& options = spaces_->options().rounds;
    Impl::LocalFailure failure;
    const auto exported = [&] {
      Impl::MatrixExport way(placed->matrix, Impl::SliceOwner::Shared, rows, columns, options,
                             uncounted, failure);
      return Impl::exportMatrix<SC, LO, GO, NO>(way, *columns.numbering, options, uncounted,
                                                failure);
    };
    const auto result = exported();
    Impl::commitResult(result, columns.numbering->map, rows.numbering->map, {}, true, C, failure);
  });
}

template <class SC, class LO, class GO, class NO>
std::string Grid<SC, LO, GO, NO>::description() const {
  return spaces_->description();
}

}  // namespace Trident

#define TRIDENT_GRID_INSTANT(SC, LO, GO, NO) template class Trident::Grid<SC, LO, GO, NO>;

#endif
