// SPDX-License-Identifier: BSD-3-Clause
// Clusters come out a line each, the same bytes on any number of ranks.

#include <Teuchos_UnitTestHarness.hpp>
#include <fstream>
#include <sstream>

#include "TridentClustering_Summary.hpp"
#include "TridentClustering_WriteClusters.hpp"
#include "TridentDriver_TestTools.hpp"
#include "TridentProblems_Partition.hpp"

namespace {

using namespace TestTools;
using namespace Trident::Clustering;

std::string nameOf(std::size_t row) {
  return "n " + std::string(row % 4, 'x') + std::to_string(row);
}

/// Draws clusters of `nodes` nodes, numbered from 0 without a gap by falling size.
std::vector<std::int64_t> randomClusters(std::int64_t nodes, std::int64_t most,
                                         std::uint64_t seed) {
  std::vector<std::vector<std::size_t>> members(static_cast<std::size_t>(most));
  for (std::int64_t node = 0; node < nodes; ++node) {
    // Squared: some clusters have many nodes, many have few.
    const double u = HashStream(seed, static_cast<std::uint64_t>(node)).unit();
    const auto cluster = static_cast<std::size_t>(u * u * static_cast<double>(most) * 0.999);
    members[cluster].push_back(static_cast<std::size_t>(node));
  }
  std::stable_sort(members.begin(), members.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  std::vector<std::int64_t> clusters(static_cast<std::size_t>(nodes));
  for (std::size_t c = 0; c < members.size(); ++c)
    for (const std::size_t node : members[c]) clusters[node] = static_cast<std::int64_t>(c);
  return clusters;
}

/// A rank's part of all nodes, and how it calls them.
struct Part {
  std::vector<std::int64_t> clusters;
  NodeNames names;
};

Part partOf(const std::vector<std::int64_t>& all, bool labelled, const Comm& comm) {
  const UniformPartition partition(static_cast<std::int64_t>(all.size()), comm.size());
  const auto begin = static_cast<std::size_t>(partition.begin(comm.rank()));
  const auto end = begin + static_cast<std::size_t>(partition.count(comm.rank()));
  Part part;
  part.clusters.assign(all.begin() + static_cast<std::ptrdiff_t>(begin),
                       all.begin() + static_cast<std::ptrdiff_t>(end));
  part.names.labelled = labelled;
  part.names.firstNumber = static_cast<std::int64_t>(begin) + 1;
  for (std::size_t row = begin; labelled && row < end; ++row) {
    const std::string name = nameOf(row);
    part.names.labels.append({name.data(), name.data() + name.size()});
  }
  return part;
}

std::string contentOf(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::string expectedLines(const std::vector<std::int64_t>& all, bool labelled) {
  std::map<std::int64_t, std::string> lines;
  for (std::size_t row = 0; row < all.size(); ++row) {
    std::string& line = lines[all[row]];
    line += (line.empty() ? "" : "\t") + (labelled ? nameOf(row) : std::to_string(row + 1));
  }
  std::string text;
  for (const auto& line : lines) text += line.second + "\n";
  return text;
}

TEUCHOS_UNIT_TEST(WriteClusters, Lines) {
  const Comm comm(*world());
  for (const std::int64_t nodes : {0, 1, 2, 5, 30, 2000})
    for (const std::int64_t most : {1, 3, 400})
      for (const bool labelled : {false, true}) {
        const auto all = randomClusters(nodes, most, static_cast<std::uint64_t>(nodes + most));
        const Part part = partOf(all, labelled, comm);
        const TempFile file("clusters", "longer than what is written: it is cut");
        writeClusters(file.path(), part.clusters, part.names, comm);
        TEST_EQUALITY(contentOf(file.path()), expectedLines(all, labelled));
        world()->barrier();
      }
}

/// Writes a column as mcl writes it: of lines, and with its number and the words of the next
/// indented.
std::string mclColumn(std::size_t digits, std::int64_t number,
                      const std::vector<std::size_t>& rows) {
  std::string text, line = std::to_string(number);
  line.resize(digits, ' ');
  for (const std::size_t row : rows) {
    if (line.size() > 69 - digits) {
      text += line + "\n";
      line.assign(digits + 2, ' ');
    }
    line += " " + std::to_string(row);
  }
  return text + line + " $\n";
}

TEUCHOS_UNIT_TEST(WriteClusters, Matrix) {
  const Comm comm(*world());
  for (const std::int64_t nodes : {0, 1, 5, 99, 700, 12000}) {
    const auto all = randomClusters(nodes, nodes == 12000 ? 2 : 50, 3);
    std::map<std::int64_t, std::vector<std::size_t>> columns;
    for (std::size_t row = 0; row < all.size(); ++row) columns[all[row]].push_back(row);
    std::string expected = "# comment\n(mclheader\nmcltype matrix\ndimensions " +
                           std::to_string(nodes) + "x" + std::to_string(columns.size()) +
                           "\n)\n(mclmatrix\nbegin\n";
    for (const auto& column : columns)
      expected += mclColumn(std::to_string(nodes).size(), column.first, column.second);
    const TempFile file("matrix", "");
    writeClusterMatrix(file.path(), partOf(all, true, comm).clusters, comm, "# comment\n");
    TEST_EQUALITY(contentOf(file.path()), expected + ")\n");
    world()->barrier();
  }
}

TEUCHOS_UNIT_TEST(WriteClusters, Table) {
  const Comm comm(*world());
  const auto all = randomClusters(300, 20, 5);
  const Part part = partOf(all, true, comm);
  std::string expected;
  for (std::size_t row = 0; row < all.size(); ++row)
    expected += nameOf(row) + "\t" + std::to_string(all[row] + 1) + "\n";
  const TempFile file("table", "");
  writeTable(file.path(), part.clusters, part.names, comm);
  TEST_EQUALITY(contentOf(file.path()), expected);
}

TEUCHOS_UNIT_TEST(WriteClusters, Sizes) {
  const Comm comm(*world());
  const auto sizesOf = [&](const std::vector<std::int64_t>& all) {
    return clusterSizes(partOf(all, false, comm).clusters, 1, comm);
  };
  const ClusterSizes odd = sizesOf({1, 0, 0, 0, 1, 2});
  TEST_EQUALITY(odd.clusters, 3);
  TEST_EQUALITY(odd.largest, 3);
  TEST_EQUALITY(odd.median, 2.0);
  TEST_EQUALITY(sizesOf({0, 0, 0, 1, 1, 2, 0, 3}).median, 1.5);
}

TEUCHOS_UNIT_TEST(WriteClusters, Errors) {
  const Comm comm(*world());
  const Part part = partOf({0, 0, 0, 0, 0, 0, 0, 0}, true, comm);
  const EmptyFolder folder;
  const std::string absent = folder.absent("clusters");
  TEST_ASSERT(
      throwsEverywhere([&] { writeClusters(absent, part.clusters, part.names, comm); }, absent));
  TEST_ASSERT(throwsEverywhere([&] { writeClusters("/dev/full", part.clusters, part.names, comm); },
                               "/dev/full"));
}

}  // namespace
