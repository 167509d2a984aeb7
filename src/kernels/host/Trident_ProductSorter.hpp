// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PRODUCTSORTER_HPP
#define TRIDENT_PRODUCTSORTER_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "matrix/Trident_Semiring.hpp"

namespace Trident::Impl {

/// Forms a row of a product by writing all its products down, sorting them by column, and adding
/// neighbours. All of it stays in cache, however far apart the columns are. On hosts, for one
/// thread; for rows of few products that hardly ever meet in a column.
template <class Scalar, class Semiring = PlusTimes<Scalar>>
class ProductSorter {
 public:
  static constexpr std::size_t most = 4096;  ///< products that it takes: 96 KB of doubles

  /// @param columns of the tile
  explicit ProductSorter(int columns)
      : keys_(new std::uint64_t[most]),
        sorted_(new std::uint64_t[most]),
        products_(new Scalar[most]) {
    while (columnBits_ < 31 && (columns - 1) >> columnBits_) ++columnBits_;
    passes_ = (columnBits_ + mostDigitBits - 1) / mostDigitBits;
    digitBits_ = (columnBits_ + passes_ - 1) / passes_;
    begins_.resize(std::size_t(1) << digitBits_);
  }

  void add(int column, const Scalar& product) {
    keys_[size_] = static_cast<std::uint64_t>(column) << 32 | size_;
    products_[size_++] = product;
  }

  /// Writes the row, columns ascending, sums in the order of the products, and forgets it. Returns
  /// its entries.
  std::size_t take(int* columns, Scalar* values) {
    std::uint64_t *keys = keys_.get(), *sorted = sorted_.get();
    for (int pass = 0; pass < passes_; ++pass) {
      scatter(keys, sorted, 32 + pass * digitBits_);
      std::swap(keys, sorted);
    }
    std::size_t entries = 0;
    int last = -1;
    for (std::size_t n = 0; n < size_; ++n) {
      const int column = static_cast<int>(keys[n] >> 32);
      const Scalar& product = products_[static_cast<std::uint32_t>(keys[n])];
      if (column != last) {
        columns[entries] = column;
        values[entries++] = Semiring::plus(Semiring::zero(), product);
        last = column;
      } else {
        values[entries - 1] = Semiring::plus(values[entries - 1], product);
      }
    }
    size_ = 0;
    return entries;
  }

 private:
  static constexpr int mostDigitBits = 11;  // their begins stay in the first cache

  /// One stable pass, by the digit at `shift`.
  void scatter(const std::uint64_t* from, std::uint64_t* to, int shift) {
    const std::uint64_t mask = begins_.size() - 1;
    unsigned* const begins = begins_.data();
    std::memset(begins, 0, begins_.size() * sizeof(unsigned));
    for (std::size_t n = 0; n < size_; ++n) ++begins[from[n] >> shift & mask];
    unsigned before = 0;
    for (std::size_t d = 0; d <= mask; ++d) before += std::exchange(begins[d], before);
    for (std::size_t n = 0; n < size_; ++n) to[begins[from[n] >> shift & mask]++] = from[n];
  }

  // Not initialized: a small product would pay more for that than for its rows.
  std::unique_ptr<std::uint64_t[]> keys_, sorted_;  // column and place of each product
  std::unique_ptr<Scalar[]> products_;
  std::vector<unsigned> begins_;
  std::size_t size_ = 0;
  int columnBits_ = 1, passes_ = 1, digitBits_ = 1;
};

}  // namespace Trident::Impl

#endif
