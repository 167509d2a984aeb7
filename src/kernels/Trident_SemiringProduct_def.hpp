// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SEMIRINGPRODUCT_DEF_HPP
#define TRIDENT_SEMIRINGPRODUCT_DEF_HPP

#include "kernels/Trident_SemiringProduct_decl.hpp"
#include "kernels/host/Trident_MaskedHostProduct.hpp"
#include "kernels/teams/Trident_MaskedTeamProduct.hpp"
#include "kernels/teams/Trident_TeamProduct.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_MultiplyAdds.hpp"
#include "matrix/Trident_RowLoops.hpp"
#include "matrix/Trident_Search.hpp"
#include "matrix/Trident_Semiring.hpp"

namespace Trident::Impl {

/// The sum and the entrywise product of two matrices over a semiring. The sum has an entry wherever
/// A or B has one. The product has an entry wherever both have one.
///
/// An entry's offset in the sum is its offset in its own matrix, plus m, less n. Before the entry,
/// m entries are in the other matrix, and n are in both. A search in one row finds m, sums of marks
/// give n. So threads share entries evenly in rows of any size.
template <class Semiring, class Scalar, class Device>
class SemiringEntries {
  using Matrix = LocalMatrix<Scalar, Device>;
  using Marks = Kokkos::View<std::size_t*, Device>;

 public:
  /// Takes matrices whose rows are sorted by column.
  SemiringEntries(const Matrix& A, const Matrix& B)
      : A_(A), B_(B), common_("Trident::commonBefore", A.nnz() + 1) {}

  /// Returns the sum, its rows sorted by column. Waits for its kernels.
  Matrix sum() {
    const std::size_t common = countCommon();
    makeArrays(offsetsOfSum(), A_.nnz() + B_.nnz() - common);
    placeFromA();
    placeFromB();
    Kokkos::fence();
    return C_.matrix(A_.numCols());
  }

  /// Returns the entrywise product, its rows sorted by column. Waits for its kernels.
  Matrix product() {
    const std::size_t common = countCommon();
    makeArrays(offsetsOfCommon(), common);
    placeCommon();
    Kokkos::fence();
    return C_.matrix(A_.numCols());
  }

  // Public, because CUDA requires this of functions that have kernels.

  /// Marks A's entries that B has too.
  void markCommon() {
    const ColumnSearch<typename Matrix::row_map_type, typename Matrix::index_type> inB{
        B_.graph.row_map, B_.graph.entries, true};
    const auto columns = A_.graph.entries;
    const Marks common = common_;
    forRowEntries<Device>(
        "Trident::markCommon", A_.numRows(), static_cast<long long>(A_.nnz()), A_.graph.row_map,
        TRIDENT_LAMBDA(long long r, std::size_t e) { common(e) = inB(r, columns(e)) >= 0; });
  }

  Marks offsetsOfSum() const {
    const auto offsetsA = A_.graph.row_map, offsetsB = B_.graph.row_map;
    const Marks common = common_;
    const auto offsets = uninitialized<std::size_t, Device>("Trident::offsets", A_.numRows() + 1);
    Kokkos::parallel_for(
        "Trident::offsetsOfSum", Range<Device>(0, offsets.extent(0)), TRIDENT_LAMBDA(long long r) {
          offsets(r) = offsetsA(r) + offsetsB(r) - common(offsetsA(r));
        });
    return offsets;
  }

  Marks offsetsOfCommon() const {
    const auto offsetsA = A_.graph.row_map;
    const Marks common = common_;
    const auto offsets = uninitialized<std::size_t, Device>("Trident::offsets", A_.numRows() + 1);
    Kokkos::parallel_for(
        "Trident::offsetsOfCommon", Range<Device>(0, offsets.extent(0)),
        TRIDENT_LAMBDA(long long r) { offsets(r) = common(offsetsA(r)); });
    return offsets;
  }

