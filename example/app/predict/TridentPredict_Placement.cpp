// SPDX-License-Identifier: BSD-3-Clause
#include "TridentPredict_Placement.hpp"

#include <algorithm>
#include <string>

#include "layout/Trident_SpaceCuts.hpp"

namespace Trident {
namespace Predict {
namespace {

using Device = Problems::map_type::node_type::device_type;  // for which the cuts are compiled
using Weights = Impl::IndexWeights<Device>;

Weights weightsOf(const std::vector<long long>& entries) {
  return {{0, static_cast<long long>(entries.size())}, Impl::toDevice<long long, Device>(entries)};
}

/// Counts the multiply-adds of each row of A·B.
Weights workWeights(const Pattern& A, const Pattern& B) {
  std::vector<long long> work(A.rows(), 0);
  for (Position row = 0; row < A.rows(); ++row)
    for (long long e = A.begin[row]; e < A.begin[row + 1]; ++e) work[row] += B.length(A.column[e]);
  Weights weights = weightsOf(work);
  weights.work = true;
  return weights;
}

Weights rowWeights(const Pattern& matrix) {
  std::vector<long long> entries;
  for (Position row = 0; row < matrix.rows(); ++row) entries.push_back(matrix.length(row));
  return weightsOf(entries);
}

Weights columnWeights(const Pattern& matrix) {
  std::vector<long long> entries(matrix.columns, 0);
  for (const int column : matrix.column) ++entries[column];
  return weightsOf(entries);
}

std::vector<int> slicesOf(const Impl::IndexSpace& space) {
  const std::vector<Position>& cuts = space.cuts();
  std::vector<int> slices(space.size());
  for (std::size_t slice = 0; slice + 1 < cuts.size(); ++slice)
    std::fill(slices.begin() + cuts[slice], slices.begin() + cuts[slice + 1],
              static_cast<int>(slice));
  return slices;
}

/// The distinct Maps of a product, by the first numbers of their ranks.
class Maps {
 public:
  /// @return which one it is
  int add(Numbering&& numbering) {
    for (std::size_t n = 0; n < all_.size(); ++n)
      if (all_[n]->rankBegin == numbering.rankBegin) return static_cast<int>(n);
    all_.push_back(std::make_shared<const Numbering>(std::move(numbering)));
    return static_cast<int>(all_.size()) - 1;
  }
  std::size_t size() const { return all_.size(); }
  const std::shared_ptr<const Numbering>& operator[](std::size_t n) const { return all_[n]; }

 private:
  std::vector<std::shared_ptr<const Numbering>> all_;
};

}  // namespace

Placement place(const Problem& problem, const GridShape& shape, int nodeSize,
                const Impl::GridOptions& options) {
  Maps maps;
  const int rows = maps.add(problem.rowsOf(shape.ranks()));
  const int inner = maps.add(problem.innerOf(shape.ranks()));
  const int columns = maps.add(problem.columnsOf(shape.ranks()));
  // As the library weighs: by the first operand whose rows a Map has (Impl::Placement: weighMaps()
  // and weighByWork()).
  std::vector<Weights> weights(maps.size());
  weights[columns] = columnWeights(*problem.B);
  weights[inner] = rowWeights(*problem.B);
  weights[rows] = options.partition == Impl::PartitionKind::Work
                      ? workWeights(*problem.A, *problem.B)
                      : rowWeights(*problem.A);
  const std::string name = "a Map";
  std::vector<Impl::SpaceToPartition<Device>> uncut;
  for (std::size_t n = 0; n < maps.size(); ++n)
    uncut.push_back({maps[n], weights[n], name, static_cast<int>(n) == rows ? inner : -1,
                     static_cast<int>(n) == rows});
  Impl::LocalFailure none;
  Impl::PartitionNotes notes;
  // This rank has what all ranks of the grid would sum.
  const Impl::SpaceCut cut =
      Impl::SpacePartitioner(uncut, shape, options, MPI_COMM_SELF).cut(none, notes);
  std::vector<std::shared_ptr<const PlacedSpace>> placed;
  for (std::size_t n = 0; n < maps.size(); ++n)
    placed.push_back(std::make_shared<const PlacedSpace>(PlacedSpace{cut[n], slicesOf(*cut[n])}));
  return {shape, nodeSize, placed[rows], placed[inner], placed[columns]};
}

std::vector<std::vector<int>> rowsByRank(const PlacedSpace& rows) {
  const GridShape& shape = rows.shape();
  std::vector<std::vector<int>> all(static_cast<std::size_t>(shape.nodeRows) * shape.lambda);
  for (std::size_t row = 0; row < rows.sliceOf.size(); ++row)
    all[rows.tileRow(row) * shape.lambda + rows.k(row)].push_back(static_cast<int>(row));
  return all;
}

}  // namespace Predict
}  // namespace Trident
