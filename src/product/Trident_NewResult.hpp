// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NEWRESULT_HPP
#define TRIDENT_NEWRESULT_HPP

#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>
#include <string>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "tpetra/Trident_Operand.hpp"
#include "tpetra/Trident_ResultMatrix.hpp"

namespace Trident::Impl {

/// Whether the caller's list lets C have global constants.
inline bool wantsGlobalConstants(const Teuchos::RCP<Teuchos::ParameterList>& params) {
  const std::string name = "compute global constants";
  return params.is_null() || !params->isParameter(name) || params->get<bool>(name);
}

/// Whether C has more rows than the operands' product.
template <class SC, class LO, class GO, class NO>
bool isWider(const std::vector<Operand<SC, LO, GO, NO>>& operands,
             const Tpetra::CrsMatrix<SC, LO, GO, NO>& C) {
  return C.getRowMap()->getGlobalNumElements() > operands[0].rowMap()->getGlobalNumElements();
}

/// Makes a new C the operands' product, with Maps of these. Collective; fails as commitResult().
template <class SC, class LO, class GO, class NO>
void commitNew(const ExportedMatrix<SC, LO, GO, NO>& result,
               const std::vector<Operand<SC, LO, GO, NO>>& operands, bool globalConstants,
               Tpetra::CrsMatrix<SC, LO, GO, NO>& C, const LocalFailure& failure) {
  const bool wider = isWider(operands, C);
  commitResult(result, operands.back().domainMap(), wider ? C.getRowMap() : operands[0].rangeMap(),
               wider ? Teuchos::null : operands[0].exporter(), globalConstants, C, failure);
}

/// An array for two matrices: itself on hosts; a copy on devices, where Tpetra gives nobody its
/// arrays on the host while somebody else holds them. Local.
template <class Array>
Array sharedOrCopied(const Array& array) {
  if constexpr (isHost<typename Array::device_type>) {
    return array;
  } else {
    const auto copy =
        uninitialized<typename Array::non_const_value_type, typename Array::device_type>(
            array.label(), array.extent(0));
    Kokkos::deep_copy(copy, array);
    return copy;
  }
}

/// The structure of a result, without values, for another one. Local.
template <class SC, class LO, class GO, class NO>
ExportedMatrix<SC, LO, GO, NO> structureOf(const ExportedMatrix<SC, LO, GO, NO>& result) {
  ExportedMatrix<SC, LO, GO, NO> structure;
  structure.local.offsets = sharedOrCopied(result.local.offsets);
  structure.local.columns = sharedOrCopied(result.local.columns);
  structure.columns = result.columns;
  structure.entries = result.entries;
  return structure;
}

/// A result of that structure, its values not set. Local.
template <class SC, class LO, class GO, class NO>
ExportedMatrix<SC, LO, GO, NO> resultOf(const ExportedMatrix<SC, LO, GO, NO>& structure,
                                        const Teuchos::RCP<const Tpetra::Map<LO, GO, NO>>& domain) {
  using Scalar = typename TpetraTypes<SC, LO, GO, NO>::scalar_type;
  ExportedMatrix<SC, LO, GO, NO> result = structureOf(structure);
  result.local.values = uninitialized<Scalar, typename NO::device_type>(
      "Trident::values", structure.local.columns.extent(0));
  // Without an Import the columns are the domain Map's: with its very object Tpetra compares none.
  if (result.columns.importer.is_null()) result.columns.map = domain;
  return result;
}

}  // namespace Trident::Impl

#endif
