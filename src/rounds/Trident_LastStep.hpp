// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_LASTSTEP_HPP
#define TRIDENT_LASTSTEP_HPP

#include <cstddef>
#include <functional>

#include "rounds/Trident_ProductSinks.hpp"
#include "rounds/Trident_RoundCounters.hpp"

namespace Trident::Impl {

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
struct LastStepHandler {
  /// Whether the local product of these operands is put off until the rounds are over, where it is
  /// the only one. Local, and each rank's own choice. While it waits, other ranks may do so too.
  std::function<bool(const LocalMatrix<Scalar, Device>& a, const LocalMatrix<Scalar, Device>& b)>
      putsOff;
  /// Does the step. Called on all ranks of the grid once the rounds are over; may communicate.
  std::function<void(const LastStep<Scalar, Device>& step)> handle;
};

/// Adds as PartialSums, but keeps the operands of an only product that its handler puts off.
template <class Scalar, class Device>
class SumsUpToLast final : public ProductSum<Scalar, Device> {
 public:
  using typename ProductSink<Scalar, Device>::Matrix;

  SumsUpToLast(const LastStepHandler<Scalar, Device>& handler, const KernelOptions& options,
               RoundCounters& counters)
      : handler_(handler), sums_(options, counters) {}

  void expect(std::size_t groups) override { only_ = groups == 1; }
  void add(const Matrix& a, const Matrix& tile, const std::function<void()>& turns) override {
    putOff_ = only_ && handler_.putsOff(a, tile);
    putOff_ ? kept_.add(a, tile, turns) : sums_.add(a, tile, turns);
  }
  /// Of a product that was put off; else null.
  const KeptOperands<Scalar, Device>* kept() const { return putOff_ ? &kept_ : nullptr; }
  Matrix sum() const override { return sums_.sum(); }

 private:
  const LastStepHandler<Scalar, Device>& handler_;
  PartialSums<Scalar, Device> sums_;
  KeptOperands<Scalar, Device> kept_;
  bool only_ = false, putOff_ = false;
};

}  // namespace Trident::Impl

#endif
