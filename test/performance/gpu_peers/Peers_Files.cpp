// SPDX-License-Identifier: BSD-3-Clause
#include "Peers_Files.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <stdexcept>

namespace Peers {
namespace {

/// Returns the first number of a rank's part of `count`.
long long firstOf(long long count, int rank, int ranks) {
  return count / ranks * rank + std::min<long long>(rank, count % ranks);
}

/// Makes rows without entries: who has which rows and columns.
Rows dealt(long long rowCount, long long columnCount, int rank, int ranks) {
  Rows rows;
  rows.matrixSize = rowCount;
  rows.first = firstOf(rowCount, rank, ranks);
  rows.size = firstOf(rowCount, rank + 1, ranks) - rows.first;
  rows.matrixColumns = columnCount;
  rows.firstColumn = firstOf(columnCount, rank, ranks);
  rows.columnSize = firstOf(columnCount, rank + 1, ranks) - rows.firstColumn;
  rows.offsets = {0};
  return rows;
}

int checkedOffset(long long offset, const std::string& name) {
  if (offset < 0 || offset > std::numeric_limits<int>::max())
    throw std::runtime_error(name + ": more than 2^31 entries on a rank");
  return static_cast<int>(offset);
}

/// Reads `count` numbers from byte `at` on.
template <class Number>
std::vector<Number> numbersAt(std::ifstream& file, long long at, long long count) {
  std::vector<Number> numbers(static_cast<std::size_t>(count));
  file.seekg(at);
  file.read(reinterpret_cast<char*>(numbers.data()),
            static_cast<std::streamsize>(numbers.size() * sizeof(Number)));
  return numbers;
}

Rows rowsOfFile(const std::string& path, int rank, int ranks) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<std::int64_t> head = numbersAt<std::int64_t>(file, 0, 3);
  if (!file || head[0] < 0 || head[1] < 0 || head[2] < 0)
    throw std::runtime_error(path + " is no .csr file that can be read");
  Rows rows = dealt(head[0], head[1], rank, ranks);
  const auto offsets = numbersAt<std::int64_t>(file, 24 + 8 * rows.first, rows.size + 1);
  if (!file) throw std::runtime_error(path + " ends early");
  rows.offsets.clear();
  for (const std::int64_t offset : offsets)
    rows.offsets.push_back(checkedOffset(offset - offsets.front(), path));
  const long long indicesAt = 24 + 8 * (head[0] + 1), count = rows.offsets.back();
  const auto columns = numbersAt<std::int32_t>(file, indicesAt + 4 * offsets.front(), count);
  rows.columns.assign(columns.begin(), columns.end());
  rows.values = numbersAt<double>(file, indicesAt + 4 * head[2] + 8 * offsets.front(), count);
  if (!file) throw std::runtime_error(path + " ends early");
  return rows;
}

/// Adds the row of a point of a cube with `side` points an edge, of which the neighbours are those
/// around it (27 points with itself) or those along the axes (7).
void appendPoint(long long row, long long side, bool allAround, Rows& rows) {
  const long long x = row % side, y = row / side % side, z = row / side / side;
  for (long long k = -1; k <= 1; ++k)
    for (long long j = -1; j <= 1; ++j)
      for (long long i = -1; i <= 1; ++i) {
        const bool inside =
            x + i >= 0 && x + i < side && y + j >= 0 && y + j < side && z + k >= 0 && z + k < side;
        const long long far = std::llabs(i) + std::llabs(j) + std::llabs(k);
        if (!inside || (!allAround && far > 1)) continue;
        rows.columns.push_back(row + i + side * (j + side * k));
        rows.values.push_back(far > 0 ? -1 : allAround ? 26 : 6);
      }
}

Rows rowsOfCube(const std::string& spec, long long side, bool allAround, int rank, int ranks) {
  if (side < 1 || side > 1290) throw std::runtime_error(spec + ": n is to be 1 to 1290");
  Rows rows = dealt(side * side * side, side * side * side, rank, ranks);
  const auto most = static_cast<std::size_t>(rows.size * (allAround ? 27 : 7));
  rows.columns.reserve(most);
  rows.values.reserve(most);
  for (long long i = 0; i < rows.size; ++i) {
    appendPoint(rows.first + i, side, allAround, rows);
    rows.offsets.push_back(checkedOffset(static_cast<long long>(rows.columns.size()), spec));
  }
  return rows;
}

}  // namespace

Rows readRows(const std::string& spec, int rank, int ranks) {
  for (const std::string name : {"brick3d", "laplace3d"}) {
    const std::string prefix = name + ":n=";
    if (spec.compare(0, prefix.size(), prefix) == 0)
      return rowsOfCube(spec, std::atoll(spec.c_str() + prefix.size()), name == "brick3d", rank,
                        ranks);
  }
  const std::string suffix = ".csr";
  if (spec.size() <= suffix.size() ||
      spec.compare(spec.size() - suffix.size(), suffix.size(), suffix) != 0)
    throw std::runtime_error(spec + " is no file NAME.csr, brick3d:n=N or laplace3d:n=N");
  return rowsOfFile(spec, rank, ranks);
}

}  // namespace Peers