  /// Writes the products of the entries that both A and B have.
  void placeCommon() {
    const auto offsetsB = B_.graph.row_map;
    const auto columnsA = A_.graph.entries, columnsB = B_.graph.entries;
    const auto valuesA = A_.values, valuesB = B_.values;
    const Marks common = common_;
    const auto columns = C_.columns;
    const auto values = C_.values;
    forRowEntries<Device>(
        "Trident::placeCommon", A_.numRows(), static_cast<long long>(A_.nnz()), A_.graph.row_map,
        TRIDENT_LAMBDA(long long r, std::size_t e) {
          const std::size_t at = common(e);
          if (common(e + 1) == at) return;
          const std::size_t b = firstNotBelow(columnsB, offsetsB(r), offsetsB(r + 1), columnsA(e));
          columns(at) = columnsA(e);
          values(at) = static_cast<Scalar>(Semiring::times(valuesA(e), valuesB(b)));
        });
  }

  /// Writes A's entries. If B has an entry in the same place, adds it.
  void placeFromA() {
    const auto offsetsB = B_.graph.row_map;
    const auto columnsA = A_.graph.entries, columnsB = B_.graph.entries;
    const auto valuesA = A_.values, valuesB = B_.values;
    const Marks common = common_;
    const auto columns = C_.columns;
    const auto values = C_.values;
    forRowEntries<Device>(
        "Trident::placeFromA", A_.numRows(), static_cast<long long>(A_.nnz()), A_.graph.row_map,
        TRIDENT_LAMBDA(long long r, std::size_t e) {
          const std::size_t b = firstNotBelow(columnsB, offsetsB(r), offsetsB(r + 1), columnsA(e));
          const std::size_t at = e + b - common(e);
          columns(at) = columnsA(e);
          values(at) =
              common(e + 1) > common(e) ? Semiring::plus(valuesA(e), valuesB(b)) : valuesA(e);
        });
  }

  /// Writes B's entries that A lacks.
  void placeFromB() {
    const auto offsetsA = A_.graph.row_map;
    const auto columnsA = A_.graph.entries, columnsB = B_.graph.entries;
    const auto valuesB = B_.values;
    const Marks common = common_;
    const auto columns = C_.columns;
    const auto values = C_.values;
    forRowEntries<Device>(
        "Trident::placeFromB", B_.numRows(), static_cast<long long>(B_.nnz()), B_.graph.row_map,
        TRIDENT_LAMBDA(long long r, std::size_t e) {
          const std::size_t a = firstNotBelow(columnsA, offsetsA(r), offsetsA(r + 1), columnsB(e));
          if (a < offsetsA(r + 1) && columnsA(a) == columnsB(e)) return;
          const std::size_t at = e + a - common(a);
          columns(at) = columnsB(e);
          values(at) = valuesB(e);
        });
  }

 private:
  std::size_t countCommon() {
    markCommon();
    return countsToOffsets<std::size_t, Device>(common_);
  }
  void makeArrays(const Marks& offsets, std::size_t entries) {
    C_ = {offsets, uninitialized<int, Device>("Trident::columns", entries),
          uninitialized<Scalar, Device>("Trident::values", entries)};
  }

