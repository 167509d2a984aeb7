// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_GRID_DECL_HPP
#define TRIDENT_GRID_DECL_HPP

#include <Kokkos_Core.hpp>
#include <Teuchos_Comm.hpp>
#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>
#include <Tpetra_CrsGraph_decl.hpp>
#include <Tpetra_CrsMatrix_decl.hpp>
#include <Tpetra_Vector_decl.hpp>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "Trident_Report.hpp"
#include "base/Trident_CompiledScalars.hpp"

namespace Trident {
namespace Impl {
template <class SC, class LO, class GO, class NO>
class GridSpaces;
template <class SC, class LO, class GO, class NO>
struct PlacedMatrix;
}  // namespace Impl

/// A trident grid for several operations: matrices come onto it once, are multiplied, transposed
/// and summed there, and leave when the caller wants them as Tpetra matrices. Nothing is exported
/// in between.
///
///     Trident::Grid<> grid(comm, {A->getRowMap(), B->getRowMap()});
///     const auto a = grid.fromTpetra(*A, B->getRowMap()), b = grid.fromTpetra(*B);
///     grid.toTpetra(grid.multiply(grid.multiply(a, b), a), *C);  // (A·B)·A
///
/// Every row or column of a matrix on the grid lies along one of the grid's Maps; the columns of a
/// left factor and the rows of a right one must lie along the same.
///
/// The constructor and all functions but description() are collective over the communicator. They
/// throw Trident::Error on every rank, with all matrices as they were, if an argument is bad on one
/// rank, ranks pass matrices along different Maps, or a rank fails. The constructor also throws
/// Teuchos' exceptions for bad parameters. A cheap handle: copies share the grid, and one that was
/// moved from has none, so that its functions throw Trident::Error. One thread of a process may use
/// Trident at a time.
///
/// A grid and its matrices hold all that they need. So the communicator that the grid was made on
/// may be freed before them; ending the last of them is then collective.
template <class SC = Tpetra::Details::DefaultTypes::scalar_type,
          class LO = Tpetra::Details::DefaultTypes::local_ordinal_type,
          class GO = Tpetra::Details::DefaultTypes::global_ordinal_type,
          class NO = Tpetra::Details::DefaultTypes::node_type>
class Grid {
  using Formed = Impl::ReportFor<SC>;  // compiles only if there are products of SC

 public:
  using map_type = Tpetra::Map<LO, GO, NO>;                   ///< Tpetra's Map
  using crs_matrix_type = Tpetra::CrsMatrix<SC, LO, GO, NO>;  ///< Tpetra's matrix
  using crs_graph_type = Tpetra::CrsGraph<LO, GO, NO>;        ///< Tpetra's graph
  using vector_type = Tpetra::Vector<SC, LO, GO, NO>;         ///< Tpetra's vector

  /// A matrix on a grid. A cheap handle: copies share the entries, which nothing changes. Keeps
  /// its grid. A default one is no matrix.
  class Matrix {
   public:
    Matrix() = default;
    /// Returns the Map that its rows lie along; null if that is a default one.
    Teuchos::RCP<const map_type> rowMap() const;
    /// Returns the Map that its columns lie along; null if that is a default one.
    Teuchos::RCP<const map_type> columnMap() const;
    /// Returns the number of entries of this rank's slice. Local.
    std::size_t localEntries() const;
    /// Returns the report of the product: its work on this rank, and the choices for it. The report
    /// of other matrices is empty. Local.
    Report report() const;

   private:
    friend class Grid;
    using Placed = std::shared_ptr<const Impl::PlacedMatrix<SC, LO, GO, NO>>;
    explicit Matrix(Placed placed) : placed_(std::move(placed)) {}
    Placed placed_;
  };

  /// Makes a grid over the ranks of `comm`. Collective over `comm`.
  /// @param maps that rows and columns will lie along: one-to-one, on `comm` or a duplicate of it.
  ///   One that is the same as another counts once.
  /// @param params whose sublist "Trident" says how the grid is laid and how products run
  ///   (doc/parameters.md). As no matrix is known yet, rows weigh alike in partitions, and
  ///   `"grid" = "auto"` is the squarest grid.
  Grid(const Teuchos::RCP<const Teuchos::Comm<int>>& comm,
       const std::vector<Teuchos::RCP<const map_type>>& maps,
       const Teuchos::RCP<Teuchos::ParameterList>& params = Teuchos::null);

