// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_Run.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <memory>

#include "TridentClustering_Checkpoint.hpp"
#include "TridentClustering_Coverage.hpp"
#include "TridentClustering_Interrupted.hpp"
#include "TridentClustering_MclAnalysis.hpp"
#include "TridentClustering_MclName.hpp"
#include "TridentClustering_Progress.hpp"
#include "TridentClustering_Quality.hpp"
#include "TridentClustering_ReadGraph.hpp"
#include "TridentClustering_ReadTab.hpp"
#include "TridentClustering_TransformGraph.hpp"
#include "TridentClustering_WriteClusters.hpp"
#include "TridentClustering_WriteGraph.hpp"
#include "TridentProblems_GeneratorSpec.hpp"
#include "TridentProblems_HostMemory.hpp"
#include "TridentProblems_Memory.hpp"
#include "TridentProblems_SharedFile.hpp"
#include "TridentProblems_TextInput.hpp"
#include "TridentProblems_WriteText.hpp"

namespace Trident {
namespace Clustering {

namespace {

constexpr double quietSeconds = 2;

/// Seconds since it was made or asked last.
class Clock {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(begin_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// Returns this rank's bytes where matrices lie: now, and the most so far.
double takenNow(const MemoryMeter& meter) {
  return matricesOnDevice ? meter.deviceNow() : residentBytes();
}
double takenMost(const MemoryMeter& meter) {
  return matricesOnDevice ? meter.devicePeak() : peakResidentBytes();
}

/// Returns the part that the host's other ranks have in a rank's resident bytes. Collective.
double sharedByOthers(const Summary& summary, const Comm& comm) {
  const double others = 1 - 1.0 / ranksOfHost(comm);
  return matricesOnDevice ? 0 : others * summary.sharedBytes;
}

/// Returns the options of the clustering itself.
/// \param meter, summary of this rank; they outlive the result
MarkovOptions markovOptions(const Options& options, bool signedWeights, Progress* progress,
                            const MemoryMeter& meter, Summary& summary) {
  MarkovOptions result = options.markov;
  result.signedWeights = signedWeights;
  result.params = Teuchos::parameterList("clustering");
  Teuchos::ParameterList& list = result.params->sublist("Trident");
  if (options.ranksPerNode > 0) list.set("ranks per node", options.ranksPerNode);
  if (options.grid != "auto") list.set("grid", options.grid);
  result.forecast = [&, progress](const MarkovForecast& forecast) {
    const double now = takenNow(meter);
    summary.forecastBytes = std::max(takenMost(meter), now + forecast.bytes);
    if (progress != nullptr)
      progress->memory(summary.forecastBytes,
                       forecast.available > 0 ? now + forecast.available : 0);
    if (progress != nullptr) progress->begin("the first iteration");
  };
  result.within = [progress](double share) {
    if (progress != nullptr) progress->done(share);
  };
  result.progress = [&, progress](const MarkovProgress& now) {  // all ranks pass one, one speaks
    summary.sharedBytes = std::max(summary.sharedBytes, sharedResidentBytes());
    if (progress != nullptr) progress->iteration(now, options.runs.size() > 1);
  };
  return result;
}

using Checkpoints = MarkovCheckpoints<local_ordinal_type, global_ordinal_type, map_type::node_type>;

/// Writes a checkpoint. One that cannot be written, as on a full disk, costs no run that goes well:
/// it is said, even of a silent run, and the next one may be written. Collective.
void trySaving(const Options& options, const state_type& state, Summary& summary) {
  try {
    writeCheckpoint(options.checkpoint, state);
    InterruptedLine::checkpointIsThere();
  } catch (const MatrixError& e) {  // on every rank
    ++summary.lostCheckpoints;
    if (state.matrix->getComm()->getRank() == 0)
      std::cerr << calledName() << ": WARNING: no checkpoint of iteration " << state.iteration
                << ": " << e.what() << "; the run goes on" << std::endl;
  }
}

/// Returns the settings that save and resume. Collective.
/// \param options outlives the result, as `summary` does
Checkpoints checkpoints(const Options& options, const Graph& graph, Summary& summary) {
  Checkpoints result;
  if (options.checkpoint.empty()) return result;
  result.every = options.checkpointEvery;
  result.save = [&](const state_type& state) { trySaving(options, state, summary); };
  if (options.resume) result.resume = readCheckpoint(options.checkpoint, graph.matrix->getRowMap());
  return result;
}

/// Writes the files that were asked for of the graph alone. Collective.
void writeInput(const Options& options, const Graph& graph, const Comm& comm) {
  const auto write = options.binaryGraph ? writeGraphAsBinary
                     : options.asMcl     ? writeGraphAsMcl
                                         : writeGraph;
  if (!options.graph.empty()) write(options.graph, graph);
  if (!options.graphTab.empty()) writeTab(options.graphTab, graph);
  if (options.planted.empty()) return;
  const auto nodes = static_cast<std::int64_t>(graph.matrix->getRowMap()->getGlobalNumElements());
  writeClusters(options.planted, plantedClusters(options.file, nodes, comm), graph.names, comm);
}

/// Returns true if weights are negative, as mcl takes them; so are those of its matrices, and all
/// under its name. Collective.
bool hasSignedWeights(const Options& options, const Graph& graph, bool speak) {
  if (!graph.isMclMatrix && !options.asMcl) return false;
  const std::int64_t negative = countNegativeEdges(*graph.matrix);
  if (negative > 0 && speak)
    std::cerr << "warning: " << negative
              << " weights are negative; they are taken as mcl does, and count against what a node "
                 "has (-tf 'gt(0)' drops them).\n";
  return negative > 0 || countNegativeEdges(*graph.matrix, true) > 0;  // loops are discarded
}

/// Returns the clusters of this rank's rows.
std::vector<std::int64_t> clustersOf(const labels_type& labels) {
  const auto numbers = labels.getData();
  return std::vector<std::int64_t>(numbers.begin(), numbers.end());
}

/// Throws on every rank where nodes are in several clusters and should stay so: there is no form
/// for that here.
template <class Result>
void requireCut(const Options& options, const Result& result) {
  if (options.overlap == "cut" || result.overlaps == 0) return;
  throw MatrixError(std::to_string(result.overlaps) +
                    " nodes are in several clusters, which -overlap " + options.overlap +
                    " would tell: only mcl itself does; -overlap cut puts them into the first");
}

/// Returns the clusters of this rank's rows in the order in which they are written, and their
/// sizes. Collective.
template <class Result>
std::vector<std::int64_t> finalClusters(const Options& options, const Result& result,
                                        Summary& summary, const Comm& comm) {
  std::vector<std::int64_t> clusters;
  collectively(comm, [&] { clusters = clustersOf(*result.labels); });
  summary.sizes = clusterSizes(clusters, result.singletons, comm);  // they are ordered by size
  renumber(clusters, options.order, comm);
  return clusters;
}

template <class Result>
void note(Summary& summary, const Result& result, const Comm& comm) {
  summary.grid = result.grid;
  summary.overlaps = result.overlaps;
  summary.chaos = result.chaos;
  summary.iterations = result.iterations;
  summary.converged = result.converged;
  summary.expanded = result.expanded;
  summary.dropped = result.dropped;
  summary.matrixBytes = comm.max(result.peakBytes);
}

void warn(const Options& options, const Graph& graph) {
  if (!graph.warning.empty()) std::cerr << "warning: " << graph.warning << ".\n";
  if (graph.likeEValues && options.transformation.empty())
    std::cerr
        << "warning: most weights of " << inputName(options.file)
        << " are below 0.001, and they span many orders of magnitude, as E-values do. Larger "
           "weights are taken for stronger connections: are these E-values, say --abc-neg-log10, "
           "or write -log10 of them in their place.\n";
}

void writeOutput(const Options& options, const std::string& out,
                 const std::vector<std::int64_t>& clusters, const Graph& graph, const Comm& comm,
                 const std::string& ending) {
  const NodeNames& names = graph.names;
  const bool usual = !options.table && !options.lines;
  if (options.native || (usual && graph.isMclMatrix && !names.labelled))
    writeClusterMatrix(out, clusters, comm, options.asMcl ? mclComment(options) : "", ending);
  else
    options.table ? writeTable(out, clusters, names, comm, options.header ? "name\tcluster\n" : "")
                  : writeClusters(out, clusters, names, comm, ending);
}

/// Throws on every rank where a file of mcl's name is there that may be of another inflation.
void requireUnambiguous(const Options& options, const Comm& comm) {
  collectively(comm, [&] {
    for (const RunOutput& run : options.runs)
      if (comm.rank() == 0 && run.outIsAmbiguous && std::ifstream(run.out))
        throw MatrixError(
            run.out +
            " is there, and may be of another inflation, as the name does not hold all "
            "digits: say -o FILE, or --i3 for three digits");
  });
}

/// Returns the files that are written in the end.
std::vector<std::string> writtenFiles(const Options& options) {
  std::vector<std::string> files{options.summary, options.graph, options.graphTab, options.planted,
                                 options.checkpoint};
  for (const RunOutput& run : options.runs) files.push_back(run.out);
  return files;
}

/// Takes the result of a run: writes it, and notes it in a summary. Collective.
/// \param summary has what is known of all runs
template <class Result>
Summary finish(const Options& options, const RunOutput& run, const Result& result,
               const Graph& graph, Summary summary, Clock& clock, const Comm& comm) {
  summary.clusterSeconds = comm.max(clock.lap());
  requireCut(options, result);
  const auto clusters = finalClusters(options, result, summary, comm);
  summary.inflation = run.inflation;
  summary.out = run.out;
  note(summary, result, comm);
  std::string ending = options.appendLog ? mclLog(options, summary) : "";
  if (options.analyze && options.file != "-")  // mcl would read it again
    ending += mclAnalysis(*graph.matrix, *result.labels, options, run.out);
  writeOutput(options, run.out, clusters, graph, comm, ending);
  summary.writeSeconds = comm.max(clock.lap());
  summary.modularity = modularity(*graph.matrix, *result.labels);
  const Coverage cover = coverage(*graph.matrix, *result.labels);
  summary.efficiency = cover.efficiency;
  summary.massFraction = cover.massFraction;
  summary.areaFraction = cover.areaFraction;
  clock.lap();
  return summary;
}

}  // namespace

std::vector<Summary> run(const Options& options, const Teuchos::RCP<const comm_type>& teuchosComm) {
  const Comm comm(*teuchosComm);
  requireWritable(writtenFiles(options), comm);
  requireWritableAnywhere({options.checkpoint}, comm);
  requireUnambiguous(options, comm);
  requireInputsApart({options.file, options.tab}, comm);
  const bool generated = !options.labelledPairs && looksLikeGenerator(options.file);
  requireReadable({generated ? "" : options.file, options.tab,
                   options.resume ? options.checkpoint : std::string()},
                  comm);
  std::unique_ptr<Progress> progress;
  std::unique_ptr<InterruptedLine> interrupted;
  if (comm.rank() == 0 && !options.silent) {
    progress = std::make_unique<Progress>(std::cerr, quietSeconds);
    progress->begin("reading " + inputName(options.file));
    if (!options.isStarted)
      interrupted = std::make_unique<InterruptedLine>(options.checkpoint, options.resume);
  }
  Clock clock;
  const MemoryMeter meter;
  Summary summary;
  Graph graph = readGraph({options.file, options.labelledPairs, options.pairLines, options.asMcl},
                          teuchosComm, options.weights);
  if (!options.tab.empty()) readTab(options.tab, graph);
  summary.readSeconds = comm.max(clock.lap());
  if (progress) progress->step("read " + graph.description);
  if (progress) progress->begin("what the network is written or changed to");

  if (comm.rank() == 0 && !options.silent) warn(options, graph);
  writeInput(options, graph, comm);
  if (!options.transformation.empty()) {
    transformGraph(graph, options.transformation, graph.isMclMatrix || options.asMcl);
    if (progress) progress->step("transformed: " + std::to_string(graph.edges) + " edges are left");
  }
  const bool signedWeights = hasSignedWeights(options, graph, comm.rank() == 0 && !options.silent);
  clock.lap();

  if (progress) progress->begin("a forecast of memory");
  summary.file = options.file;
  summary.ranks = comm.size();
  summary.nodes = static_cast<std::int64_t>(graph.matrix->getRowMap()->getGlobalNumElements());
  summary.edges = graph.edges;
  const MarkovOptions markov =
      markovOptions(options, signedWeights, progress.get(), meter, summary);
  std::vector<Summary> found;
  const auto take = [&](const auto& result) {
    found.push_back(
        finish(options, options.runs[found.size()], result, graph, summary, clock, comm));
    if (progress) progress->begin("the next inflation");
  };
  namingFile(inputName(options.file), [&] {
    if (options.runs.size() > 1) {
      markovClusters<local_ordinal_type, global_ordinal_type, map_type::node_type>(
          *graph.matrix, options.inflations, [&](double, const auto& result) { take(result); },
          markov);
    } else {
      const auto states = checkpoints(options, graph, summary);
      summary.resumed = states.resume.is_null() ? 0 : states.resume->iteration;
      take(markovCluster(*graph.matrix, markov, states));
    }
  });
  for (Summary& one : found) {
    one.lostCheckpoints = summary.lostCheckpoints;
    one.residentBytes = comm.max(peakResidentBytes());
    one.forecastBytes = comm.max(summary.forecastBytes);
    one.peakBytes = comm.max(takenMost(meter) - sharedByOthers(summary, comm));
  }
  if (!options.summary.empty())
    writeText(options.summary, comm.rank() == 0 ? json(found) : std::string(), comm);
  return found;
}

}  // namespace Clustering
}  // namespace Trident
