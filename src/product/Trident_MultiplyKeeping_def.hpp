// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MULTIPLYKEEPING_DEF_HPP
#define TRIDENT_MULTIPLYKEEPING_DEF_HPP

#include "product/Trident_GridCall.hpp"
#include "rounds/Trident_FilteredMultiply.hpp"

namespace Trident {

template <class SC, class LO, class GO, class NO>
template <class Keep>
auto Grid<SC, LO, GO, NO>::multiplyKeeping(const Matrix& A, const Matrix& B, const Keep& keep,
                                           const Teuchos::ParameterList& options) const -> Matrix {
  const auto checkMore = [&](const Impl::RoundOptions&, Impl::CollectiveArguments&) {
    return Impl::problemOfFilters(options, "a functor, which alone says what stays");
  };
  return multiplyBy("Trident::Grid::multiplyKeeping", A, B, options, checkMore,
                    [&](const auto& a, const auto& b, const Impl::RoundOptions& rounds,
                        Impl::RoundCounters& counters, Impl::LocalFailure& failure) {
                      return Impl::multiplyKeeping(a, b, keep, rounds, counters, failure);
                    });
}

}  // namespace Trident

#endif
