// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PRODUCTSTRUCTURE_HPP
#define TRIDENT_PRODUCTSTRUCTURE_HPP

#include <memory>
#include <vector>

#include "matrix/Trident_GridMatrix.hpp"
#include "move/Trident_MatrixExport.hpp"
#include "move/Trident_MatrixImport.hpp"
#include "rounds/Trident_ProductFactors.hpp"
#include "tpetra/Trident_LocalOperand.hpp"

namespace Trident::Impl {

/// What of a product depends on structure alone: kept from the first product for others of the same
/// structure.
template <class SC, class LO, class GO, class NO>
struct ProductStructure {
  using Types = TpetraTypes<SC, LO, GO, NO>;
  using Scalar = typename Types::scalar_type;
  using Device = typename Types::device_type;
  using Grid = GridMatrix<Scalar, Device>;

  std::vector<std::shared_ptr<const LocalOperand<SC, LO, GO, NO>>> locals;
  /// One object for operands that are the same.
  std::vector<std::shared_ptr<const MatrixImport<Scalar, Device>>> imports;
  /// Of each operand but the last, and all behind it; sorted rows.
  std::vector<Grid> products;
  /// As products: what ranks found out about each other before the rounds.
  std::vector<std::shared_ptr<const KnownProduct<Device>>> known;
  ValueExport<Scalar, Device> values;
};

}  // namespace Trident::Impl

#endif
