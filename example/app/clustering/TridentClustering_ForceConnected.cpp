// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_ForceConnected.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "TridentClustering_Ask.hpp"
#include "TridentProblems_Partition.hpp"
#include "TridentProblems_Rows.hpp"

namespace Trident {
namespace Clustering {

namespace {

/// Values of rows, which other ranks ask for and change.
class RowValues {
 public:
  /// \param values of this rank's rows
  RowValues(std::vector<std::int64_t>& values, std::int64_t rows, const Comm& comm)
      : values_(values), partition_(rows, comm.size()), comm_(comm) {}

  /// The values of some rows. Collective.
  std::vector<std::int64_t> of(const std::vector<std::int64_t>& rows) const {
    const auto reply = [&](const Received<std::int64_t>& received) {
      std::vector<std::int64_t> answers;
      collectively(comm_, [&] {
        for (const std::int64_t row : received.items) answers.push_back(values_[place(row)]);
      });
      return answers;
    };
    const auto owner = [&](std::size_t i) { return partition_.owner(rows[i]); };
    return ask<std::int64_t>(groupItems(rows.size(), owner, comm_), rows, reply, comm_);
  }

  struct Told {
    std::int64_t row, value;
  };
  /// Joins values to those of rows by `join(mine, told)`. Collective.
  template <class Join>
  void tell(const std::vector<Told>& all, const Join& join) {
    const auto owner = [&](std::size_t i) { return partition_.owner(all[i].row); };
    for (const Told& told : send(groupItems(all.size(), owner, comm_), all, comm_).items)
      join(values_[place(told.row)], told.value);
  }

  std::int64_t first() const { return partition_.begin(comm_.rank()); }

 private:
  std::size_t place(std::int64_t row) const { return static_cast<std::size_t>(row - first()); }

