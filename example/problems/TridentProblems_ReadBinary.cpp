// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_ReadBinary.hpp"

#include <algorithm>
#include <limits>

#include "TridentProblems_File.hpp"
#include "TridentProblems_Partition.hpp"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "TridentProblems_ReadBinary.cpp reads little-endian numbers as they lie"
#endif

namespace Trident {
namespace Problems {

namespace {

constexpr std::int64_t pieceEntries = std::int64_t{1} << 20;
constexpr std::int64_t headerBytes = 2 * 8;

/// Where the arrays lie.
struct Layout {
  std::int64_t size = 0, entries = 0;
  std::int64_t offsetsAt() const { return headerBytes; }
  std::int64_t rowsAt() const { return headerBytes + 8 * (size + 1); }
  std::int64_t valuesAt() const { return rowsAt() + 4 * entries; }
  std::int64_t bytes() const { return valuesAt() + 8 * entries; }
};

[[noreturn]] void fail(const File& file, const std::string& what) {
  throw MatrixError(file.path() + ": " + what);
}

Layout readLayout(const File& file) {
  const std::int64_t fileBytes = file.size();
  if (fileBytes < headerBytes) fail(file, "too short for a binary matrix: is it truncated?");
  std::int64_t header[2];
  file.readAt(0, header, sizeof header);
  const Layout layout{header[0], header[1]};
  const std::string says = "the file says " + std::to_string(layout.size) + " rows and " +
                           std::to_string(layout.entries) + " entries";
  // Bounds first, so that the byte count below cannot overflow.
  if (layout.size < 0 || layout.entries < 0 ||
      layout.size > std::int64_t{std::numeric_limits<std::int32_t>::max()} + 1 ||
      layout.entries > std::numeric_limits<std::int64_t>::max() / 64)
    fail(file, says +
                   ": this is no binary matrix (int64 n, nnz, colptr[n+1]; int32 row[nnz]; "
                   "float64 val[nnz])");
  if (fileBytes != layout.bytes())
    fail(file, says + ", which is " + std::to_string(layout.bytes()) + " bytes, but it has " +
                   std::to_string(fileBytes) +
                   (fileBytes < layout.bytes() ? ": is it truncated?" : ": it is damaged"));
  return layout;
}

/// The offsets of columns begin .. begin + count, checked.
std::vector<std::int64_t> readOffsets(const File& file, const Layout& layout, std::int64_t begin,
                                      std::int64_t count) {
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(count + 1));
  file.readAt(layout.offsetsAt() + 8 * begin, offsets.data(), 8 * (count + 1));
  std::int64_t least = begin == 0 ? 0 : offsets[0];
  for (std::int64_t j = 0; j <= count; ++j) {
    const std::int64_t offset = offsets[static_cast<std::size_t>(j)];
    const bool wrongEnd =
        (begin + j == 0 && offset != 0) || (begin + j == layout.size && offset != layout.entries);
    if (offset < std::max<std::int64_t>(least, 0) || offset > layout.entries || wrongEnd)
      fail(file, "column offset " + std::to_string(begin + j) + " (byte " +
                     std::to_string(layout.offsetsAt() + 8 * (begin + j)) + ") is " +
                     std::to_string(offset) + ": offsets should ascend from 0 to " +
                     std::to_string(layout.entries));
    least = offset;
  }
  return offsets;
}

/// Reads the rows and values of entries offsets.front() .. offsets.back(), piece by piece.
void readEntries(const File& file, const Layout& layout, std::int64_t firstColumn,
                 const std::vector<std::int64_t>& offsets, std::vector<Entry>& entries) {
  entries.reserve(static_cast<std::size_t>(offsets.back() - offsets.front()));
  std::vector<std::int32_t> rows;
  std::vector<double> values;
  std::size_t column = 0;
  for (std::int64_t at = offsets.front(); at < offsets.back(); at += pieceEntries) {
    const std::int64_t count = std::min(pieceEntries, offsets.back() - at);
    rows.resize(static_cast<std::size_t>(count));
    values.resize(static_cast<std::size_t>(count));
    file.readAt(layout.rowsAt() + 4 * at, rows.data(), 4 * count);
    file.readAt(layout.valuesAt() + 8 * at, values.data(), 8 * count);
    for (std::int64_t k = 0; k < count; ++k) {
      while (offsets[column + 1] <= at + k) ++column;
      const std::int32_t row = rows[static_cast<std::size_t>(k)];
      if (row < 0 || row >= layout.size)
        fail(file, "entry " + std::to_string(at + k) + " (byte " +
                       std::to_string(layout.rowsAt() + 4 * (at + k)) + ") has row " +
                       std::to_string(row) + " of " + std::to_string(layout.size));
      entries.push_back(
          {static_cast<global_ordinal_type>(row),
           static_cast<global_ordinal_type>(firstColumn) + static_cast<global_ordinal_type>(column),
           values[static_cast<std::size_t>(k)]});
    }
  }
}

}  // namespace

BinaryEntries readBinary(const std::string& path, const Comm& comm) {
  BinaryEntries result;
  collectively(comm, [&] {
    const File file(path, File::Mode::read);
    const Layout layout = readLayout(file);
    const UniformPartition columns(layout.size, comm.size());
    const std::int64_t begin = columns.begin(comm.rank()), count = columns.count(comm.rank());
    readEntries(file, layout, begin, readOffsets(file, layout, begin, count), result.entries);
    result.size = layout.size;
    result.total = layout.entries;
  });
  return result;
}

}  // namespace Problems
}  // namespace Trident
