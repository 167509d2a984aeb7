// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_BinaryLayout.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include "TridentProblems_Assemble.hpp"
#include "TridentProblems_SharedFile.hpp"
#include "TridentProblems_TextInput.hpp"
#include "TridentProblems_Types.hpp"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "binary matrices are read as they lie: little-endian"
#endif

namespace Trident {
namespace Problems {

namespace {

constexpr char sumMark[9] = "checksum";  // before the sum, without the 0

[[noreturn]] void refuse(const File& file, const std::string& what) {
  throw MatrixError(file.path() + ": " + what);
}

/// Returns true if nothing that is computed of a layout can overflow.
bool isPossible(const BinaryLayout& layout) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 64;
  return layout.lines >= 0 && layout.lines <= most && layout.across >= 0 &&
         layout.across <= std::int64_t{std::numeric_limits<std::int32_t>::max()} + 1 &&
         layout.entries >= 0 && layout.entries <= most;
}

BinaryLayout readHead(const File& file, bool byRows) {
  BinaryLayout layout;
  layout.byRows = byRows;
  if (file.size() < layout.headerBytes())
    refuse(file, "too short for a binary matrix: is it truncated?");
  std::int64_t words[3] = {};
  file.readAt(0, words, layout.headerBytes());
  layout.lines = words[0];
  layout.across = words[byRows ? 1 : 0];
  layout.entries = words[byRows ? 2 : 1];
  return layout;
}

}  // namespace

BinaryLayout readBinaryLayout(const File& file, bool byRows) {
  BinaryLayout layout = readHead(file, byRows);
  const std::string says = "the file says " + std::to_string(layout.lines) + " rows, " +
                           std::to_string(layout.across) + " columns and " +
                           std::to_string(layout.entries) + " entries";
  if (!isPossible(layout))
    refuse(file, says + ": this is no binary matrix (" +
                     (byRows ? "int64 rows, columns, nnz, rowptr[rows+1]; int32 column[nnz]; "
                             : "int64 n, nnz, colptr[n+1]; int32 row[nnz]; ") +
                     "float64 val[nnz])");
  const std::int64_t bytes = file.size();
  layout.hasSum = byRows && bytes != layout.bytes();
  if (bytes != layout.bytes())
    refuse(file, says + ", which is " + std::to_string(layout.sumAt()) + " bytes" +
                     (byRows ? " and 16 of a checksum, but it has " : ", but it has ") +
                     std::to_string(bytes) +
                     (bytes < layout.sumAt() ? ": is it truncated?" : ": it is damaged"));
  return layout;
}

BinaryLayout openBinary(const std::string& path, bool byRows, const Comm& comm,
                        std::unique_ptr<File>& file) {
  BinaryLayout layout;
  file = openToRead(path, comm);
  collectively(comm, [&] {
    const std::string packer = comm.rank() == 0 ? packerOf(file->beginning(16)) : "";
    if (!packer.empty())
      refuse(*file,
             "is packed by " + packer + ", and this format is read at many places; unpack it");
    layout = readBinaryLayout(*file, byRows);
  });
  const auto numbers = [](const BinaryLayout& of) {
    return std::make_tuple(of.lines, of.across, of.entries, of.hasSum);
  };
  BinaryLayout first = layout;
  comm.broadcast(&first, static_cast<int>(sizeof first), 0);
  throwEverywhere(comm, numbers(first) != numbers(layout),
                  path + ": ranks see several files of this name; is it being replaced? Try again");
  requireRoomForMatrix(path, byRows ? first.lines : first.across,
                       byRows ? first.across : first.lines, first.entries,
                       sizeof(std::int32_t) + sizeof(double), comm);
  return first;
}

void BinarySum::addHead(const BinaryLayout& layout) {
  const std::int64_t head[] = {layout.lines, layout.across, layout.entries};
  add(0, head, 3);
  add(layout.offsetsAt() + 8 * layout.lines, &layout.entries, 1);
}

std::uint64_t readBinarySum(const File& file, const BinaryLayout& layout) {
  char words[16];
  file.readAt(layout.sumAt(), words, sizeof words);
  if (std::memcmp(words, sumMark, 8) != 0)
    refuse(file, "behind its values there is no checksum: it is damaged");
  std::uint64_t sum;
  std::memcpy(&sum, words + 8, sizeof sum);
  return sum;
}

void writeBinarySum(const File& file, const BinaryLayout& layout, std::uint64_t sum) {
  char words[16];
  std::memcpy(words, sumMark, 8);
  std::memcpy(words + 8, &sum, sizeof sum);
  file.writeAt(layout.sumAt(), words, sizeof words);
}

std::vector<std::int64_t> readBinaryOffsets(const File& file, const BinaryLayout& layout,
                                            std::int64_t begin, std::int64_t count) {
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(count + 1));
  file.readAt(layout.offsetsAt() + 8 * begin, offsets.data(), 8 * (count + 1));
  std::int64_t least = begin == 0 ? 0 : offsets[0];
  for (std::int64_t j = 0; j <= count; ++j) {
    const std::int64_t offset = offsets[static_cast<std::size_t>(j)];
    const bool wrongEnd =
        (begin + j == 0 && offset != 0) || (begin + j == layout.lines && offset != layout.entries);
    if (offset < std::max<std::int64_t>(least, 0) || offset > layout.entries || wrongEnd)
      refuse(file, (layout.byRows ? "row offset " : "column offset ") + std::to_string(begin + j) +
                       " (byte " + std::to_string(layout.offsetsAt() + 8 * (begin + j)) + ") is " +
                       std::to_string(offset) + ": offsets should ascend from 0 to " +
                       std::to_string(layout.entries));
    least = offset;
  }
  return offsets;
}

void requireIndices(const File& file, const BinaryLayout& layout, std::int64_t at,
                    const std::int32_t* indices, std::int64_t count) {
  const auto isIndex = [&](std::int32_t index) { return index >= 0 && index < layout.across; };
  const std::int32_t* const wrong = std::find_if_not(indices, indices + count, isIndex);
  if (wrong == indices + count) return;
  const std::int64_t entry = at + (wrong - indices);
  refuse(file, "entry " + std::to_string(entry) + " (byte " +
                   std::to_string(layout.indicesAt() + 4 * entry) + ") has " +
                   (layout.byRows ? "column " : "row ") + std::to_string(*wrong) + " of " +
                   std::to_string(layout.across));
}

}  // namespace Problems
}  // namespace Trident