  std::vector<std::int64_t>& values_;
  UniformPartition partition_;
  const Comm& comm_;
};

/// The edges inside of clusters: rows of this rank, and places in a list of columns.
struct InnerEdges {
  std::vector<std::int64_t> columns;
  std::vector<std::pair<std::size_t, std::size_t>> edges;
};

InnerEdges innerEdges(std::vector<std::int64_t>& clusters, const matrix_type& graph,
                      std::int64_t nodes, const Comm& comm) {
  InnerEdges inner;
  collectively(comm, [&] {
    const RowReader rows(graph);
    inner.columns.assign(rows.columnGids().begin(), rows.columnGids().end());
  });
  const auto ofColumns = RowValues(clusters, nodes, comm).of(inner.columns);
  collectively(comm, [&] {
    const RowReader rows(graph);
    for (std::size_t row = 0; row < rows.numRows(); ++row)
      for (std::size_t e = rows.begin(row); e < rows.end(row); ++e) {
        const auto column = static_cast<std::size_t>(rows.localColumn(e));
        if (rows.value(e) != 0 && ofColumns[column] == clusters[row])
          inner.edges.push_back({row, column});
      }
  });
  return inner;
}

/// The least row of each row's component. In a round the roots of the two ends of an edge learn the
/// smaller of them, and each row takes the root of its root (Shiloach and Vishkin 1982).
std::vector<std::int64_t> componentsOf(const InnerEdges& inner, std::int64_t rows,
                                       std::int64_t nodes, const Comm& comm) {
  std::vector<std::int64_t> roots, before;
  RowValues values(roots, nodes, comm);
  collectively(comm, [&] {
    for (std::int64_t row = 0; row < rows; ++row) roots.push_back(values.first() + row);
  });
  do {
    std::vector<RowValues::Told> smaller;
    const auto ofColumns = values.of(inner.columns);
    collectively(comm, [&] {
      before = roots;
      for (const auto& [row, column] : inner.edges) {
        const std::int64_t a = roots[row], b = ofColumns[column];
        if (a != b) smaller.push_back({std::max(a, b), std::min(a, b)});
      }
    });
    values.tell(smaller,
                [](std::int64_t& mine, std::int64_t told) { mine = std::min(mine, told); });
    collectively(comm, [&] {
      // A row of an edge to a smaller root takes it too, which spares rounds.
      for (const auto& [row, column] : inner.edges)
        roots[row] = std::min(roots[row], ofColumns[column]);
    });
    const auto next = values.of(roots);
    collectively(comm, [&] { roots = next; });
  } while (comm.sum(roots == before ? 0 : 1) > 0);
  return roots;
}

/// A component, by its first row.
struct Component {
  std::int64_t size, first;
};

bool goesBefore(const Component& a, const Component& b) {
  return a.size != b.size ? a.size > b.size : a.first < b.first;
}

/// The numbers of this rank's components, which are in the order of their first rows and follow
/// those of the ranks before, in the order of goesBefore(). Those of up to √n nodes are counted by
/// size; larger ones are at most √n, and every rank gets to know them. Collective.
std::vector<std::int64_t> numbersOf(const std::vector<Component>& mine, std::int64_t nodes,
                                    const Comm& comm) {
  const auto bound = static_cast<std::size_t>(std::sqrt(static_cast<double>(nodes))) + 1;
  std::vector<std::int64_t> counts, before, all, numbers;
  std::vector<Component> large;
  std::vector<std::int64_t> copies;
  collectively(comm, [&] {
    counts.assign(bound + 1, 0);
    before.assign(bound + 1, 0);
    all.assign(bound + 1, 0);
    std::vector<Component> own;
    for (const Component& component : mine)
      if (component.size > static_cast<std::int64_t>(bound))
        own.push_back(component);
      else
        ++counts[static_cast<std::size_t>(component.size)];
    copies.assign(static_cast<std::size_t>(comm.size()), static_cast<std::int64_t>(own.size()));
    for (int rank = 0; rank < comm.size(); ++rank)
      large.insert(large.end(), own.begin(), own.end());
  });
  const int sizes = static_cast<int>(counts.size());
  checkMpi(MPI_Exscan(counts.data(), before.data(), sizes, MPI_INT64_T, MPI_SUM, comm.get()),
           "MPI_Exscan");
  checkMpi(MPI_Allreduce(counts.data(), all.data(), sizes, MPI_INT64_T, MPI_SUM, comm.get()),
           "MPI_Allreduce");
  large = exchangeGroups(large, copies, comm).items;
  collectively(comm, [&] {
    if (comm.rank() == 0) before.assign(before.size(), 0);  // MPI leaves it as it likes
    std::sort(large.begin(), large.end(), goesBefore);
    std::int64_t larger = static_cast<std::int64_t>(large.size());
    for (std::size_t size = bound + 1; size-- > 0;)
      before[size] += std::exchange(larger, larger + all[size]);
    for (const Component& component : mine)
      numbers.push_back(component.size > static_cast<std::int64_t>(bound)
                            ? std::lower_bound(large.begin(), large.end(), component, goesBefore) -
                                  large.begin()
                            : before[static_cast<std::size_t>(component.size)]++);
  });
  return numbers;
}

}  // namespace

std::int64_t forceConnected(std::vector<std::int64_t>& clusters, const matrix_type& graph) {
  const Comm comm(*graph.getComm());
  const auto rows = static_cast<std::int64_t>(clusters.size());
  const std::int64_t nodes = comm.sum(rows);
  const std::vector<std::int64_t> roots =
      componentsOf(innerEdges(clusters, graph, nodes, comm), rows, nodes, comm);

  std::vector<std::int64_t> ofRoots;  // sizes of components, then their numbers, at their roots
  RowValues values(ofRoots, nodes, comm);
  std::vector<RowValues::Told> parts;
  collectively(comm, [&] {
    ofRoots.assign(clusters.size(), 0);
    std::unordered_map<std::int64_t, std::int64_t> sizes;
    for (const std::int64_t root : roots) ++sizes[root];
    for (const auto& [root, size] : sizes) parts.push_back({root, size});
  });
  values.tell(parts, [](std::int64_t& mine, std::int64_t told) { mine += told; });
  std::vector<Component> components;
  collectively(comm, [&] {
    for (std::int64_t row = 0; row < rows; ++row)
      if (const std::int64_t size = ofRoots[static_cast<std::size_t>(row)]; size > 0)
        components.push_back({size, values.first() + row});
  });
  const std::vector<std::int64_t> numbers = numbersOf(components, nodes, comm);
  for (std::size_t i = 0; i < components.size(); ++i)
    ofRoots[static_cast<std::size_t>(components[i].first - values.first())] = numbers[i];
  clusters = values.of(roots);
  return comm.sum(std::count_if(components.begin(), components.end(),
                                [](const Component& component) { return component.size == 1; }));
}

}  // namespace Clustering
}  // namespace Trident
