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
#include "tpetra/Trident_SavedColumnMap.hpp"

namespace Trident::Impl {

/// Returns the bool "compute global constants" of the caller's list; true if it is not there.
inline bool wantsGlobalConstants(const Teuchos::RCP<Teuchos::ParameterList>& params) {
  const std::string name = "compute global constants";
  return params.is_null() || !params->isParameter(name) || params->get<bool>(name);
}

/// Returns true if C has more rows than the operands' product.
template <class SC, class LO, class GO, class NO>
bool isWider(const std::vector<Operand<SC, LO, GO, NO>>& operands,
             const Tpetra::CrsMatrix<SC, LO, GO, NO>& C) {
  return C.getRowMap()->getGlobalNumElements() > operands[0].rowMap()->getGlobalNumElements();
}

/// Fills a new C with the operands' product. C gets the operands' domain and range Maps. If
/// isWider(), C's range Map is its row Map instead. Collective; fails like commitResult().
template <class SC, class LO, class GO, class NO>
void commitNew(const ExportedMatrix<SC, LO, GO, NO>& result,
               const std::vector<Operand<SC, LO, GO, NO>>& operands, bool globalConstants,
               Tpetra::CrsMatrix<SC, LO, GO, NO>& C, const LocalFailure& failure) {
  const bool wider = isWider(operands, C);
  commitResult(result, operands.back().domainMap(), wider ? C.getRowMap() : operands[0].rangeMap(),
               wider ? Teuchos::null : operands[0].exporter(), globalConstants, C, failure);
}

/// The structure of a result, from which further results are made.
template <class SC, class LO, class GO, class NO>
struct ResultStructure {
  CrsArrays<typename TpetraTypes<SC, LO, GO, NO>::scalar_type, typename NO::device_type>
      rows;  ///< rows without values
  SavedColumnMap<LO, GO, NO> columns;
  long long entries = 0;  ///< entries of all ranks

  ResultStructure() = default;
  /// Keeps the structure of a result: its very arrays on hosts, copies on devices. Local.
  explicit ResultStructure(const ExportedMatrix<SC, LO, GO, NO>& result)
      : columns(result.columns), entries(result.entries) {
    rows.offsets = sharedOrCopied(result.local.offsets);
    rows.columns = sharedOrCopied(result.local.columns);
  }

  /// Makes a result of this structure. Its values are not set, and it has no Maps yet. Local.
  ExportedMatrix<SC, LO, GO, NO> newResult() const {
    using Scalar = typename TpetraTypes<SC, LO, GO, NO>::scalar_type;
    ExportedMatrix<SC, LO, GO, NO> result;
    result.local.offsets = sharedOrCopied(rows.offsets);
    result.local.columns = sharedOrCopied(rows.columns);
    result.local.values =
        uninitialized<Scalar, typename NO::device_type>("Trident::values", rows.columns.extent(0));
    result.entries = entries;
    return result;
  }
};

}  // namespace Trident::Impl

#endif
