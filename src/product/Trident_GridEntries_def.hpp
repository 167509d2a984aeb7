// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_GRIDENTRIES_DEF_HPP
#define TRIDENT_GRIDENTRIES_DEF_HPP

#include <cstddef>
#include <string>
#include <type_traits>

#include "Trident_Error.hpp"
#include "kernels/Trident_SemiringProduct_decl.hpp"
#include "matrix/Trident_FilterRows.hpp"
#include "matrix/Trident_Semiring.hpp"
#include "matrix/Trident_SliceLocator.hpp"
#include "move/Trident_MatrixExport.hpp"
#include "product/Trident_GridCall.hpp"
#include "product/Trident_GridSpaces.hpp"
#include "product/Trident_Grid_decl.hpp"
#include "tpetra/Trident_CheckInput.hpp"

// Functions of a grid that look at matrices entry by entry.

namespace Trident {
namespace Impl {

/// A filter that keeps values of an interval.
template <class Scalar>
struct KeepBetween : KeepAsIs<Scalar> {
  using typename KeepAsIs<Scalar>::SettledRow;
  Scalar least, most;

  KeepBetween(const Scalar& low, const Scalar& high) : least(low), most(high) {}
  KOKKOS_INLINE_FUNCTION bool keeps(const SettledRow&, long long, int, int,
                                    const Scalar& value) const {
    return least <= value && value <= most;
  }
};

/// A filter that keeps the diagonal of a slice.
template <class Scalar, class Device>
struct KeepDiagonal : KeepAsIs<Scalar> {
  using typename KeepAsIs<Scalar>::SettledRow;
  RowPositions<Device> rows;
  Position corner;  ///< number of the slice's first column

  explicit KeepDiagonal(const GridMatrix<Scalar, Device>& A)
      : rows(*A.rows(), A.grid().me().i, A.grid().me().k),
        corner(A.columns()->tileColBegin(A.grid().me().j)) {}
  KOKKOS_INLINE_FUNCTION bool keeps(const SettledRow&, long long r, int, int column,
                                    const Scalar&) const {
    return rows(static_cast<int>(r)) == corner + column;
  }
};

/// A filter that keeps the first entry of each row.
template <class Scalar>
struct KeepFirst : KeepAsIs<Scalar> {
  using typename KeepAsIs<Scalar>::SettledRow;

  KOKKOS_INLINE_FUNCTION bool keeps(const SettledRow&, long long, int e, int, const Scalar&) const {
    return e == 0;
  }
};

/// Functor that sums a row over a semiring, in the order of entries, and calls `out(row, sum)`.
template <class Semiring, class Offsets, class Values, class Out>
struct SumRows {
  Offsets offsets;
  Values values;
  Out out;

  KOKKOS_INLINE_FUNCTION void operator()(long long r) const {
    auto sum = Semiring::zero();
    const std::size_t end = offsets(r + 1);
    for (std::size_t e = offsets(r); e < end; ++e) sum = Semiring::plus(sum, values(e));
    out(r, static_cast<typename Values::non_const_value_type>(sum));
  }
};

/// Functor that writes a row's sum to the row's only entry.
template <class Scalar, class Device>
struct WriteToOnlyEntry {
  LocalMatrix<Scalar, Device> rows;

  KOKKOS_INLINE_FUNCTION void operator()(long long r, const Scalar& sum) const {
    const std::size_t at = rows.graph.row_map(r);
    if (rows.graph.row_map(r + 1) > at) rows.values(at) = sum;
  }
};

/// Functor that writes a row's sum into a vector.
template <class View>
struct WriteToVector {
  View vector;

  template <class Scalar>
  KOKKOS_INLINE_FUNCTION void operator()(long long r, const Scalar& sum) const {
    vector(r, 0) = sum;
  }
};

/// Sums rows over the semiring of `options`. Local; does not wait for its kernel.
template <class Device, class Offsets, class Values, class Out>
void sumRows(const Offsets& offsets, const Values& values, const KernelOptions& options,
             const Out& out) {
  const long long rows = static_cast<long long>(offsets.extent(0)) - 1;
  withSemiring<typename Values::non_const_value_type>(options.semiring, [&](auto semiring) {
    Kokkos::parallel_for("Trident::sumRows", Range<Device>(0, rows),
                         SumRows<decltype(semiring), Offsets, Values, Out>{offsets, values, out});
  });
}

/// Returns a slice with the sum of each row that has entries. Local; waits for its kernels.
template <class Scalar, class Device>
LocalMatrix<Scalar, Device> rowsOfOne(const LocalMatrix<Scalar, Device>& slice,
                                      const KernelOptions& options) {
  const auto ones = keepEntries(slice, KeepFirst<Scalar>(), KeepFirst<Scalar>());
  if (slice.nnz() > 0)
    sumRows<Device>(slice.graph.row_map, slice.values, options,
                    WriteToOnlyEntry<Scalar, Device>{ones});
  Kokkos::fence();
  return ones;
}

/// Functor that writes a row of a diagonal matrix, and the row's offset.
template <class Scalar, class Device, class View>
struct WriteDiagonal {
  View vector;
  Kokkos::View<std::size_t*, Device> offsets;
  Kokkos::View<int*, Device> columns;
  Kokkos::View<Scalar*, Device> values;

