// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_WriteClusters.hpp"

#include <algorithm>
#include <numeric>

#include "TridentClustering_MclColumns.hpp"
#include "TridentClustering_MclMatrixText.hpp"
#include "TridentClustering_Renumber.hpp"
#include "TridentProblems_Partition.hpp"
#include "TridentProblems_WriteText.hpp"

namespace Trident {
namespace Clustering {

namespace {

/// A cluster's nodes on one rank, or on all.
struct Count {
  std::int64_t cluster, nodes;
};

/// Places in the order of the file, from that of a run's first node to the end of its cluster.
struct Places {
  std::int64_t begin, end;
  bool beginsCluster;
};

/// This rank's rows, ordered by cluster, and how many it has of each.
struct Runs {
  std::vector<std::size_t> rows;
  std::vector<Count> counts;
};

Runs runsOf(const std::vector<std::int64_t>& clusters) {
  Runs runs;
  runs.rows.resize(clusters.size());
  std::iota(runs.rows.begin(), runs.rows.end(), std::size_t{0});
  std::stable_sort(runs.rows.begin(), runs.rows.end(),
                   [&](std::size_t a, std::size_t b) { return clusters[a] < clusters[b]; });
  for (const std::size_t row : runs.rows) {
    if (runs.counts.empty() || runs.counts.back().cluster != clusters[row])
      runs.counts.push_back({clusters[row], 0});
    ++runs.counts.back().nodes;
  }
  return runs;
}

/// Counts the nodes before each of this rank's clusters, which are dealt to ranks in turn.
std::vector<std::int64_t> beginsOf(const std::vector<Count>& sizes, std::int64_t clusters,
                                   const Comm& comm) {
  const UniformPartition blocks(clusters, comm.size());
  const auto owner = [&](std::size_t i) { return blocks.owner(sizes[i].cluster); };
  const auto reply = [&](const Received<Count>& received) {
    std::vector<std::int64_t> begins, answers;
    std::int64_t nodes = 0;
    for (const Count& size : received.items) nodes += size.nodes;
    const std::int64_t before = comm.sumBefore(nodes), first = blocks.begin(comm.rank());
    collectively(comm, [&] {
      begins.assign(static_cast<std::size_t>(blocks.count(comm.rank())), 0);
      for (const Count& size : received.items)
        begins[static_cast<std::size_t>(size.cluster - first)] = size.nodes;
      std::int64_t sum = before;
      for (std::int64_t& begin : begins) begin = std::exchange(sum, sum + begin);
      for (const Count& size : received.items)
        answers.push_back(begins[static_cast<std::size_t>(size.cluster - first)]);
    });
    return answers;
  };
  return ask<std::int64_t>(groupItems(sizes.size(), owner, comm), sizes, reply, comm);
}

/// Finds the places of this rank's runs, and the ends of their clusters. Clusters are dealt to
/// ranks in turn, so that no rank has all the large ones, which lie on many ranks.
std::vector<Places> placesOf(const std::vector<Count>& runs, std::int64_t clusters,
                             const Comm& comm) {
  const std::int64_t ranks = comm.size();
  const auto owner = [&](std::size_t i) { return static_cast<int>(runs[i].cluster % ranks); };
  const auto reply = [&](const Received<Count>& received) {
    std::vector<Count> sizes;
    std::vector<Places> answers;
    collectively(comm, [&] {
      for (std::int64_t cluster = comm.rank(); cluster < clusters; cluster += ranks)
        sizes.push_back({cluster, 0});
      for (const Count& run : received.items) {  // in the order of the ranks, hence of the rows
        std::int64_t& nodes = sizes[static_cast<std::size_t>(run.cluster / ranks)].nodes;
        answers.push_back({nodes, 0, nodes == 0});
        nodes += run.nodes;
      }
    });
    const std::vector<std::int64_t> begins = beginsOf(sizes, clusters, comm);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const auto cluster = static_cast<std::size_t>(received.items[i].cluster / ranks);
      answers[i].begin += begins[cluster];
      answers[i].end = begins[cluster] + sizes[cluster].nodes;
    }
    return answers;
  };
  return ask<Places>(groupItems(runs.size(), owner, comm), runs, reply, comm);
}

/// A node on its way to the rank that writes it.
struct Placed {
  std::int64_t place;
  std::int64_t begins;  ///< the cluster of which it is the first; -1: none
  bool last;            ///< true for the last of its cluster
};

/// Returns the nodes of this rank, in the order of `runs.rows`.
std::vector<Placed> placedNodes(const Runs& runs, const std::vector<Places>& places) {
  std::vector<Placed> nodes;
  nodes.reserve(runs.rows.size());
  for (std::size_t run = 0; run < places.size(); ++run)
    for (std::int64_t i = 0; i < runs.counts[run].nodes; ++i) {
      const std::int64_t place = places[run].begin + i;
      nodes.push_back({place, i == 0 && places[run].beginsCluster ? runs.counts[run].cluster : -1,
                       place + 1 == places[run].end});
    }
  return nodes;
}

LabelList labelsOf(const std::vector<std::size_t>& rows, const NodeNames& names) {
  LabelList labels;
  std::string name;
  for (const std::size_t row : rows) {
    name.clear();
    names.append(name, row);
    labels.append({name.data(), name.data() + name.size()});
  }
  return labels;
}

/// The nodes that this rank writes, in their order.
struct Part {
  LabelList labels;
  std::vector<Placed> nodes;
  std::vector<std::size_t> order;  ///< order of both, which arrive in any
};

/// Finds the nodes that this rank writes. Collective.
Part partOf(const std::vector<std::int64_t>& clusters, std::int64_t count, const NodeNames& names,
            const Comm& comm) {
  Runs runs;
  collectively(comm, [&] { runs = runsOf(clusters); });
  const std::vector<Places> places = placesOf(runs.counts, count, comm);
  Part part;
  std::vector<Placed> nodes;
  LabelList labels;
  collectively(comm, [&] {
    nodes = placedNodes(runs, places);
    labels = labelsOf(runs.rows, names);
  });
  const UniformPartition blocks(comm.sum(static_cast<std::int64_t>(nodes.size())), comm.size());
  const Grouping writers = groupItems(
      nodes.size(), [&](std::size_t i) { return blocks.owner(nodes[i].place); }, comm);
  part.labels = sendLabels(writers, labels, comm);
  part.nodes = send(writers, nodes, comm).items;
  collectively(comm, [&] {
    part.order.resize(part.nodes.size());
    const std::int64_t first = blocks.begin(comm.rank());
    for (std::size_t i = 0; i < part.nodes.size(); ++i)
      part.order[static_cast<std::size_t>(part.nodes[i].place - first)] = i;
  });
  return part;
}

std::string linesOf(const Part& part) {
  std::string text;
  for (const std::size_t i : part.order) {
    text.append(part.labels[i].begin, part.labels[i].end);
    text += part.nodes[i].last ? '\n' : '\t';
  }
  return text;
}

PlacesOfLine placesOfLine(const Part& part, const MclColumns& columns) {
  PlacesOfLine places(columns);
  for (const std::size_t i : part.order) {
    if (part.nodes[i].begins >= 0) places.begin();
    places.add(part.labels[i].size());
  }
  return places;
}

std::string columnTextOf(const Part& part, MclColumns columns) {
  std::string text;
  for (const std::size_t i : part.order) {
    if (part.nodes[i].begins >= 0) columns.begin(text, part.nodes[i].begins);
    columns.add(text, part.labels[i].begin, part.labels[i].size());
    if (part.nodes[i].last) columns.end(text);
  }
  return text;
}

}  // namespace

void writeClusters(const std::string& path, const std::vector<std::int64_t>& clusters,
                   const NodeNames& names, const Comm& comm, const std::string& ending) {
  const Part part = partOf(clusters, countClusters(clusters, comm), names, comm);
  std::string text;
  collectively(comm, [&] {
    text = linesOf(part);
    if (comm.rank() + 1 == comm.size()) text += ending;
  });
  writeText(path, text, comm);
}

void writeClusterMatrix(const std::string& path, const std::vector<std::int64_t>& clusters,
                        const Comm& comm, const std::string& comment, const std::string& ending) {
  const auto mine = static_cast<std::int64_t>(clusters.size());
  const std::int64_t nodes = comm.sum(mine), count = countClusters(clusters, comm);
  NodeNames numbers;
  numbers.firstNumber = comm.sumBefore(mine);
  const Part part = partOf(clusters, count, numbers, comm);
  const MclColumns columns(nodes);
  const int place = placesOfLine(part, columns).placeOfFirst(comm);
  std::string text;
  collectively(comm, [&] {
    if (comm.rank() == 0) text = comment + mclMatrixHeader(nodes, count);
    text += columnTextOf(part, MclColumns(nodes, place));
    if (comm.rank() + 1 == comm.size()) text += ")\n" + ending;
  });
  writeText(path, text, comm);
}

void writeTable(const std::string& path, const std::vector<std::int64_t>& clusters,
                const NodeNames& names, const Comm& comm, const std::string& header) {
  std::string text;
  collectively(comm, [&] {
    if (comm.rank() == 0) text = header;
    for (std::size_t row = 0; row < clusters.size(); ++row) {
      names.append(text, row);
      text += '\t';
      text += std::to_string(clusters[row] + 1);
      text += '\n';
    }
  });
  writeText(path, text, comm);
}

}  // namespace Clustering
}  // namespace Trident
