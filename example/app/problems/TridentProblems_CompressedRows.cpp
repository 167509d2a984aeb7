// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_CompressedRows.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "TridentProblems_Assemble.hpp"
#include "TridentProblems_BinaryLayout.hpp"
#include "TridentProblems_ColumnNumbering.hpp"
#include "TridentProblems_OutputFile.hpp"
#include "TridentProblems_Partition.hpp"
#include "TridentProblems_Rows.hpp"

namespace Trident {
namespace Problems {

namespace {

static_assert(sizeof(local_ordinal_type) == sizeof(std::int32_t), "columns are read in place");

/// Reads rows `begin` .. `begin + count - 1`; their columns are global ones. Adds them to `sum`.
HostRows readLines(const File& file, const BinaryLayout& layout, std::int64_t begin,
                   std::int64_t count, BinarySum& sum) {
  const std::vector<std::int64_t> offsets = readBinaryOffsets(file, layout, begin, count);
  const std::int64_t first = offsets.front(), entries = offsets.back() - first;
  HostRows rows(static_cast<std::size_t>(count), static_cast<std::size_t>(entries));
  std::transform(offsets.begin(), offsets.end(), rows.offsets.data(),
                 [&](std::int64_t offset) { return static_cast<std::size_t>(offset - first); });
  file.readAt(layout.indicesAt() + 4 * first, rows.columns.data(), 4 * entries);
  file.readAt(layout.valuesAt() + 8 * first, rows.values.data(), 8 * entries);
  requireIndices(file, layout, first, rows.columns.data(), entries);
  if (!layout.hasSum) return rows;
  sum.add(layout.offsetsAt() + 8 * begin, offsets.data(), count);
  sum.add(layout.indicesAt() + 4 * first, rows.columns.data(), entries);
  sum.add(layout.valuesAt() + 8 * first, rows.values.data(), entries);
  return rows;
}

/// Turns global columns into local ones, in place. \return the global columns of the local ones
std::vector<global_ordinal_type> numberColumns(HostRows& rows, const map_type& domainMap) {
  ColumnNumbering numbering(domainMap, rows.columns.size());
  local_ordinal_type *const begin = rows.columns.data(), *const end = begin + rows.columns.size();
  for (const local_ordinal_type* column = begin; column != end; ++column) numbering.note(*column);
  numbering.number();
  std::transform(begin, end, begin, [&](local_ordinal_type column) { return numbering[column]; });
  return numbering.columnGids();
}

/// Returns true if each row is on one rank, and its number follows that of the row before.
/// Collective.
bool inOrderOfRanks(const map_type& rows, const Comm& comm) {
  const auto count = static_cast<std::int64_t>(numLocalElements(rows));
  const std::int64_t first = rows.getIndexBase() + comm.sumBefore(count);
  bool inOrder = comm.sum(count) == static_cast<std::int64_t>(rows.getGlobalNumElements());
  for (std::int64_t row = 0; inOrder && row < count; ++row)
    inOrder = rows.getGlobalElement(static_cast<local_ordinal_type>(row)) == first + row;
  return inOrder;
}

void requireFit(const matrix_type& matrix, const std::string& path, const Comm& comm) {
  throwEverywhere(comm, !matrix.isFillComplete(),
                  path + ": the matrix to write is not fill-complete: call fillComplete() first");
  const map_type &rows = *matrix.getRowMap(), &columns = *matrix.getDomainMap();
  throwEverywhere(comm, !inOrderOfRanks(rows, comm),
                  path + ": the rows are not in the order of the ranks: write a .mtx file");
  const auto size = static_cast<std::int64_t>(columns.getGlobalNumElements());
  const std::int64_t most = std::int64_t{std::numeric_limits<std::int32_t>::max()} + 1;
  const bool fits =
      size == 0 || columns.getMaxAllGlobalIndex() - columns.getIndexBase() < std::min(size, most);
  throwEverywhere(comm, !fits,
                  path + ": more than 2^31 columns, or numbers left out: write a .mtx file");
}

/// Returns the sum of all ranks' lines and of the head. Collective.
std::uint64_t sumOfAll(BinarySum mine, const BinaryLayout& layout, const Comm& comm) {
  if (comm.rank() == 0) mine.addHead(layout);
  return comm.sumBits(mine.value());
}

/// Writes this rank's rows: offsets, then columns and values chunk by chunk. \return their sum
BinarySum writeLines(const File& file, const BinaryLayout& layout, const RowReader& rows,
                     std::int64_t firstRow, std::int64_t firstEntry, std::int64_t columnBase) {
  constexpr std::size_t chunkEntries = std::size_t{1} << 16;
  std::vector<std::int64_t> offsets(rows.numRows() + 1, firstEntry);
  for (std::size_t row = 0; row < rows.numRows(); ++row)
    offsets[row + 1] = firstEntry + static_cast<std::int64_t>(rows.end(row));
  // A rank's last offset is the next one's first; both write the same there.
  file.writeAt(layout.offsetsAt() + 8 * firstRow, offsets.data(),
               8 * static_cast<std::int64_t>(offsets.size()));
  BinarySum sum;
  sum.add(layout.offsetsAt() + 8 * firstRow, offsets.data(),
          static_cast<std::int64_t>(rows.numRows()));
  std::vector<std::int32_t> columns;
  std::vector<double> values;
  for (std::size_t at = 0; at < rows.numEntries(); at += chunkEntries) {
    const std::size_t count = std::min(chunkEntries, rows.numEntries() - at);
    columns.resize(count);
    values.resize(count);
    for (std::size_t k = 0; k < count; ++k) {
      columns[k] = static_cast<std::int32_t>(rows.column(at + k) - columnBase);
      values[k] = rows.value(at + k);
    }
    const std::int64_t entry = firstEntry + static_cast<std::int64_t>(at);
    file.writeAt(layout.indicesAt() + 4 * entry, columns.data(),
                 4 * static_cast<std::int64_t>(count));
    file.writeAt(layout.valuesAt() + 8 * entry, values.data(),
                 8 * static_cast<std::int64_t>(count));
    sum.add(layout.indicesAt() + 4 * entry, columns.data(), static_cast<std::int64_t>(count));
    sum.add(layout.valuesAt() + 8 * entry, values.data(), static_cast<std::int64_t>(count));
  }
  return sum;
}

}  // namespace

Teuchos::RCP<matrix_type> readCompressedRows(const std::string& path,
                                             const Teuchos::RCP<const comm_type>& teuchosComm,
                                             const Comm& comm, std::int64_t& duplicates,
                                             bool& hasSum) {
  std::unique_ptr<File> file;
  const BinaryLayout layout = openBinary(path, true, comm, file);
  BinarySum sum;
  std::uint64_t expected = 0;
  collectively(comm, [&] {
    if (layout.hasSum && comm.rank() == 0) expected = readBinarySum(*file, layout);
  });
  comm.broadcast(&expected, static_cast<int>(sizeof expected), 0);
  const auto [rowMap, domainMap] = uniformMaps(layout.lines, layout.across, teuchosComm, comm);
  HostRows rows;
  std::vector<global_ordinal_type> columnGids;
  std::int64_t merged = 0;
  collectively(comm, [&, &domain = *domainMap] {
    const UniformPartition partition(layout.lines, comm.size());
    rows =
        readLines(*file, layout, partition.begin(comm.rank()), partition.count(comm.rank()), sum);
    columnGids = numberColumns(rows, domain);
    merged = orderRows(rows, Duplicates::sum);
  });
  hasSum = layout.hasSum;
  throwEverywhere(comm, hasSum && sumOfAll(sum, layout, comm) != expected,
                  path + ": its checksum is another one: the file is damaged; make it anew");
  duplicates = comm.sum(merged);
  return matrixFromHostRows(std::move(rows), columnGids, rowMap, domainMap);
}

void writeCompressedRows(const matrix_type& matrix, const std::string& path) {
  const Comm comm(*matrix.getComm());
  requireFit(matrix, path, comm);
  std::unique_ptr<RowReader> reader;
  collectively(comm, [&] { reader = std::make_unique<RowReader>(matrix); });
  const RowReader& rows = *reader;
  const map_type &rowMap = *matrix.getRowMap(), &domainMap = *matrix.getDomainMap();
  const auto entries = static_cast<std::int64_t>(rows.numEntries());
  BinaryLayout layout;
  layout.byRows = true;
  layout.lines = static_cast<std::int64_t>(rowMap.getGlobalNumElements());
  layout.across = static_cast<std::int64_t>(domainMap.getGlobalNumElements());
  layout.entries = comm.sum(entries);
  const std::int64_t firstRow = comm.sumBefore(static_cast<std::int64_t>(rows.numRows()));
  const std::int64_t firstEntry = comm.sumBefore(entries);
  layout.hasSum = true;
  OutputFile output(path, comm);
  BinarySum sum;
  output.write([&](const File& file) {
    const std::int64_t head[] = {layout.lines, layout.across, layout.entries};
    if (comm.rank() == 0) file.writeAt(0, head, sizeof head);
    sum = writeLines(file, layout, rows, firstRow, firstEntry, domainMap.getIndexBase());
  });
  const std::uint64_t all = sumOfAll(sum, layout, comm);
  output.write([&](const File& file) {
    if (comm.rank() == 0) writeBinarySum(file, layout, all);
  });
  output.finish();
}

}  // namespace Problems
}  // namespace Trident