  KOKKOS_INLINE_FUNCTION void operator()(long long r) const {
    offsets(r) = static_cast<std::size_t>(r);
    if (r == static_cast<long long>(columns.extent(0))) return;
    columns(r) = static_cast<int>(r);
    values(r) = vector(r, 0);
  }
};

/// Returns this rank's rows of the matrix whose diagonal is `vector`. Local; waits for its kernel.
template <class Scalar, class Device, class Vector>
LocalMatrix<Scalar, Device> diagonalOf(const Vector& vector) {
  const long long count = static_cast<long long>(localSize(*vector.getMap()));
  const auto offsets = uninitialized<std::size_t, Device>("Trident::offsets", count + 1);
  const CrsArrays<Scalar, Device> rows{offsets,
                                       uninitialized<int, Device>("Trident::columns", count),
                                       uninitialized<Scalar, Device>("Trident::values", count)};
  const auto view = vector.getLocalViewDevice(Tpetra::Access::ReadOnly);
  Kokkos::parallel_for("Trident::writeDiagonal", Range<Device>(0, count + 1),
                       WriteDiagonal<Scalar, Device, std::decay_t<decltype(view)>>{
                           view, offsets, rows.columns, rows.values});
  Kokkos::fence();
  return rows.matrix(static_cast<int>(count));
}

/// Brings the rows of a matrix to their owners, and sums each row into a vector. Collective. Throws
/// Trident::Error on every rank if one fails.
/// @param rows, columns indices of the matrix's spaces
/// @param matrix the caller must be the only owner of its arrays
template <class SC, class LO, class GO, class NO, class Matrix>
Teuchos::RCP<Tpetra::Vector<SC, LO, GO, NO>> sumsOfOwners(const GridSpaces<SC, LO, GO, NO>& spaces,
                                                          int rows, int columns,
                                                          const Matrix& matrix,
                                                          const KernelOptions& options) {
  using Device = typename Matrix::device_type;
  Teuchos::RCP<Tpetra::Vector<SC, LO, GO, NO>> sums;
  runEverywhere(spaces.comm(), [&] {
    sums = Teuchos::rcp(new Tpetra::Vector<SC, LO, GO, NO>(spaces.numbering(rows).map, false));
  });
  Traffic uncounted;
  LocalFailure failure;
  MatrixExport outgoing(matrix, SliceUsers::Sole, spaces.space(rows), spaces.space(columns),
                        spaces.options().rounds, uncounted, failure);
  failure.guard([&] {
    const auto own = outgoing.rows({});
    const auto view = sums->getLocalViewDevice(Tpetra::Access::OverwriteAll);
    sumRows<Device>(own.offsets, own.values, options,
                    WriteToVector<std::decay_t<decltype(view)>>{view});
    Kokkos::fence();
  });
  throwEverywhere(spaces.comm(), failure.text());
  return sums;
}

}  // namespace Impl

template <class SC, class LO, class GO, class NO>
template <class Work>
auto Grid<SC, LO, GO, NO>::combineBy(const char* function, const Matrix& A, const Matrix& B,
                                     const Teuchos::ParameterList& options, const Work& work) const
    -> Matrix {
  const auto *const a = A.placed_.get(), *const b = B.placed_.get();
  Impl::RoundOptions rounds = spaces(function).options().rounds;
  const auto check = [&](Impl::CollectiveArguments& values) {
    const std::string problem = Impl::problemOfPair(a, b, spaces_.get(), values);
    Impl::readProductOptions(options, rounds, values);
    return problem.empty() ? Impl::problemOfFilters(options, "sums and products of entries")
                           : problem;
  };
  return Impl::onGrid(function, spaces(function), check, [&] {
    spaces_->orderRows(a->matrix, "A");
    spaces_->orderRows(b->matrix, "B");
    return Matrix(Impl::placedMatrix(
        spaces_, a->rows, a->columns,
        spaces_->withLocal(
            a->matrix, [&] { return work(a->matrix.local(), b->matrix.local(), rounds); },
            Impl::RowOrder::Ascending)));
  });
}

template <class SC, class LO, class GO, class NO>
auto Grid<SC, LO, GO, NO>::add(const Matrix& A, const Matrix& B,
                               const Teuchos::ParameterList& options) const -> Matrix {
  return combineBy("Trident::Grid::add", A, B, options,
                   [](const auto& a, const auto& b, const Impl::KernelOptions& kernel) {
                     return Impl::semiringSum(a, b, kernel);
                   });
}

template <class SC, class LO, class GO, class NO>
auto Grid<SC, LO, GO, NO>::multiplyEntries(const Matrix& A, const Matrix& B,
                                           const Teuchos::ParameterList& options) const -> Matrix {
  return combineBy("Trident::Grid::multiplyEntries", A, B, options,
                   [](const auto& a, const auto& b, const Impl::KernelOptions& kernel) {
                     return Impl::semiringEntries(a, b, kernel);
                   });
}

template <class SC, class LO, class GO, class NO>
auto Grid<SC, LO, GO, NO>::select(const Matrix& A, SC least, SC most) const -> Matrix {
  const char* const function = "Trident::Grid::select";
  using Scalar = typename Impl::TpetraTypes<SC, LO, GO, NO>::scalar_type;
  const auto* const a = A.placed_.get();
  const auto check = [&](Impl::CollectiveArguments& values) {
    std::string problem = Impl::problemOfPlaced(a, spaces_.get(), "A", values);
    values.push_back({"least", Impl::scalarText(least)});
    values.push_back({"most", Impl::scalarText(most)});
    if (problem.empty() && !Impl::hasSemirings<Scalar>)
      problem = "values of this type have no order; multiplyKeeping() takes a functor";
    return problem;
  };
  return Impl::onGrid(function, spaces(function), check, [&] {
    const auto& matrix = a->matrix;
    const auto made = [&] {
      if constexpr (Impl::hasSemirings<Scalar>) {
        const Impl::KeepBetween<Scalar> keep(least, most);
        return Impl::keepEntries(matrix.local(), keep, keep);
      } else {
        return matrix.local();
      }
    };
    const auto order = matrix.rowsAscend() ? Impl::RowOrder::Ascending : Impl::RowOrder::Any;
    return Matrix(
        Impl::placedMatrix(spaces_, a->rows, a->columns, spaces_->withLocal(matrix, made, order)));
  });
}

template <class SC, class LO, class GO, class NO>
auto Grid<SC, LO, GO, NO>::rowSums(const Matrix& A, const Teuchos::ParameterList& options) const
    -> Teuchos::RCP<vector_type> {
  const char* const function = "Trident::Grid::rowSums";
  const auto* const a = A.placed_.get();
  Impl::RoundOptions rounds = spaces(function).options().rounds;
  const auto check = [&](Impl::CollectiveArguments& values) {
    const std::string problem = Impl::problemOfPlaced(a, spaces_.get(), "A", values);
    Impl::readProductOptions(options, rounds, values);
    return problem.empty() ? Impl::problemOfFilters(options, "sums of rows") : problem;
  };
  return Impl::onGrid(function, spaces(function), check, [&] {
    const auto ones = spaces_->withLocal(
        a->matrix, [&] { return Impl::rowsOfOne(a->matrix.local(), rounds); },
        Impl::RowOrder::Ascending);
    return Impl::sumsOfOwners(*spaces_, a->rows, a->columns, ones, rounds);
  });
}

template <class SC, class LO, class GO, class NO>
auto Grid<SC, LO, GO, NO>::diagonal(const Matrix& A) const -> Teuchos::RCP<vector_type> {
  using Scalar = typename Impl::TpetraTypes<SC, LO, GO, NO>::scalar_type;
  const char* const function = "Trident::Grid::diagonal";
  const auto* const a = A.placed_.get();
  const auto check = [&](Impl::CollectiveArguments& values) {
    const std::string problem = Impl::problemOfPlaced(a, spaces_.get(), "A", values);
    return problem.empty() && a->rows != a->columns
               ? "A's rows and columns lie along different Maps; bring it onto the grid along one"
               : problem;
  };
  return Impl::onGrid(function, spaces(function), check, [&] {
    const auto entries = [&] {
      const Impl::KeepDiagonal<Scalar, typename NO::device_type> keep(a->matrix);
      return Impl::keepEntries(a->matrix.local(), keep, keep);
    };
    const auto kept = spaces_->withLocal(a->matrix, entries, Impl::RowOrder::Ascending);
    return Impl::sumsOfOwners(*spaces_, a->rows, a->columns, kept, Impl::KernelOptions());
  });
}

template <class SC, class LO, class GO, class NO>
auto Grid<SC, LO, GO, NO>::fromDiagonal(const vector_type& values) const -> Matrix {
  using Device = typename NO::device_type;
  using Scalar = typename Impl::TpetraTypes<SC, LO, GO, NO>::scalar_type;
  const char* const function = "Trident::Grid::fromDiagonal";
  const auto check = [&](Impl::CollectiveArguments&) -> std::string {
    return Impl::hasRanksOf(spaces_->comm(), *values.getMap())
               ? ""
               : "the vector lives on another communicator than the grid";
  };
  return Impl::onGrid(function, spaces(function), check, [&] {
    const int space = spaces_->indexOf(values.getMap());
    if (space < 0)
      throw Error("the vector's Map is none of the grid's Maps; pass it when the grid is made");
    Impl::LocalFailure failure;
    Impl::NumberedMatrix<Scalar, Device> local{{}, {}, {}, true};
    failure.guard([&] {
      const auto matrix = Impl::diagonalOf<Scalar, Device>(values);
      const Impl::IndexNumbers<Device> numbers(spaces_->numbering(space).begin(), matrix.numRows());
      local = {matrix, numbers, numbers, true};
    });
    return Matrix(Impl::placedMatrix(spaces_, space, space,
                                     spaces_->importNumbered(local, space, space, failure)));
  });
}

}  // namespace Trident

#endif
