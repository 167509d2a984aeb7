// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PARTIALSUMS_HPP
#define TRIDENT_PARTIALSUMS_HPP

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

/// What is known of C's structure before it is formed; both may be null, and one of them is.
template <class Scalar, class Device>
struct GivenStructure {
  const LocalMatrix<Scalar, Device>* whole = nullptr;  ///< C's, sorted; its values are overwritten
  const LocalMask<Device>* mask = nullptr;             ///< which of its entries C may have
};

/// This rank's slice of C as the sum of the products of its groups. All of it is local.
template <class Scalar, class Device>
class PartialSums {
 public:
  using Matrix = LocalMatrix<Scalar, Device>;

  /// @param counters get multiply-adds, seconds and the names of kernels
  /// @param mask which entries are formed; null: all
  /// @param kept for products of the same tile, of one group each: what sum() gives of one may be
  ///   overwritten by the next. May be null; not with a mask
  PartialSums(const KernelOptions& options, RoundCounters& counters,
              const LocalMask<Device>* mask = nullptr,
              ProductMemory<Scalar, Device>* kept = nullptr)
      : options_(options), counters_(counters), mask_(mask), kept_(kept) {}

  /// Adds a·tile; it is there when this returns.
  /// @param turns to be called now and then during the product; may be empty
  void add(const Matrix& a, const Matrix& tile, const std::function<void()>& turns) {
    const Matrix partial = product(a, tile, turns);
    const PhaseScope scope(counters_.seconds, Phase::Accumulate);
    if (!ownKernel(kernel())) sortRows(partial);
    C_ = first_ ? partial : sumOf(C_, partial);
    first_ = false;
    Kokkos::fence();
  }
  /// Rows sorted.
  Matrix sum() const { return C_; }

 private:
  Matrix product(const Matrix& a, const Matrix& tile, const std::function<void()>& turns) {
    const PhaseScope scope(counters_.seconds, Phase::LocalMultiply);
    Interruption interruption;
    interruption.between = turns;
    const auto [C, counted] = ordinary() && !mask_
                                  ? multiplyLocal(a, tile, options_, interruption, kept_)
                                  : semiringProduct(a, tile, mask_, options_, interruption);
    const long long multiplyAdds = counted < 0 ? countMultiplyAdds(a, tile) : counted;
    counters_.multiplyAdds += multiplyAdds;
    if (multiplyAdds > 0) nameKernel(nameOf(kernel()));
    Kokkos::fence();
    return C;
  }

  KernelKind kernel() const { return formingKernel<Scalar, Device>(options_, mask_ != nullptr); }
  bool ordinary() const { return options_.semiring == SemiringKind::PlusTimes; }

  Matrix sumOf(const Matrix& a, const Matrix& b) const {
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

/// The same where the structure of C is known: its values are overwritten. All of it is local.
template <class Scalar, class Device>
class KnownStructure {
 public:
  using Matrix = LocalMatrix<Scalar, Device>;

  /// @param C rows sorted by column
  KnownStructure(const Matrix& C, RoundCounters& counters) : C_(C), counters_(counters) {}

  /// As PartialSums::add(). The product takes no turns, and nothing is sorted.
  void add(const Matrix& a, const Matrix& tile, const std::function<void()>&) {
    const PhaseScope scope(counters_.seconds, Phase::LocalMultiply);
    const NumericWork work = numericProduct(a, tile, C_, !first_);
    counters_.multiplyAdds +=
        work.multiplyAdds < 0 ? countMultiplyAdds(a, tile) : work.multiplyAdds;
    strayProducts_ += work.strays;
    first_ = false;
    Kokkos::fence();
  }
  /// Throws where products fell outside the structure.
  Matrix sum() const {
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

/// The operands of a product of one group, kept to be multiplied after the rounds.
template <class Scalar, class Device>
struct KeptOperands {
  using Matrix = LocalMatrix<Scalar, Device>;

  Matrix a, tile;

  void add(const Matrix& fusedA, const Matrix& fusedB, const std::function<void()>&) {
    a = fusedA;
    tile = fusedB;
  }
  /// Nothing is summed.
  Matrix sum() const { return Matrix(); }
};

/// What is left to do of a product when its rounds are over, on one rank: its only local product,
/// where that was put off; nothing, where C was formed.
template <class Scalar, class Device>
struct LastStep {
  using Matrix = LocalMatrix<Scalar, Device>;

  /// What is to be multiplied; null where C is formed, or where this rank or its node has failed.
  const KeptOperands<Scalar, Device>* operands;
  /// Rows sorted; where there are operands, or a failure, any.
  Matrix C;
  /// The product of the operands, or of these after their columns were relabelled. Local; throws.
  std::function<Matrix(const Matrix& a, const Matrix& b)> multiply;
};

/// How a product leaves its last step to a caller.
template <class Scalar, class Device>
struct LastStepTaker {
  /// Whether the local product of these operands is put off until the rounds are over, where it is
  /// the only one. Local, and each rank's own choice. While it waits, other ranks may do so too.
  std::function<bool(const LocalMatrix<Scalar, Device>& a, const LocalMatrix<Scalar, Device>& b)>
      putsOff;
  /// Takes the step. Called on all ranks of the grid once the rounds are over; may communicate.
  std::function<void(const LastStep<Scalar, Device>& step)> take;
};

}  // namespace Trident::Impl

#endif
