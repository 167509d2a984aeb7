// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SUMORDER_HPP
#define TRIDENT_SUMORDER_HPP

#include "base/Trident_Options.hpp"
#include "kernels/Trident_LocalMultiply.hpp"

namespace Trident::Impl {

/// Whether the products of an entry of C are to be added in ascending number of the inner index
/// (doc/algorithm.md, "The same bits"). Trident's own kernels add them as A's row has its entries,
/// so these must ascend; others promise no order, and need none.
template <class Scalar, class Device>
bool addsInOrder(const KernelOptions& options) {
  return options.reproducible && ownKernel(formingKernel<Scalar, Device>(options));
}

/// Whether the columns of a right factor must ascend for that. On devices they must: the kernels
/// find by them which threads add to one sum.
template <class Scalar, class Device>
bool rightFactorsAscend(const KernelOptions& options) {
  return !isHost<Device> && addsInOrder<Scalar, Device>(options);
}

}  // namespace Trident::Impl

#endif
