// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_Generators.hpp"

#include <algorithm>
#include <cmath>

#include "TridentProblems_Assemble.hpp"
#include "TridentProblems_Families.hpp"
#include "TridentProblems_Hash.hpp"
#include "TridentProblems_HostMemory.hpp"
#include "TridentProblems_Partition.hpp"

namespace Trident {
namespace Problems {

namespace {

using CommPtr = Teuchos::RCP<const comm_type>;

/// Throws MatrixError on every rank where there is no memory for `size` rows of about
/// `entriesPerRow`. Collective.
void requireMemoryForRows(const GeneratorSpec& spec, std::int64_t size, double entriesPerRow,
                          const Comm& comm) {
  const double bytesPerRow = 2 * sizeof(std::size_t) +  // in LocalRows and in the matrix
                             entriesPerRow * (sizeof(global_ordinal_type) + sizeof(scalar_type));
  const std::int64_t rows = UniformPartition(size, comm.size()).count(comm.rank());
  requireMemory(static_cast<double>(rows) * bytesPerRow, spec.text(), comm);
}

/// Runs makeRow(row, rows) for this rank's rows of a size x size matrix. Collective.
template <class MakeRow>
Teuchos::RCP<matrix_type> matrixByRows(const GeneratorSpec& spec, std::int64_t size,
                                       double entriesPerRow, const CommPtr& teuchosComm,
                                       const Comm& comm, const MakeRow& makeRow) {
  const auto map = uniformMap(size, teuchosComm);
  requireMemoryForRows(spec, size, entriesPerRow, comm);
  const UniformPartition partition(size, comm.size());
  LocalRows rows;
  collectively(comm, [&] {
    const std::int64_t begin = partition.begin(comm.rank()), count = partition.count(comm.rank());
    rows.offsets.reserve(static_cast<std::size_t>(count) + 1);
    for (std::int64_t row = begin; row < begin + count; ++row) {
      makeRow(row, rows);
      rows.endRow();
    }
  });
  return matrixFromRows(std::move(rows), map, map);
}

/// Makes a matrix in which each entry exists with probability d/n. The gaps between a row's entries
/// are geometrically distributed: that takes a logarithm for each entry, and not a coin for each
/// position.
Teuchos::RCP<matrix_type> erdosRenyi(const GeneratorSpec& spec, const CommPtr& teuchosComm,
                                     const Comm& comm) {
  const std::int64_t n = spec.integer("n");
  const double probability = spec["d"] / static_cast<double>(n);
  if (probability > 1)
    throw MatrixError(spec.text() + ": d should be at most n, a row has no more entries");
  const auto seed = static_cast<std::uint64_t>(spec.integer("seed"));
  const double logOfAbsence = std::log1p(-probability);  // -infinity where every entry exists
  const auto makeRow = [=](std::int64_t row, LocalRows& rows) {
    if (probability == 0) return;
    HashStream random(seed, static_cast<std::uint64_t>(row));
    for (std::int64_t column = -1;;) {
      const double gap = std::floor(std::log(random.unit()) / logOfAbsence);
      if (!(gap < static_cast<double>(n - 1 - column))) return;
      column += 1 + static_cast<std::int64_t>(gap);
      rows.append(static_cast<global_ordinal_type>(column), random.unit());
    }
  };
  return matrixByRows(spec, n, spec["d"], teuchosComm, comm, makeRow);
}

Teuchos::RCP<matrix_type> banded(const GeneratorSpec& spec, const CommPtr& teuchosComm,
                                 const Comm& comm) {
  const std::int64_t n = spec.integer("n"), halfWidth = spec.integer("bw");
  const auto seed = static_cast<std::uint64_t>(spec.integer("seed"));
  const auto makeRow = [=](std::int64_t row, LocalRows& rows) {
    HashStream random(seed, static_cast<std::uint64_t>(row));
    const std::int64_t last = std::min(n - 1, row + halfWidth);
    for (std::int64_t column = std::max<std::int64_t>(0, row - halfWidth); column <= last; ++column)
      rows.append(static_cast<global_ordinal_type>(column), random.unit());
  };
  const auto entriesPerRow = static_cast<double>(std::min(n, halfWidth + 1));  // of the first row
  return matrixByRows(spec, n, entriesPerRow, teuchosComm, comm, makeRow);
}

Teuchos::RCP<matrix_type> families(const GeneratorSpec& spec, const CommPtr& teuchosComm,
                                   const Comm& comm) {
  Families graph(spec);
  // Families smaller than d have fewer entries a row.
  const double least = std::min(graph.entriesPerRow(), spec["least"] - 1);
  const auto makeRow = [&graph](std::int64_t row, LocalRows& rows) { graph.appendRow(row, rows); };
  return matrixByRows(spec, graph.size(), least, teuchosComm, comm, makeRow);
}

/// Draws edge number `edge`: at each level it falls into a quarter of the remaining block.
Entry rmatEdge(std::uint64_t seed, std::uint64_t edge, std::int64_t scale) {
  HashStream random(seed, edge);
  std::int64_t row = 0, column = 0;
  for (std::int64_t level = 0; level < scale; ++level) {
    const double u = random.unit();
    const bool lower = u > 0.57 + 0.19;                            // quarters c, d
    const bool right = lower ? u > 0.57 + 0.19 + 0.19 : u > 0.57;  // quarters b, d
    row = 2 * row + (lower ? 1 : 0);
    column = 2 * column + (right ? 1 : 0);
  }
  return {static_cast<global_ordinal_type>(row), static_cast<global_ordinal_type>(column),
          random.unit()};
}

Teuchos::RCP<matrix_type> rmat(const GeneratorSpec& spec, const CommPtr& teuchosComm,
                               const Comm& comm, std::int64_t& duplicates) {
  const std::int64_t scale = spec.integer("scale"), size = std::int64_t{1} << scale;
  if (spec["d"] * static_cast<double>(size) > 1e15)
    throw MatrixError(spec.text() + ": too many edges, choose a smaller scale or d");
  const auto seed = static_cast<std::uint64_t>(spec.integer("seed"));
  const UniformPartition edges(spec.integer("d") * size, comm.size());
  requireMemory(static_cast<double>(edges.count(comm.rank())) * sizeof(Entry), spec.text(), comm);
  std::vector<Entry> entries;
  collectively(comm, [&] {
    const std::int64_t begin = edges.begin(comm.rank()), count = edges.count(comm.rank());
    entries.reserve(static_cast<std::size_t>(count));
    for (std::int64_t edge = begin; edge < begin + count; ++edge)
      entries.push_back(rmatEdge(seed, static_cast<std::uint64_t>(edge), scale));
  });
  return matrixFromEntries(std::move(entries), size, size, teuchosComm, comm, duplicates);
}

Teuchos::RCP<matrix_type> stencil(const GeneratorSpec& spec, const CommPtr& teuchosComm,
                                  const Comm& comm) {
  const std::int64_t side = spec.integer("n");
  const bool flat = spec.name() == "laplace2d" || spec.name() == "brick2d";
  const std::int64_t size = flat ? side * side : side * side * side;
  const auto map = uniformMap(size, teuchosComm);
  requireMemoryForRows(spec, size, 3, comm);  // a corner of laplace2d: no stencil has fewer
  return stencilMatrix(spec.name(), side, map);
}

}  // namespace

Teuchos::RCP<matrix_type> generate(const GeneratorSpec& spec, const CommPtr& teuchosComm,
                                   const Comm& comm, std::int64_t& duplicates) {
  duplicates = 0;
  if (spec.name() == "er") return erdosRenyi(spec, teuchosComm, comm);
  if (spec.name() == "banded") return banded(spec, teuchosComm, comm);
  if (spec.name() == "families") return families(spec, teuchosComm, comm);
  if (spec.name() == "rmat") return rmat(spec, teuchosComm, comm, duplicates);
  return stencil(spec, teuchosComm, comm);
}

}  // namespace Problems
}  // namespace Trident
