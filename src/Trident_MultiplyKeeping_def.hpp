// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MULTIPLYKEEPING_DEF_HPP
#define TRIDENT_MULTIPLYKEEPING_DEF_HPP

#include <string>

#include "Trident_FilteredMultiply.hpp"
#include "Trident_GridCall.hpp"

namespace Trident {
namespace Impl {

/// What a functor's filter has of others, with the remedy; empty where there is nothing. Local.
inline std::string problemOfKeepFilter(const Teuchos::ParameterList& filter) {
  for (auto p = filter.begin(); p != filter.end(); ++p)
    if (filter.name(p) != "product memory bytes" && filter.name(p) != "semiring")
      return "\"" + filter.name(p) +
             "\" does nothing beside a functor, which alone says what stays; leave it out";
  return "";
}

}  // namespace Impl

template <class SC, class LO, class GO, class NO>
template <class Keep>
auto Grid<SC, LO, GO, NO>::multiplyKeeping(const Matrix& A, const Matrix& B, const Keep& keep,
                                           const Teuchos::ParameterList& options,
                                           Report* report) const -> Matrix {
  const auto checkMore = [&](const Impl::RoundOptions&, Impl::CommonValues&) {
    return Impl::problemOfKeepFilter(options);
  };
  return multiplyBy("Trident::Grid::multiplyKeeping", A, B, options, report, checkMore,
                    [&](const auto& a, const auto& b, const Impl::RoundOptions& rounds,
                        Impl::RoundCounters& counters) {
                      return Impl::multiplyKeepingOnGrid(a, b, keep, rounds, counters);
                    });
}

}  // namespace Trident

#endif
