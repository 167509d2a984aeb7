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

/// A trident grid for several operations. Matrices come onto the grid once, and are multiplied,
/// transposed and summed there. The caller takes results from the grid as Tpetra matrices. Nothing
/// is exported in between.
///
///     Trident::Grid<> grid(comm, {A->getRowMap(), B->getRowMap()});
///     const auto a = grid.fromTpetra(*A, B->getRowMap()), b = grid.fromTpetra(*B);
///     grid.toTpetra(grid.multiply(grid.multiply(a, b), a), *C);  // (A·B)·A
///
/// The rows of each matrix lie along one of the grid's Maps, and so do its columns. The columns of
/// a left factor and the rows of the right factor must lie along the same Map.
///
/// The constructor and all functions but description() are collective over the communicator. They
/// throw Trident::Error on every rank if an argument is bad on one rank, if ranks pass matrices
/// along different Maps, or if a rank fails. In these cases all matrices stay unchanged. The
/// constructor also throws Teuchos' exceptions for bad parameters. One thread of a process may use
/// Trident at a time.
///
/// Copies are cheap: they share one grid. The functions of a grid that was moved from throw
/// Trident::Error. The communicator may be freed before the grid and its matrices. In that case the
/// end of the last of these objects is collective.
template <class SC = Tpetra::Details::DefaultTypes::scalar_type,
          class LO = Tpetra::Details::DefaultTypes::local_ordinal_type,
          class GO = Tpetra::Details::DefaultTypes::global_ordinal_type,
          class NO = Tpetra::Details::DefaultTypes::node_type>
class Grid {
  using Formed = Impl::ReportFor<SC>;  // compile error if the library has no products of SC

 public:
  using map_type = Tpetra::Map<LO, GO, NO>;                   ///< Tpetra's Map
  using crs_matrix_type = Tpetra::CrsMatrix<SC, LO, GO, NO>;  ///< Tpetra's matrix
  using crs_graph_type = Tpetra::CrsGraph<LO, GO, NO>;        ///< Tpetra's graph
  using vector_type = Tpetra::Vector<SC, LO, GO, NO>;         ///< Tpetra's vector

  /// A handle to a matrix on a grid. Copies are cheap, because they share the entries. Nothing
  /// changes the entries. The handle keeps the grid alive. A handle made by default has no matrix.
  class Matrix {
   public:
    Matrix() = default;
    /// Returns the Map that the rows lie along. Returns null if there is no matrix.
    Teuchos::RCP<const map_type> rowMap() const;
    /// Returns the Map that the columns lie along. Returns null if there is no matrix.
    Teuchos::RCP<const map_type> columnMap() const;
    /// Returns the number of entries of this rank's slice. Local.
    std::size_t localEntries() const;
    /// Returns the report of the product that formed this matrix: its work on this rank, and its
    /// choices. The report is empty if no product formed the matrix. Local.
    Report report() const;

   private:
    friend class Grid;
    using Placed = std::shared_ptr<const Impl::PlacedMatrix<SC, LO, GO, NO>>;
    explicit Matrix(Placed placed) : placed_(std::move(placed)) {}
    Placed placed_;
  };

  /// Makes a grid over the ranks of `comm`. Collective over `comm`.
  /// @param maps Maps along which rows and columns will lie. All are one-to-one, on `comm` or a
  ///   duplicate of it. Maps that are the same count once.
  /// @param params its sublist "Trident" sets the grid and its products (doc/parameters.md). No
  ///   matrix is known yet. So all rows weigh the same in partitions, and `"grid" = "auto"` is the
  ///   squarest grid.
  Grid(const Teuchos::RCP<const Teuchos::Comm<int>>& comm,
       const std::vector<Teuchos::RCP<const map_type>>& maps,
       const Teuchos::RCP<Teuchos::ParameterList>& params = Teuchos::null);

