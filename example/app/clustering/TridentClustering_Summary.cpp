// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_Summary.hpp"

#include <algorithm>
#include <cstdio>
#include <sstream>

#include "TridentClustering_Renumber.hpp"
#include "TridentProblems_JsonText.hpp"
#include "Trident_JsonString.hpp"

namespace Trident {
namespace Clustering {

ClusterSizes clusterSizes(const std::vector<std::int64_t>& clusters, std::int64_t singletons,
                          const Comm& comm) {
  ClusterSizes sizes;
  sizes.clusters = countClusters(clusters, comm);
  sizes.singletons = singletons;
  const auto sizeOf = [&](std::int64_t cluster) {
    return comm.sum(std::count(clusters.begin(), clusters.end(), cluster));
  };
  sizes.largest = sizeOf(0);
  // Falling sizes: the one in the middle, or the two.
  const std::int64_t middle = sizes.clusters / 2;
  sizes.median = 0.5 * static_cast<double>(sizeOf(middle) +
                                           sizeOf(sizes.clusters % 2 == 1 ? middle : middle - 1));
  return sizes;
}

std::string describe(const Summary& s) {
  std::ostringstream text;
  text.precision(4);
  text << s.sizes.clusters << " clusters of " << s.nodes << " nodes: the largest has "
       << s.sizes.largest << ", the median " << s.sizes.median << "; " << s.sizes.singletons
       << " nodes are alone\n"
       << "modularity " << s.modularity << ", efficiency " << s.efficiency << ", mass fraction "
       << s.massFraction << ", area fraction " << s.areaFraction << "\n"
       << s.iterations << " iterations, chaos " << s.chaos
       << (s.converged ? "" : ": NOT CONVERGED, allow more by -L") << "\n";
  if (s.resumed > 0)
    text << "resumed after iteration " << s.resumed
         << "; entries and iterations are of both runs\n";
  if (s.lostCheckpoints > 0) text << s.lostCheckpoints << " checkpoints could not be written\n";
  if (s.overlaps > 0)
    text << s.overlaps << " nodes belonged to several clusters and were put into the first\n";
  text << s.readSeconds << " s to read, " << s.clusterSeconds << " s to cluster, " << s.writeSeconds
       << " s to write; at most " << 1e-9 * s.residentBytes << " GB on a rank of " << s.ranks
       << "\n"
       << "pruning dropped " << s.dropped << " of " << s.expanded << " entries of products\n";
  return text.str();
}

std::string describe(const std::vector<Summary>& runs) {
  std::string text =
      "inflation  clusters   largest    median     alone  modularity  efficiency    mass    area  "
      "seconds  file\n";
  char line[192];
  for (const Summary& s : runs) {
    std::snprintf(line, sizeof line,
                  "%9.6g %9lld %9lld %9.6g %9lld %11.5f %11.5f %7.5f %7.5f %8.2f  ", s.inflation,
                  static_cast<long long>(s.sizes.clusters), static_cast<long long>(s.sizes.largest),
                  s.sizes.median, static_cast<long long>(s.sizes.singletons), s.modularity,
                  s.efficiency, s.massFraction, s.areaFraction, s.clusterSeconds);
    text += line + s.out + (s.converged ? "" : ": NOT CONVERGED, allow more by -L") + "\n";
  }
  return text;
}

std::string json(const std::vector<Summary>& runs) {
  if (runs.size() == 1) return json(runs.front());
  std::string text;
  for (const Summary& run : runs) text += (text.empty() ? "{\"runs\": [\n" : ",\n") + json(run);
  return text + "]}\n";
}

std::string json(const Summary& s) {
  std::string text = "{";
  const auto add = [&](const char* key, const std::string& value) {
    text += (text.size() > 1 ? ",\n  " : "\n  ") + jsonString(key) + ": " + value;
  };
  const auto whole = [](std::int64_t value) { return std::to_string(value); };
  add("file", jsonString(s.file));
  add("clusters_file", jsonString(s.out));
  add("inflation", Json::number(s.inflation));
  add("ranks", whole(s.ranks));
  add("grid", jsonString(s.grid));
  add("nodes", whole(s.nodes));
  add("edges", whole(s.edges));
  add("clusters", whole(s.sizes.clusters));
  add("largest", whole(s.sizes.largest));
  add("median", Json::number(s.sizes.median));
  add("singletons", whole(s.sizes.singletons));
  add("overlaps", whole(s.overlaps));
  add("modularity", Json::number(s.modularity));
  add("efficiency", Json::number(s.efficiency));
  add("mass_fraction", Json::number(s.massFraction));
  add("area_fraction", Json::number(s.areaFraction));
  add("iterations", whole(s.iterations));
  add("resumed", whole(s.resumed));
  add("lost_checkpoints", whole(s.lostCheckpoints));
  add("chaos", Json::number(s.chaos));
  add("converged", s.converged ? "true" : "false");
  add("expanded", whole(s.expanded));
  add("dropped", whole(s.dropped));
  add("seconds", "{\"read\": " + Json::number(s.readSeconds) +
                     ", \"cluster\": " + Json::number(s.clusterSeconds) +
                     ", \"write\": " + Json::number(s.writeSeconds) + "}");
  add("bytes", "{\"resident\": " + Json::number(s.residentBytes) +
                   ", \"matrices\": " + Json::number(s.matrixBytes) + "}");
  add("memory", "{\"forecast\": " + Json::number(s.forecastBytes) +
                    ", \"peak\": " + Json::number(s.peakBytes) + "}");
  return text + "\n}\n";
}

}  // namespace Clustering
}  // namespace Trident
