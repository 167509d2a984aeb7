// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_ReadBinary.hpp"

#include <algorithm>
#include <memory>

#include "TridentProblems_BinaryLayout.hpp"
#include "TridentProblems_Partition.hpp"

namespace Trident {
namespace Problems {

namespace {

constexpr std::int64_t chunkEntries = std::int64_t{1} << 16;  // stays in a core's cache

/// Reads the rows and values of entries offsets.front() .. offsets.back(), chunk by chunk.
void readEntries(const File& file, const BinaryLayout& layout, std::int64_t firstColumn,
                 const std::vector<std::int64_t>& offsets, std::vector<ShortEntry>& entries) {
  entries.reserve(static_cast<std::size_t>(offsets.back() - offsets.front()));
  std::vector<std::int32_t> rows;
  std::vector<double> values;
  std::size_t column = 0;
  for (std::int64_t at = offsets.front(); at < offsets.back(); at += chunkEntries) {
    const std::int64_t count = std::min(chunkEntries, offsets.back() - at);
    rows.resize(static_cast<std::size_t>(count));
    values.resize(static_cast<std::size_t>(count));
    file.readAt(layout.indicesAt() + 4 * at, rows.data(), 4 * count);
    file.readAt(layout.valuesAt() + 8 * at, values.data(), 8 * count);
    requireIndices(file, layout, at, rows.data(), count);
    for (std::int64_t k = 0; k < count; ++k) {
      while (offsets[column + 1] <= at + k) ++column;
      entries.push_back({rows[static_cast<std::size_t>(k)],
                         static_cast<std::int32_t>(firstColumn + static_cast<std::int64_t>(column)),
                         values[static_cast<std::size_t>(k)]});
    }
  }
}

}  // namespace

BinaryEntries readBinary(const std::string& path, const Comm& comm) {
  BinaryEntries result;
  std::unique_ptr<File> opened;
  const BinaryLayout layout = openBinary(path, false, comm, opened);
  collectively(comm, [&, &file = *opened] {
    const UniformPartition columns(layout.lines, comm.size());
    const std::int64_t begin = columns.begin(comm.rank()), count = columns.count(comm.rank());
    readEntries(file, layout, begin, readBinaryOffsets(file, layout, begin, count), result.entries);
    result.size = layout.lines;
    result.total = layout.entries;
  });
  return result;
}

}  // namespace Problems
}  // namespace Trident