  /// Brings A onto the grid. The entries are copied, so A may change later.
  /// @param A fill-complete, on a one-to-one row Map
  /// @param columns Map of the grid for A's columns. For a left factor, pass the right factor's row
  ///   Map. Columns find their places by global index. Null means A's domain Map.
  /// @param rows Map of the grid along which A's rows are to lie. Rows find their places by global
  ///   index. Null means A's row Map, which must then be one of the grid's.
  Matrix fromTpetra(const crs_matrix_type& A,
                    const Teuchos::RCP<const map_type>& columns = Teuchos::null,
                    const Teuchos::RCP<const map_type>& rows = Teuchos::null) const;

  /// Brings the structure of a graph onto the grid, as a mask: all values are one.
  /// @param G fill-complete
  Matrix fromTpetra(const Teuchos::RCP<const crs_graph_type>& G,
                    const Teuchos::RCP<const map_type>& columns = Teuchos::null,
                    const Teuchos::RCP<const map_type>& rows = Teuchos::null) const;

  /// Forms A·B, or the entries of A·B that a filter keeps. A filter sees one piece of rows after
  /// the other. So a filtered product may fit memory even if A·B does not.
  /// @param options parameters of this product instead of the grid's, equal on all ranks:
  ///   "semiring", "drop tolerance" and "keep largest"; in a sublist "expert" also "drop relative
  ///   to" and "product memory bytes" (doc/parameters.md)
  Matrix multiply(const Matrix& A, const Matrix& B,
                  const Teuchos::ParameterList& options = Teuchos::ParameterList()) const;

  /// Forms the entries of A·B for which the mask has an entry. A stored zero is an entry, too. No
  /// other entries are formed. If no term falls on an entry of the mask, the result lacks this
  /// entry. A filter sees the entries that the mask lets through.
  /// @param mask matrix or graph from fromTpetra(), along A's rows and B's columns
  /// @param options see multiply()
  Matrix multiplyWithin(const Matrix& A, const Matrix& B, const Matrix& mask,
                        const Teuchos::ParameterList& options = Teuchos::ParameterList()) const;

  /// Forms the entries of A·B for which the mask has no entry. On hosts no other entries are
  /// formed. On devices each batch of rounds forms all its entries, and drops those of the mask at
  /// once. Otherwise the function is like multiplyWithin(). If the mask is a diagonal
  /// (fromDiagonal()), "keep largest" looks for the largest entries outside of the diagonal.
  Matrix multiplyOutside(const Matrix& A, const Matrix& B, const Matrix& mask,
                         const Teuchos::ParameterList& options = Teuchos::ParameterList()) const;

  /// Forms A·B with a filter of the caller's. The program must include Trident_MultiplyKeeping.hpp.
  /// @param keep a functor for kernels of the grid's device, equal on all ranks,
  ///   `bool keep(long long row, long long column, const Scalar& value, const Facts& facts) const`.
  ///   `row` and `column` are numbers along their Maps, counted rank after rank. If a Map is
  ///   contiguous, these are global indices. facts.entries is the number of the row's entries;
  ///   facts.largest and facts.sum are the largest and the sum of their magnitudes
  /// @param options parameters of this product instead of the grid's: "semiring", and "product
  ///   memory bytes" in a sublist "expert". No others are allowed. `keep` alone decides which
  ///   entries stay, even if the grid's parameters filter
  template <class Keep>
  Matrix multiplyKeeping(const Matrix& A, const Matrix& B, const Keep& keep,
                         const Teuchos::ParameterList& options = Teuchos::ParameterList()) const;

  /// Whole rows of a product, as multiplyInPieces() hands them over, in memory of the grid's
  /// device. A row or column is named by its number along its Map, counted rank after rank. If the
  /// Map is contiguous, this number is the global index. Row r has the entries from offsets(r) to
  /// offsets(r + 1) - 1, each column once. Rows ascend, and so do the columns of a row.
  struct Piece {
    using device_type = typename NO::device_type;                   ///< device of the arrays
    using value_type = typename crs_matrix_type::impl_scalar_type;  ///< Kokkos' type of SC
    Kokkos::View<const long long*, device_type> rows;               ///< numbers along A's row Map
    Kokkos::View<const std::size_t*, device_type> offsets;          ///< rows + 1 offsets
    Kokkos::View<const long long*, device_type> columns;  ///< numbers along B's column Map
    Kokkos::View<const value_type*, device_type> values;  ///< value of each entry
  };

