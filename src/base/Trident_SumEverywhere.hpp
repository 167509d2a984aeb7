// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SUMEVERYWHERE_HPP
#define TRIDENT_SUMEVERYWHERE_HPP

#include <vector>

#include "base/Trident_Agreement.hpp"
#include "base/Trident_Collective.hpp"
#include "base/Trident_MpiCheck.hpp"

namespace Trident::Impl {

inline MPI_Datatype mpiTypeOf(double) { return MPI_DOUBLE; }
inline MPI_Datatype mpiTypeOf(long long) { return MPI_LONG_LONG; }

/// Reduces numbers over the ranks of `comm`, in place, and agrees by the same reduction on whether
/// all ranks had theirs: where one has failed, throws Error on all, as throwEverywhere().
/// Collective.
/// @param numbers as many on every rank; of one that has failed, any
template <class T>
void reduceEverywhere(MPI_Comm comm, std::vector<T>& numbers, MPI_Op op, const char* what,
                      const LocalFailure& failure) {
  numbers.push_back(failure.failed() ? 1 : 0);
  allReduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), mpiTypeOf(T()), op,
            comm, what);
  const bool failed = numbers.back() > 0;
  numbers.pop_back();
  if (failed) throwEverywhere(comm, failure.text());
}

/// Their sums, and their maxima.
template <class T>
void sumEverywhere(MPI_Comm comm, std::vector<T>& numbers, const LocalFailure& failure) {
  reduceEverywhere(comm, numbers, MPI_SUM, "sums over all ranks", failure);
}
template <class T>
void maximumEverywhere(MPI_Comm comm, std::vector<T>& numbers, const LocalFailure& failure) {
  reduceEverywhere(comm, numbers, MPI_MAX, "maxima over all ranks", failure);
}

}  // namespace Trident::Impl

#endif