  /// Brings A onto the grid. Its entries are copied: A may change later.
  /// @param A fill-complete, on a row Map that is one-to-one
  /// @param columns the Map of the grid that A's columns are to lie along: that of the rows that
  ///   they are going to meet. Columns find their places by global index. Null: A's domain Map.
  /// @param rows the Map of the grid that A's rows are to lie along, found in the same way. Null:
  ///   A's row Map, which is then one of the grid's.
  Matrix fromTpetra(const crs_matrix_type& A,
                    const Teuchos::RCP<const map_type>& columns = Teuchos::null,
                    const Teuchos::RCP<const map_type>& rows = Teuchos::null) const;

  /// Brings the structure of a graph onto the grid, as a mask: all values are one.
  /// @param G fill-complete
  Matrix fromTpetra(const Teuchos::RCP<const crs_graph_type>& G,
                    const Teuchos::RCP<const map_type>& columns = Teuchos::null,
                    const Teuchos::RCP<const map_type>& rows = Teuchos::null) const;

  /// Forms A·B, or the entries of it that a filter keeps. A filtered product is formed in pieces of
  /// rows, each filtered at once: so one is possible that would not fit memory unfiltered.
  /// @param options of doc/parameters.md "semiring", "drop tolerance" and "keep largest", and in a
  ///   sublist "expert" "drop relative to" and "product memory bytes", instead of the grid's; equal
  ///   on all ranks
  Matrix multiply(const Matrix& A, const Matrix& B,
                  const Teuchos::ParameterList& options = Teuchos::ParameterList()) const;

  /// Forms the entries of A·B for which the mask has an entry, zero or not. No others are formed.
  /// An entry of the mask that no product falls on is none of the result. A filter sees the entries
  /// that the mask lets through.
  /// @param mask along A's rows and B's columns; fromTpetra() brings a graph too
  /// @param options as multiply() has them
  Matrix multiplyWithin(const Matrix& A, const Matrix& B, const Matrix& mask,
                        const Teuchos::ParameterList& options = Teuchos::ParameterList()) const;

  /// Forms the entries of A·B for which the mask has no entry. On hosts no others are formed. On
  /// devices the others are left out of the product of a batch of rounds as soon as that is formed.
  /// Otherwise it is like multiplyWithin(). "keep largest" outside of a diagonal (fromDiagonal())
  /// finds the largest of each row but itself.
  Matrix multiplyOutside(const Matrix& A, const Matrix& B, const Matrix& mask,
                         const Teuchos::ParameterList& options = Teuchos::ParameterList()) const;

  /// Forms A·B with a filter of the caller's; a program includes Trident_MultiplyKeeping.hpp for
  /// it.
  /// @param keep a functor for kernels of the grid's device,
  ///   `bool keep(long long row, long long column, const Scalar& value, const Facts& facts) const`.
  ///   Rows and columns are numbers along their Maps, counted rank after rank; these are global
  ///   indices where a Map is contiguous. `facts` are of the row: facts.entries, and of magnitudes
  ///   facts.largest and facts.sum. Equal on all ranks.
  /// @param options "semiring", and "product memory bytes" in a sublist "expert", if these are not
  ///   to be the grid's. Nothing else: `keep` alone says what stays, also where the grid's
  ///   parameters filter
  template <class Keep>
  Matrix multiplyKeeping(const Matrix& A, const Matrix& B, const Keep& keep,
                         const Teuchos::ParameterList& options = Teuchos::ParameterList()) const;

  /// Rows of a product, as multiplyInPieces() hands them over: whole rows, in memory of the grid's
  /// device. Rows and columns are numbers along their Maps, counted rank after rank; these are
  /// global indices where a Map is contiguous. Row r has the entries from offsets(r) to
  /// offsets(r + 1) - 1, each column once. Rows ascend, and so do the
  /// columns of a row.
  struct Piece {
    using device_type = typename NO::device_type;                   ///< device of the arrays
    using value_type = typename crs_matrix_type::impl_scalar_type;  ///< Kokkos' type of SC
    Kokkos::View<const long long*, device_type> rows;               ///< numbers along A's row Map
    Kokkos::View<const std::size_t*, device_type> offsets;          ///< one more than rows
    Kokkos::View<const long long*, device_type> columns;  ///< numbers along B's column Map
    Kokkos::View<const value_type*, device_type> values;  ///< one for each column
  };

