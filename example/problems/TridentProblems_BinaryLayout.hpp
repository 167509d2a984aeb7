// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_BINARYLAYOUT_HPP
#define TRIDENTPROBLEMS_BINARYLAYOUT_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "TridentProblems_File.hpp"

/// \file TridentProblems_BinaryLayout.hpp
/// What the files .bin (by columns) and .csr (by rows) have in common. Nothing here communicates.

namespace Trident {
namespace Problems {

/// Where the arrays of a binary matrix lie. Its lines are columns or rows.
struct BinaryLayout {
  bool byRows = false;
  std::int64_t lines = 0;    ///< columns of .bin, rows of .csr
  std::int64_t across = 0;   ///< indices of entries are less; at most 2^31
  std::int64_t entries = 0;  ///< of the file

  std::int64_t headerBytes() const { return byRows ? 24 : 16; }
  std::int64_t offsetsAt() const { return headerBytes(); }
  std::int64_t indicesAt() const { return offsetsAt() + 8 * (lines + 1); }
  std::int64_t valuesAt() const { return indicesAt() + 4 * entries; }
  std::int64_t bytes() const { return valuesAt() + 8 * entries; }
};

/// Reads the header. Throws MatrixError where it is none or does not fit the file.
BinaryLayout readBinaryLayout(const File& file, bool byRows);

/// The offsets of lines begin .. begin + count. Throws MatrixError where they do not ascend.
std::vector<std::int64_t> readBinaryOffsets(const File& file, const BinaryLayout& layout,
                                            std::int64_t begin, std::int64_t count);

/// Throws MatrixError where one of the indices of entries `at` .. `at + count - 1` is none.
void requireIndices(const File& file, const BinaryLayout& layout, std::int64_t at,
                    const std::int32_t* indices, std::int64_t count);

}  // namespace Problems
}  // namespace Trident

#endif
