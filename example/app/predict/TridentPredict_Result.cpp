// SPDX-License-Identifier: BSD-3-Clause
#include "TridentPredict_Result.hpp"

#include <algorithm>

#include "TridentPredict_Marks.hpp"
#include "matrix/Trident_IndexSets.hpp"

namespace Trident {
namespace Predict {

long long multiplyAdds(const Problem& problem) {
  long long sum = 0;
  for (const int met : problem.A->column) sum += problem.B->length(met);
  return sum;
}

SampledResult sampleResult(const Problem& problem, long long most) {
  const Pattern &A = *problem.A, &B = *problem.B;
  const long long stride =
      std::clamp<long long>((multiplyAdds(problem) + most - 1) / most, 1, std::max(1ll, A.rows()));
  SampledResult C;
  C.pattern.columns = B.columns;
  Marks met(B.columns);
  for (Position row = stride / 2; row < A.rows(); row += stride) {
    met.clear();
    for (long long a = A.begin[row]; a < A.begin[row + 1]; ++a)
      for (long long b = B.begin[A.column[a]]; b < B.begin[A.column[a] + 1]; ++b)
        if (met.add(B.column[b])) C.pattern.column.push_back(B.column[b]);
    C.rows.push_back(row);
    C.pattern.begin.push_back(static_cast<long long>(C.pattern.column.size()));
  }
  if (!C.rows.empty()) C.weight = static_cast<double>(A.rows()) / C.rows.size();
  return C;
}

RankTraffic columnQuestions(const Problem& problem, int ranks, int nodeSize, bool asSets) {
  const Pattern &A = *problem.A, &B = *problem.B;
  const Numbering rows = problem.rowsOf(ranks), columns = problem.columnsOf(ranks);
  std::vector<int> ownerOf(B.columns);
  for (int p = 0; p < ranks; ++p)
    std::fill(ownerOf.begin() + columns.rankBegin[p], ownerOf.begin() + columns.rankBegin[p + 1],
              p);
  RankTraffic asked(ranks);
  Counter counter(nodeSize, asked, &TrafficByPart::export_);
  Marks metRows(B.rows()), metColumns(B.columns);
  RunsByPeer questions(ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    metRows.clear();
    metColumns.clear();
    for (long long a = A.begin[rows.rankBegin[rank]]; a < A.begin[rows.rankBegin[rank + 1]]; ++a) {
      const int row = A.column[a];
      if (!metRows.add(row)) continue;
      for (long long b = B.begin[row]; b < B.begin[row + 1]; ++b)
        if (metColumns.add(B.column[b])) questions.add(ownerOf[B.column[b]], 0, 1);
      if (metColumns.count() == B.columns) break;  // soon, where columns are anywhere
    }
    questions.take([&](int owner, double, double count) {
      const long long size = columns.rankBegin[owner + 1] - columns.rankBegin[owner];
      const long long words = asSets ? Impl::setWords(static_cast<long long>(count), size)
                                     : static_cast<long long>(count);
      counter.receive(owner, rank, words * static_cast<long long>(sizeof(Impl::SetWord)));
    });
  }
  return asked;
}

RankTraffic workQuestions(const Problem& problem, int ranks, int nodeSize) {
  const Pattern& A = *problem.A;
  const Numbering rows = problem.rowsOf(ranks), inner = problem.innerOf(ranks);
  RankTraffic asked(ranks);
  Counter counter(nodeSize, asked, &TrafficByPart::setup);
  Marks met(A.columns);
  RunsByPeer questions(ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    met.clear();
    for (long long a = A.begin[rows.rankBegin[rank]]; a < A.begin[rows.rankBegin[rank + 1]]; ++a)
      if (met.add(A.column[a])) questions.add(inner.owner(A.column[a]), 0, 1);
    questions.take([&](int owner, double, double count) {
      counter.receive(owner, rank, static_cast<long long>(count * sizeof(Position)));
      counter.receive(rank, owner, static_cast<long long>(count * sizeof(long long)));
    });
  }
  return asked;
}

}  // namespace Predict
}  // namespace Trident
