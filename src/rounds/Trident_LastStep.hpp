// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_LASTSTEP_HPP
#define TRIDENT_LASTSTEP_HPP

#include <functional>

#include "matrix/Trident_LocalMatrix.hpp"
#include "rounds/Trident_PartialSums.hpp"

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