  /// Forms A·B in pieces of rows, and hands each piece to a function of the caller's. C is never
  /// stored whole. So a program can use a product that would not fit memory.
  /// @param consume function that is called on the host of the rank that has the piece. Each row of
  ///   A·B comes once, on one rank, even if it has no entries. Ranks get different numbers of
  ///   pieces, some none. The arrays of a piece end when `consume` returns. `consume` must not call
  ///   Trident or wait for other ranks. Other ranks may wait for `consume`, at most as long as
  ///   "timeout" says. If `consume` throws, the call throws Trident::Error on every rank. Other
  ///   ranks may have got pieces by then
  /// @param options parameters of this product instead of the grid's: "semiring", and "product
  ///   memory bytes" in a sublist "expert". This bound counts a piece and the memory that forms it,
  ///   not the memory of `consume`. Nothing is filtered, even if the grid's parameters filter
  Report multiplyInPieces(const Matrix& A, const Matrix& B,
                          const std::function<void(const Piece&)>& consume,
                          const Teuchos::ParameterList& options = Teuchos::ParameterList()) const;

  /// Forms Aᵀ.
  Matrix transpose(const Matrix& A) const;

  /// Forms alpha·A + beta·B with ordinary sums and products. A and B must lie along the same Maps.
  /// The result has an entry where A or B has one. alpha and beta are equal on all ranks.
  Matrix add(SC alpha, const Matrix& A, SC beta, const Matrix& B) const;

  /// Forms the sum of A and B over a semiring. A and B must lie along the same Maps. Where both
  /// have an entry, the result has their sum (over min-plus the smaller one). Where only one has an
  /// entry, the result has this entry.
  /// @param options may have "semiring" instead of the grid's
  Matrix add(const Matrix& A, const Matrix& B,
             const Teuchos::ParameterList& options = Teuchos::ParameterList()) const;

  /// Forms the entrywise product of A and B over a semiring, on the same Maps. The result has an
  /// entry where both have one. Over plus-second this is B's entry, so A serves as a mask.
  /// @param options may have "semiring" instead of the grid's
  Matrix multiplyEntries(const Matrix& A, const Matrix& B,
                         const Teuchos::ParameterList& options = Teuchos::ParameterList()) const;

  /// Returns the entries of A whose values are at least `least` and at most `most`. Values must be
  /// real or whole numbers. A NaN is left out. `least` and `most` are equal on all ranks.
  Matrix select(const Matrix& A, SC least,
                SC most = std::numeric_limits<SC>::has_infinity
                              ? std::numeric_limits<SC>::infinity()
                              : std::numeric_limits<SC>::max()) const;

  /// Sums each row of A over a semiring (over min-plus: finds its least value). A row without
  /// entries has the semiring's zero: 0 or an infinity. The grid decides the order of the terms.
  /// @param options may have "semiring" instead of the grid's
  /// @return vector on the Map that A's rows lie along
  Teuchos::RCP<vector_type> rowSums(
      const Matrix& A, const Teuchos::ParameterList& options = Teuchos::ParameterList()) const;

  /// Returns the diagonal of a matrix whose rows and columns lie along one Map. An element is 0 if
  /// the matrix lacks the entry.
  Teuchos::RCP<vector_type> diagonal(const Matrix& A) const;

  /// Makes a diagonal matrix of a vector. Each element becomes an entry.
  /// @param values vector on a Map of the grid. The matrix's rows and columns lie along this Map
  Matrix fromDiagonal(const vector_type& values) const;

  /// Exports a matrix to C, which becomes fill-complete. C's domain Map is the Map that the columns
  /// lie along. C's range Map is the Map that the rows lie along.
  /// @param C new (without entries or pattern), on the Map that the rows lie along
  void toTpetra(const Matrix& matrix, crs_matrix_type& C) const;

  /// Returns one line of text: the grid's shape and the reasons for it.
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
