// SPDX-License-Identifier: BSD-3-Clause
#include "TridentPredict_Product.hpp"

#include "TridentPredict_Crossings.hpp"
#include "TridentPredict_Loads.hpp"
#include "TridentPredict_NeededRows.hpp"
#include "TridentPredict_Tpetra.hpp"
#include "grid/Trident_VolumeModel.hpp"

namespace Trident {
namespace Predict {

ProductCounter::ProductCounter(const Problem& problem, const Impl::GridOptions& options,
                               long long mostMultiplyAdds)
    : problem_(problem),
      options_(options),
      multiplyAdds_(Predict::multiplyAdds(problem)),
      C_(sampleResult(problem, mostMultiplyAdds)) {}

const RankTraffic& ProductCounter::questions(int ranks, int nodeSize, bool asSets) {
  RankTraffic& known = questions_[{ranks, nodeSize, asSets}];
  if (known.ranks() == 0) known = columnQuestions(problem_, ranks, nodeSize, asSets);
  return known;
}

const RankTraffic& ProductCounter::questionsOfWork(int ranks, int nodeSize) {
  RankTraffic& known = questionsOfWork_[{ranks, nodeSize}];
  if (known.ranks() == 0) known = workQuestions(problem_, ranks, nodeSize);
  return known;
}

Counted ProductCounter::count(const Case& which) {
  if (which.algorithm == "tpetra")
    return countTpetra(problem_, C_, questions(which.shape.ranks(), which.nodeSize, false),
                       which.nodeSize);
  return countOnGrid(which);
}

Counted ProductCounter::countOnGrid(const Case& which) {
  Impl::GridOptions options = options_;
  options.algorithm =
      which.algorithm == "summa" ? Impl::Algorithm::Summa : Impl::Algorithm::Trident;
  const Placement placement = place(problem_, which.shape, which.nodeSize, options);
  const Pattern &A = *problem_.A, &B = *problem_.B;
  Counted counted;
  counted.traffic = RankTraffic(which.shape.ranks());
  countImport(A, *placement.rows, *placement.inner, placement, counted.traffic);
  const bool same = problem_.A == problem_.B && placement.rows == placement.inner &&
                    placement.inner == placement.columns;
  if (!same) countImport(B, *placement.inner, *placement.columns, placement, counted.traffic);

  const auto rows = rowsByRank(*placement.rows);
  const RowParts parts = partsOfRows(B, *placement.columns);
  const std::vector<SliceShape> tiles = tileSlices(placement, parts);
  counted.loads = countLoads(problem_, parts, tiles, rows, C_, placement);
  NeededRowsCount needed;
  const bool open = which.fetch == Impl::FetchKind::Auto;
  const double bytesOfB = static_cast<double>(B.entries()) * (scalarBytes + sizeof(int));
  const bool small = open && Impl::tooSmallToAsk(bytesOfB, which.shape.nodes());
  if (which.shape.canFetchRows() && which.fetch != Impl::FetchKind::Tiles && !small) {
    std::vector<double> ownBytes;
    for (const RankLoad& load : counted.loads)
      ownBytes.push_back((load.entriesA + load.entriesB) * (scalarBytes + sizeof(int)));
    needed = countNeededRows(problem_, parts, rows, tiles, ownBytes, placement, which.fetch);
    counted.traffic.add(needed.traffic, &TrafficByPart::setup);
    counted.traffic.add(needed.traffic, &TrafficByPart::rounds);
  }
  counted.neededRows = needed.taken;
  RankTraffic ofA(which.shape.ranks()), ofB(which.shape.ranks());
  if (needed.taken)
    setMetTiles(needed, placement, counted.loads);
  else
    countTilesOfB(tiles, placement, ofB);
  countSlicesOfA(A, rows, needed.taken ? needed.segmentRows : wholeSegments(placement), placement,
                 ofA);
  counted.traffic.add(ofA, &TrafficByPart::rounds);
  counted.traffic.add(ofB, &TrafficByPart::rounds);
  if (options.algorithm == Impl::Algorithm::Summa) {
    counted.wire = RankTraffic(which.shape.ranks());
    countRing(ofA, true, placement, counted.wire);
    countRing(ofB, false, placement, counted.wire);
  }
  countShapes(placement, !needed.taken, counted.traffic);
  counted.weighed = options.partition == Impl::PartitionKind::Work;
  if (counted.weighed)
    counted.traffic.add(questionsOfWork(which.shape.ranks(), which.nodeSize),
                        &TrafficByPart::setup);
  countExport(C_, placement, counted.traffic);
  counted.traffic.add(questions(which.shape.ranks(), which.nodeSize, true),
                      &TrafficByPart::export_);
  return counted;
}

}  // namespace Predict
}  // namespace Trident
