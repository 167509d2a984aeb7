// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PRODUCTSINKS_HPP
#define TRIDENT_PRODUCTSINKS_HPP

#include <functional>
#include <string>

#include "Trident_Error.hpp"
#include "base/Trident_Names.hpp"
#include "kernels/Trident_LocalMultiply.hpp"
#include "kernels/Trident_NumericProduct.hpp"
#include "kernels/Trident_SemiringProduct_decl.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_MultiplyAdds.hpp"
#include "matrix/Trident_SortRows.hpp"
#include "rounds/Trident_RoundCounters.hpp"

namespace Trident::Impl {

/// Takes the operands of a rank's groups of rounds, in their order: what becomes of them is C. All
/// of it is local.
template <class Scalar, class Device>
class ProductSink {
 public:
  using Matrix = LocalMatrix<Scalar, Device>;

  virtual ~ProductSink() = default;
  /// Hears how many groups there are, before memory is taken for them. The number is the same on
  /// every rank; what throws for it throws on every rank.
  virtual void expect(std::size_t groups) { static_cast<void>(groups); }
  /// Takes the factors of a·tile. It is done with them when it returns, but for one that keeps
  /// them.
  /// @param turns to be called now and then during a long product; may be empty
  virtual void add(const Matrix& a, const Matrix& tile, const std::function<void()>& turns) = 0;
};

/// A sink that multiplies: it has C when the rounds are over.
template <class Scalar, class Device>
class ProductSum : public ProductSink<Scalar, Device> {
 public:
  using typename ProductSink<Scalar, Device>::Matrix;

  /// C, rows sorted. Throws where it is none.
  virtual Matrix sum() const = 0;
};

/// Adds: C is the sum of the products of all groups.
template <class Scalar, class Device>
class PartialSums final : public ProductSum<Scalar, Device> {
 public:
  using typename ProductSink<Scalar, Device>::Matrix;

  /// @param counters get multiply-adds, seconds and the names of kernels
  /// @param mask which entries are formed; null: all
  /// @param kept for products of the same tile, of one group each: what sum() gives of one may be
  ///   overwritten by the next. May be null; not with a mask
  PartialSums(const KernelOptions& options, RoundCounters& counters,
              const LocalMask<Device>* mask = nullptr,
              ProductMemory<Scalar, Device>* kept = nullptr)
      : options_(options), counters_(counters), mask_(mask), kept_(kept) {}

  void add(const Matrix& a, const Matrix& tile, const std::function<void()>& turns) override {
    const Matrix partial = localProduct(a, tile, turns);
    const PhaseScope scope(counters_.seconds, Phase::Accumulate);
    if (!ownKernel(kernel())) sortRows(partial);
    C_ = first_ ? partial : sumOf(C_, partial);
    first_ = false;
    Kokkos::fence();
  }
  Matrix sum() const override { return C_; }

 private:
  Matrix localProduct(const Matrix& a, const Matrix& tile, const std::function<void()>& turns) {
    const PhaseScope scope(counters_.seconds, Phase::LocalMultiply);
    Interruption interruption;
    interruption.between = turns;
    const auto [C, counted] = formed(a, tile, interruption);
    const long long multiplyAdds = counted < 0 ? countMultiplyAdds(a, tile) : counted;
    counters_.multiplyAdds += multiplyAdds;
    if (multiplyAdds > 0) nameKernel(nameOf(kernel()));
    Kokkos::fence();
    return C;
  }

  CountedProduct<Scalar, Device> formed(const Matrix& a, const Matrix& tile,
                                        const Interruption& interruption) const {
    if constexpr (!sumsAreWider<Scalar>)
      if (!ordinary() || mask_) return semiringProduct(a, tile, mask_, options_, interruption);
    return multiplyLocal(a, tile, options_, interruption, kept_);
  }

  KernelKind kernel() const { return formingKernel<Scalar, Device>(options_, mask_ != nullptr); }
  bool ordinary() const { return options_.semiring == SemiringKind::PlusTimes; }

  Matrix sumOf(const Matrix& a, const Matrix& b) const {
    if constexpr (sumsAreWider<Scalar>)
      throw Error("products of this scalar are formed in one group of rounds");
    else
      return ordinary() ? addLocal(a, b) : semiringSum(a, b, options_);
  }

  /// Each kernel is named once, in the order they ran in.
  void nameKernel(const std::string& name) {
    std::string& names = counters_.kernel;
    if (names.find(name) == std::string::npos) names += (names.empty() ? "" : " and ") + name;
  }

  KernelOptions options_;
  RoundCounters& counters_;
  const LocalMask<Device>* mask_;
  ProductMemory<Scalar, Device>* kept_;
  bool first_ = true;
  Matrix C_;
};

/// Overwrites the values of a C whose structure is known. The products take no turns.
template <class Scalar, class Device>
class NumericSums final : public ProductSum<Scalar, Device> {
 public:
  using typename ProductSink<Scalar, Device>::Matrix;

  /// @param C rows sorted by column
  NumericSums(const Matrix& C, RoundCounters& counters) : C_(C), counters_(counters) {}

  void add(const Matrix& a, const Matrix& tile, const std::function<void()>&) override {
    const PhaseScope scope(counters_.seconds, Phase::LocalMultiply);
    const NumericWork work = numericProduct(a, tile, C_, !first_);
    counters_.multiplyAdds +=
        work.multiplyAdds < 0 ? countMultiplyAdds(a, tile) : work.multiplyAdds;
    strayProducts_ += work.strays;
    first_ = false;
    Kokkos::fence();
  }
  /// Throws where products fell outside the structure.
  Matrix sum() const override {
    if (strayProducts_ > 0)
      throw Error(std::to_string(strayProducts_) +
                  " products fall outside the planned structure of C; make a new plan for "
                  "factors of another structure");
    return C_;
  }

 private:
  Matrix C_;
  RoundCounters& counters_;
  bool first_ = true;
  long long strayProducts_ = 0;
};

/// Keeps the operands of a product of one group, which are multiplied after the rounds.
template <class Scalar, class Device>
class KeptOperands final : public ProductSink<Scalar, Device> {
 public:
  using typename ProductSink<Scalar, Device>::Matrix;

  Matrix a, tile;

  void expect(std::size_t groups) override {
    if (groups > 1)
      throw Error(
          "the rows of a tile of B are more than can be counted at once, which a product in pieces "
          "of rows needs; use \"fetch\" = \"needed-rows\" on a grid of several node rows");
  }
  void add(const Matrix& fusedA, const Matrix& fusedB, const std::function<void()>&) override {
    a = fusedA;
    tile = fusedB;
  }
};

}  // namespace Trident::Impl

#endif
