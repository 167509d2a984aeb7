// SPDX-License-Identifier: BSD-3-Clause
#include "rounds/Trident_NeededRows.hpp"

#include <algorithm>
#include <utility>

#include "base/Trident_Mpi.hpp"

namespace Trident::Impl {

NodeNeeds::NodeNeeds(const ProcessGrid& grid, const IndexSpace& inner)
    : grid_(grid),
      inner_(inner),
      shape_(grid.shape()),
      me_(grid.me()),
      sizes_(static_cast<std::size_t>(shape_.segments()) * shape_.lambda, 0) {}

void NodeNeeds::note(const std::vector<int>& rows) {
  const int perCol = shape_.segmentsPerTileCol();
  const Position corner = inner_.tileColBegin(me_.j);
  auto row = rows.begin();
  for (int s = me_.j * perCol; s < (me_.j + 1) * perCol; ++s)
    for (int k = 0; k < lambda(); ++k) {
      const auto first = row;
      row = std::lower_bound(first, rows.end(), inner_.sliceBegin(s, k + 1) - corner);
      sizes_[s * lambda() + k] = static_cast<int>(row - first);
      if (k == me_.k)
        appendSet(first, row, inner_.sliceBegin(s, k) - corner, inner_.sliceSize(s, k), words_);
    }
}

void NodeNeeds::shareSizes(Traffic& traffic) {
  const int each = shape_.segmentsPerTileCol() * lambda();
  const auto begin = sizes_.begin() + static_cast<std::ptrdiff_t>(me_.j) * each;
  const std::vector<int> mine(begin, begin + each);
  allGather(mine.data(), each, MPI_INT, sizes_.data(), grid_.rowLine(),
            "how many rows of B the nodes of a grid row need");
  const std::vector<bool> internode = grid_.internodeOnLine(Factor::A);
  for (int j = 0; j < shape_.nodeCols; ++j)
    if (j != me_.j) traffic.count(internode[j], each * static_cast<long long>(sizeof(int)));
}

void NodeNeeds::makeRoom() {
  std::size_t all = 0;
  for (int s = 0; s < shape_.segments(); ++s) all += words(s);
  own_ = std::exchange(words_, std::vector<SetWord>(all));
}

void NodeNeeds::shareSets(Traffic& traffic) {
  const int members = shape_.nodeCols, perCol = shape_.segmentsPerTileCol();
  const std::vector<bool> internode = grid_.internodeOnLine(Factor::A);
  std::vector<int> counts(members, 0), offsets(members, 0);
  for (int j = 0; j < members; ++j) {
    for (int s = j * perCol; s < (j + 1) * perCol; ++s) counts[j] += words(s);
    if (j > 0) offsets[j] = offsets[j - 1] + counts[j - 1];
    if (j != me_.j)
      traffic.count(internode[j], counts[j] * static_cast<long long>(sizeof(SetWord)));
  }
  allGatherV(own_.data(), counts[me_.j], MPI_UINT32_T, words_.data(), counts.data(), offsets.data(),
             grid_.rowLine(), "the rows of B that the nodes of a grid row need");
}

std::shared_ptr<const IndexSpace> NodeNeeds::metSpace() const {
  std::vector<Position> cuts{0};
  for (int s = 0; s < shape_.segments(); ++s)
    for (int k = 0; k < lambda(); ++k)
      cuts.push_back(cuts.back() +
                     (shape_.tileRow(s) == me_.i ? inner_.sliceSize(s, k) : needed(s, k)));
  return std::make_shared<IndexSpace>(shape_, std::move(cuts));
}

std::vector<long long> NodeNeeds::questionCounts() const {
  const int perRow = shape_.segmentsPerTileRow();
  std::vector<long long> counts(shape_.nodeRows, 0);
  for (int s = 0; s < shape_.segments(); ++s) counts[shape_.tileRow(s)] += words(s);
  for (long long& count : counts)
    if (count > 0) count += perRow;
  return counts;
}

std::vector<SetWord> NodeNeeds::questions() const {
  const int perRow = shape_.segmentsPerTileRow();
  std::vector<SetWord> all;
  auto at = words_.begin();
  for (int i = 0; i < shape_.nodeRows; ++i) {
    auto end = at;
    for (int s = i * perRow; s < (i + 1) * perRow; ++s) end += words(s);
    if (end > at)
      for (int s = i * perRow; s < (i + 1) * perRow; ++s)
        all.push_back(static_cast<SetWord>(needed(s, me_.k)));
    all.insert(all.end(), at, end);
    at = end;
  }
  return all;
}

AskedLists NodeNeeds::readQuestions(const std::vector<SetWord>& words,
                                    const std::vector<long long>& offsets) const {
  const int perRow = shape_.segmentsPerTileRow(), members = shape_.nodeRows;
  // next word to read of each member's question
  std::vector<long long> next(offsets.begin(), offsets.end() - 1);
  for (long long& at : next) at += perRow;
  AskedLists asked;
  int firstRow = 0;
  for (int n = 0; n < perRow; ++n) {
    const int sliceRows = inner_.sliceSize(me_.i * perRow + n, me_.k);
    for (int member = 0; member < members; ++member) {
      const bool asks = offsets[member + 1] > offsets[member];
      const int count = asks ? static_cast<int>(words[offsets[member] + n]) : 0;
      if (count > 0) readSet(words.data() + next[member], count, sliceRows, firstRow, asked.rows);
      next[member] += setWords(count, sliceRows);
      asked.begin.push_back(static_cast<long long>(asked.rows.size()));
    }
    firstRow += sliceRows;
  }
  return asked;
}

}  // namespace Trident::Impl