  /// Forms A·B in pieces of rows and hands each to a function of the caller's. C is never stored
  /// whole: so a program can stream a product that would not fit memory.
  /// @param consume called on the rank that has the piece, on the host. Each row of A·B comes once,
  ///   on one rank, also where it has no entries; ranks are called a different number of times,
  ///   some not at all. The arrays are gone when it returns. It neither calls Trident nor waits for
  ///   other ranks; they may wait for it, at most as long as "timeout" says. What it throws ends
  ///   the call with a Trident::Error on every rank; others may have got pieces by then
  /// @param options "semiring", and "product memory bytes" in a sublist "expert", if these are not
  ///   to be the grid's; the bound counts a piece and what forms it, not what `consume` takes.
  ///   Nothing is filtered, also where the grid's parameters filter
  Report multiplyInPieces(const Matrix& A, const Matrix& B,
                          const std::function<void(const Piece&)>& consume,
                          const Teuchos::ParameterList& options = Teuchos::ParameterList()) const;

  /// Forms Aᵀ.
  Matrix transpose(const Matrix& A) const;

  /// Forms alpha·A + beta·B with ordinary sums and products, of matrices along the same Maps. It
  /// has an entry wherever A or B has one. alpha and beta are equal on all ranks.
  Matrix add(SC alpha, const Matrix& A, SC beta, const Matrix& B) const;

  /// Forms the sum of A and B over a semiring, of matrices along the same Maps. If both have an
  /// entry it is their sum, as the smaller one over min-plus; otherwise it is the one there is.
  /// @param options "semiring", if that is not to be the grid's
  Matrix add(const Matrix& A, const Matrix& B,
             const Teuchos::ParameterList& options = Teuchos::ParameterList()) const;

  /// Forms the products over a semiring of entries at one place, where both A and B have one. They
  /// lie along the same Maps. Over plus-second it has B's values: so A is a mask.
  /// @param options "semiring", if that is not to be the grid's
  Matrix multiplyEntries(const Matrix& A, const Matrix& B,
                         const Teuchos::ParameterList& options = Teuchos::ParameterList()) const;

  /// Returns the entries of A whose values are from `least` to `most`, of real or whole numbers. A
  /// NaN is not among them. Equal on all ranks.
  Matrix select(const Matrix& A, SC least,
                SC most = std::numeric_limits<SC>::has_infinity
                              ? std::numeric_limits<SC>::infinity()
                              : std::numeric_limits<SC>::max()) const;

  /// Sums each row of A over a semiring, as to its least value over min-plus; a row without entries
  /// to what sums begin with there: 0, or an infinity. Sums are in an order that the grid decides.
  /// @param options "semiring", if that is not to be the grid's
  /// @return on the Map that A's rows lie along
  Teuchos::RCP<vector_type> rowSums(
      const Matrix& A, const Teuchos::ParameterList& options = Teuchos::ParameterList()) const;

  /// Returns the diagonal of a matrix whose rows and columns lie along one Map; 0 where it has no
  /// entry.
  Teuchos::RCP<vector_type> diagonal(const Matrix& A) const;

  /// Makes a diagonal matrix, with an entry for each of these values.
  /// @param values on a Map of the grid, along which rows and columns lie then
  Matrix fromDiagonal(const vector_type& values) const;

  /// Makes C the matrix, fill-complete: its domain Map is the Map that the columns lie along, its
  /// range Map that of the rows.
  /// @param C new, that is without entries or pattern, on the Map that the rows lie along
  void toTpetra(const Matrix& matrix, crs_matrix_type& C) const;

  /// Returns the grid's shape and why it was chosen, in a line.
  std::string description() const;

 private:
  using Spaces = Impl::GridSpaces<SC, LO, GO, NO>;
  /// Returns the grid's spaces; throws Trident::Error in the name of `function` if this grid was
  /// moved from. Local.
  const Spaces& spaces(const char* function) const;
  template <class Object>
  Matrix importMatrix(const Object& A, const std::string& name,
                      const Teuchos::RCP<const map_type>& columns,
                      const Teuchos::RCP<const map_type>& rows) const;
  template <class Object>
  Matrix importChecked(const Object* A, const std::string& name,
                       const Teuchos::RCP<const map_type>& columns,
                       const Teuchos::RCP<const map_type>& rows) const;
  template <class Check, class Work>
  Matrix multiplyBy(const char* function, const Matrix& A, const Matrix& B,
                    const Teuchos::ParameterList& options, const Check& checkMore,
                    const Work& work) const;
  Matrix multiplyMasked(const char* function, const Matrix& A, const Matrix& B, const Matrix& mask,
                        bool complement, const Teuchos::ParameterList& options) const;
  template <class Work>
  Matrix combineBy(const char* function, const Matrix& A, const Matrix& B,
                   const Teuchos::ParameterList& options, const Work& work) const;

  std::shared_ptr<const Impl::GridSpaces<SC, LO, GO, NO>> spaces_;
};

}  // namespace Trident

#endif