  const Matrix A_, B_;
  const Marks common_;  // marks of A's entries, later the number of marks before each entry
  CrsArrays<Scalar, Device> C_;
};

/// Forms A + B over a semiring. Rows of A, of B and of the result are sorted. Local. The result is
/// ready on return. Until then, takes 8 bytes for each entry of A.
template <class Semiring, class Scalar, class Device>
LocalMatrix<Scalar, Device> semiringSumOf(const LocalMatrix<Scalar, Device>& A,
                                          const LocalMatrix<Scalar, Device>& B) {
  if (A.nnz() == 0) return B;
  if (B.nnz() == 0) return A;
  return SemiringEntries<Semiring, Scalar, Device>(A, B).sum();
}

template <class Semiring, class Scalar, class Device>
CountedProduct<Scalar, Device> productOver(const LocalMatrix<Scalar, Device>& A,
                                           const LocalMatrix<Scalar, Device>& B,
                                           const LocalMask<Device>* mask,
                                           const ProgressHook& progressHook) {
  if constexpr (isHost<Device>) {
    return mask ? maskedHostProduct<Semiring>(A, B, *mask, progressHook)
                : hostProduct<Scalar, Device, Semiring>(A, B, progressHook);
  } else {
    return {mask ? maskedTeamProduct<Semiring>(A, B, *mask)
                 : teamProduct<Scalar, Device, Semiring>(A, B),
            countMultiplyAdds(A, B)};
  }
}

template <class Scalar, class Device>
CountedProduct<Scalar, Device> semiringProduct(const LocalMatrix<Scalar, Device>& A,
                                               const LocalMatrix<Scalar, Device>& B,
                                               const LocalMask<Device>* mask,
                                               const KernelOptions& options,
                                               const ProgressHook& progressHook) {
  if (A.nnz() == 0 || B.nnz() == 0)
    return {emptyMatrix<Scalar, Device>(A.numRows(), B.numCols()), 0};
  return withSemiring<Scalar>(options.semiring, [&](auto semiring) {
    return productOver<decltype(semiring)>(A, B, mask, progressHook);
  });
}

template <class Scalar, class Device>
LocalMatrix<Scalar, Device> semiringSum(const LocalMatrix<Scalar, Device>& A,
                                        const LocalMatrix<Scalar, Device>& B,
                                        const KernelOptions& options) {
  return withSemiring<Scalar>(
      options.semiring, [&](auto semiring) { return semiringSumOf<decltype(semiring)>(A, B); });
}

template <class Scalar, class Device>
LocalMatrix<Scalar, Device> semiringEntries(const LocalMatrix<Scalar, Device>& A,
                                            const LocalMatrix<Scalar, Device>& B,
                                            const KernelOptions& options) {
  if (A.nnz() == 0 || B.nnz() == 0) return emptyMatrix<Scalar, Device>(A.numRows(), A.numCols());
  return withSemiring<Scalar>(options.semiring, [&](auto semiring) {
    return SemiringEntries<decltype(semiring), Scalar, Device>(A, B).product();
  });
}

}  // namespace Trident::Impl

// EXTERN is empty, or `extern` if another file instantiates the functions.
#define TRIDENT_SEMIRINGPRODUCT_INSTANT(EXTERN, SCALAR, DEVICE)                                   \
  EXTERN template ::Trident::Impl::CountedProduct<SCALAR, DEVICE>                                 \
  Trident::Impl::semiringProduct<SCALAR, DEVICE>(                                                 \
      const ::Trident::Impl::LocalMatrix<SCALAR, DEVICE>&,                                        \
      const ::Trident::Impl::LocalMatrix<SCALAR, DEVICE>&,                                        \
      const ::Trident::Impl::LocalMask<DEVICE>*, const ::Trident::Impl::KernelOptions&,           \
      const ::Trident::Impl::ProgressHook&);                                                      \
  EXTERN template ::Trident::Impl::LocalMatrix<SCALAR, DEVICE>                                    \
  Trident::Impl::semiringSum<SCALAR, DEVICE>(const ::Trident::Impl::LocalMatrix<SCALAR, DEVICE>&, \
                                             const ::Trident::Impl::LocalMatrix<SCALAR, DEVICE>&, \
                                             const ::Trident::Impl::KernelOptions&);              \
  EXTERN template ::Trident::Impl::LocalMatrix<SCALAR, DEVICE>                                    \
  Trident::Impl::semiringEntries<SCALAR, DEVICE>(                                                 \
      const ::Trident::Impl::LocalMatrix<SCALAR, DEVICE>&,                                        \
      const ::Trident::Impl::LocalMatrix<SCALAR, DEVICE>&, const ::Trident::Impl::KernelOptions&);

#endif
