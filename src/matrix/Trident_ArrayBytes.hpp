// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ARRAYBYTES_HPP
#define TRIDENT_ARRAYBYTES_HPP

#include <cstddef>
#include <set>

namespace Trident::Impl {

/// Sum of the bytes of arrays. An array that is added twice counts once.
class ArrayBytes {
 public:
  template <class Array>
  void add(const Array& array) {
    if (array.extent(0) > 0 && met_.insert(array.data()).second)
      sum_ += array.extent(0) * sizeof(typename Array::value_type);
  }
  void addRoom(std::size_t bytes) { sum_ += bytes; }
  std::size_t sum() const { return sum_; }

 private:
  std::set<const void*> met_;
  std::size_t sum_ = 0;
};

}  // namespace Trident::Impl

#endif
