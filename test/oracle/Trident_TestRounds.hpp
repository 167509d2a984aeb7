// SPDX-License-Identifier: BSD-3-Clause
// Products on the grid as tests call them, each of one sink and its rounds. Compiled once.
#ifndef TRIDENT_TESTROUNDS_HPP
#define TRIDENT_TESTROUNDS_HPP

#include <Tpetra_Details_DefaultTypes.hpp>
#include <memory>

#include "base/Trident_Agreement.hpp"
#include "matrix/Trident_GridMatrix.hpp"
#include "rounds/Trident_FilteredMultiply.hpp"
#include "rounds/Trident_ProductPieces.hpp"
#include "rounds/Trident_RoundSetup.hpp"
#include "rounds/Trident_RowPartMerge.hpp"

namespace Trident::Impl::TestTools {

using RoundsDevice = Tpetra::Details::DefaultTypes::node_type::device_type;
using RoundsMatrix = GridMatrix<double, RoundsDevice>;
using SymbolicDataOfRounds = SymbolicData<RoundsDevice>;

// All are collective over the grid and throw on every rank where one fails.

/// @param counters null, or gets what the product did
/// @param symbolic null, or gets what multiplyValuesOnGrid() takes
RoundsMatrix multiplyOnGrid(const RoundsMatrix& A, const RoundsMatrix& B,
                            const RoundOptions& options = RoundOptions(),
                            RoundCounters* counters = nullptr,
                            SymbolicDataOfRounds* symbolic = nullptr);
RoundsMatrix multiplyMaskedOnGrid(const RoundsMatrix& A, const RoundsMatrix& B,
                                  const RoundsMatrix& mask, bool complement,
                                  const RoundOptions& options = RoundOptions(),
                                  RoundCounters* counters = nullptr);
/// Overwrites the values of C, whose structure is that of A·B.
void multiplyValuesOnGrid(const RoundsMatrix& A, const RoundsMatrix& B, const RoundsMatrix& C,
                          const RoundOptions& options = RoundOptions(),
                          RoundCounters* counters = nullptr,
                          const SymbolicDataOfRounds* symbolic = nullptr);
void multiplyByPieces(const RoundsMatrix& A, const RoundsMatrix& B,
                      const PieceConsumer<double, RoundsDevice>& consume,
                      const RoundOptions& options = RoundOptions(),
                      RoundCounters* counters = nullptr);
/// Returns the entries that a filter keeps; as multiplyFiltered().
template <class Filter>
RoundsMatrix filterOnGrid(const RoundsMatrix& A, const RoundsMatrix& B, const Filter& filter,
                          const RoundOptions& options, RoundCounters* counters = nullptr) {
  RoundCounters unseen;
  LocalFailure failure;
  const RoundsMatrix C =
      multiplyFiltered(A, B, filter, options, counters ? *counters : unseen, failure);
  throwEverywhere(A.grid().comm(), failure.text());
  return C;
}
/// Gives the pieces as whole rows.
void passOnGrid(const RoundsMatrix& A, const RoundsMatrix& B,
                const WholePieces<double, RoundsDevice>::Consumer& consume,
                const RoundOptions& options, RoundCounters& counters);

}  // namespace Trident::Impl::TestTools

#endif
