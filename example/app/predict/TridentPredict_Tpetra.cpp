// SPDX-License-Identifier: BSD-3-Clause
#include "TridentPredict_Tpetra.hpp"

#include <algorithm>

#include "TridentDriver_TpetraTraffic.hpp"
#include "TridentPredict_Marks.hpp"

namespace Trident {
namespace Predict {

namespace {

/// Adds the messages that set C's Import up: 33 bytes for each remote column of C, as ports have
/// shown (32.5 to 34.4 for three matrices on 16 ranks, doc/results/predicted.md).
RankTraffic withSetUp(RankTraffic traffic, const RankTraffic& questions) {
  constexpr long long each = 33, question = sizeof(int);
  const auto add = [](TrafficByPart& to, const TrafficByPart& from) {
    Traffic more = from.export_;
    more.internodeBytes = more.internodeBytes / question * each;
    more.intranodeBytes = more.intranodeBytes / question * each;
    to.import += more;
  };
  for (int rank = 0; rank < traffic.ranks(); ++rank) {
    add(traffic.received[rank], questions.received[rank]);
    add(traffic.sent[rank], questions.sent[rank]);
  }
  return traffic;
}

}  // namespace

Counted countTpetra(const Problem& problem, const SampledResult& C, const RankTraffic& questions,
                    int nodeSize) {
  const int ranks = questions.ranks();
  const Pattern &A = *problem.A, &B = *problem.B;
  const Numbering rows = problem.rowsOf(ranks), inner = problem.innerOf(ranks);
  std::vector<int> ownerOf(B.rows());
  for (int p = 0; p < ranks; ++p)
    std::fill(ownerOf.begin() + inner.rankBegin[p], ownerOf.begin() + inner.rankBegin[p + 1], p);
  Counted counted;
  counted.traffic = RankTraffic(ranks);
  Counter counter(nodeSize, counted.traffic, &TrafficByPart::import);
  counted.loads.resize(ranks);
  Marks met(B.rows());
  RunsByPeer imports(ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    met.clear();
    RankLoad& load = counted.loads[rank];
    for (long long a = A.begin[rows.rankBegin[rank]]; a < A.begin[rows.rankBegin[rank + 1]]; ++a) {
      const int row = A.column[a];
      load.entriesA += 1;
      load.multiplyAdds += static_cast<double>(B.length(row));
      if (ownerOf[row] == rank || !met.add(row)) continue;
      imports.add(ownerOf[row], 1, Driver::packedRowBytes(B.length(row)));
      load.tileEntries += static_cast<double>(B.length(row));
      load.tileRows += 1;
    }
    imports.take([&](int owner, double, double bytes) {
      counter.add(rank, owner, static_cast<long long>(bytes), 2);
    });
    load.entriesB =
        static_cast<double>(B.begin[inner.rankBegin[rank + 1]] - B.begin[inner.rankBegin[rank]]);
  }
  counted.wire = withSetUp(counted.traffic, questions);
  for (std::size_t n = 0; n < C.rows.size(); ++n)
    counted.loads[rows.owner(C.rows[n])].entriesC +=
        C.weight * static_cast<double>(C.pattern.length(static_cast<Position>(n)));
  return counted;
}

}  // namespace Predict
}  // namespace Trident
