// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_BINARYLAYOUT_HPP
#define TRIDENTPROBLEMS_BINARYLAYOUT_HPP

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "TridentProblems_Comm.hpp"
#include "TridentProblems_File.hpp"
#include "TridentProblems_Hash.hpp"

/// \file TridentProblems_BinaryLayout.hpp
/// The common part of the files .bin (by columns) and .csr (by rows), and the sum that ends .csr.
/// Nothing here but openBinary() communicates.

namespace Trident {
namespace Problems {

/// The places of the arrays in a binary matrix. Its lines are columns or rows.
struct BinaryLayout {
  bool byRows = false;
  std::int64_t lines = 0;    ///< columns of .bin, rows of .csr
  std::int64_t across = 0;   ///< indices of entries are less; at most 2^31
  std::int64_t entries = 0;  ///< entries of the file
  bool hasSum = false;       ///< a BinarySum lies behind the values; older files have none

  std::int64_t headerBytes() const { return byRows ? 24 : 16; }
  std::int64_t offsetsAt() const { return headerBytes(); }
  std::int64_t indicesAt() const { return offsetsAt() + 8 * (lines + 1); }
  std::int64_t valuesAt() const { return indicesAt() + 4 * entries; }
  std::int64_t sumAt() const { return valuesAt() + 8 * entries; }  ///< place of a sum
  std::int64_t bytes() const { return sumAt() + (hasSum ? 16 : 0); }
};

/// The checksum of a file: the sum, modulo 2^64, of a hash of each number and its place, so ranks
/// add up what each of them has. A single wrong number always changes it.
class BinarySum {
 public:
  /// Adds the numbers that lie one after the other from byte `at` on.
  template <class Number>
  void add(std::int64_t at, const Number* numbers, std::int64_t count) {
    for (std::int64_t k = 0; k < count; ++k)
      sum_ += hash(bitsOf(numbers[k]) +
                   placeFactor * static_cast<std::uint64_t>(
                                     at + k * static_cast<std::int64_t>(sizeof(Number))));
  }
  /// Adds the header and the last offset, which no rank's lines begin at.
  void addHead(const BinaryLayout& layout);

  std::uint64_t value() const { return sum_; }

 private:
  static constexpr std::uint64_t placeFactor = 0xd1342543de82ef95ull;

  static std::uint64_t bitsOf(std::int64_t number) { return static_cast<std::uint64_t>(number); }
  static std::uint64_t bitsOf(std::int32_t number) { return static_cast<std::uint32_t>(number); }
  static std::uint64_t bitsOf(double number) {
    std::uint64_t bits;
    std::memcpy(&bits, &number, sizeof bits);
    return bits;
  }

  std::uint64_t sum_ = 0;
};

/// Reads, and writes, the sum that a file says. \param layout has one
std::uint64_t readBinarySum(const File& file, const BinaryLayout& layout);
void writeBinarySum(const File& file, const BinaryLayout& layout, std::uint64_t sum);

/// Reads the header. Throws MatrixError where it is none or does not fit the file.
BinaryLayout readBinaryLayout(const File& file, bool byRows);

/// Opens a file on each rank and reads its header: the same on all of them. Collective; throws
/// MatrixError on every rank, also where the file is replaced meanwhile and ranks see several.
BinaryLayout openBinary(const std::string& path, bool byRows, const Comm& comm,
                        std::unique_ptr<File>& file);

/// Reads the offsets of lines begin .. begin + count. Throws MatrixError if they do not ascend.
std::vector<std::int64_t> readBinaryOffsets(const File& file, const BinaryLayout& layout,
                                            std::int64_t begin, std::int64_t count);

/// Throws MatrixError where one of the indices of entries `at` .. `at + count - 1` is none.
void requireIndices(const File& file, const BinaryLayout& layout, std::int64_t at,
                    const std::int32_t* indices, std::int64_t count);

}  // namespace Problems
}  // namespace Trident

#endif
