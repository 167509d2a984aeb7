// SPDX-License-Identifier: BSD-3-Clause
// The expansion of Markov clustering in several ways, as the paper measured it: M·M, of which
// entries below a threshold go. One JSON object a line, of rank 0: one for each iteration and way.
//
//   Trident_Expansion.exe --A=<graph> [--by=trident,trident-square,summa,tpetra] [--shuffle]
//                         [--iterations=10] [--threshold=0.002] [--repeat=3] [--ranks-per-node=0]
//                         [--port=eth0]
//
// A graph is what the driver takes, weights from 0 on. M is at first its matrix with a loop in each
// row, as heavy as the row's heaviest edge, whose rows sum to 1. --shuffle gives nodes other
// numbers, at random: networks from files do not come in the order of their clusters. The ways:
//
//   trident         on a grid of one node column, as markovCluster() takes for up to nine nodes
//   trident-square  on the squarest grid of nodes, as the paper
//   summa           Sparse SUMMA on the squarest grid of ranks
//   tpetra          Tpetra::MatrixMatrix::Multiply, then each rank prunes its rows
//
// All multiply the same M, which those on grids have there before. They take turns, the
// order rotated by one in each turn, after one turn to warm up. Then the first way's result leaves
// the grid, its values are squared, its rows sum to 1 again, and it is the next M.
//
// "seconds" is the median of a way's turns, of the slowest rank each, until its device is at rest;
// "pruning" the part of it that pruned, which on grids is the phase "accumulate". "internode_bytes"
// is what all ranks received from other nodes, by the library's own count (Tpetra has none). With
// --port it is followed by "port_bytes": what that device of all nodes received meanwhile, less
// headers. "difference" is that of the result from the first way's, largest over largest entry of
// its product with a vector.

#include <Teuchos_CommandLineProcessor.hpp>
#include <TpetraExt_MatrixMatrix.hpp>
#include <Tpetra_Core.hpp>
#include <Tpetra_Vector.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>

#include "TridentProblems_ReadMatrix.hpp"
#include "Trident_ExpansionSteps.hpp"
#include "Trident_Grid.hpp"
#include "Trident_RunProgram.hpp"

namespace {

using namespace Trident::Expansion;
using vector_type = Tpetra::Vector<>;
using Comm = Trident::Problems::Comm;

/// The costs of one product on this rank.
struct Work {
  double pruningSeconds = 0;
  long long multiplyAdds = 0, internodeBytes = 0;
};

/// A way to expand.
class Way {
 public:
  virtual ~Way() = default;
  /// Takes the matrix to where the way has it. Collective.
  virtual void take(const MatrixPtr& M) = 0;
  /// Forms M·M; what is kept of it is to be had by result(). Collective.
  virtual Work expand() = 0;
  virtual MatrixPtr result() const = 0;
};

class OnGrid : public Way {
 public:
  OnGrid(const Teuchos::RCP<const matrix_type::map_type>& map, double threshold,
         const Teuchos::ParameterList& params)
      : map_(map) {
    const auto all = Teuchos::parameterList();
    all->sublist("Trident").setParameters(params);
    grid_ = std::make_unique<Trident::Grid<>>(map->getComm(), std::vector{map}, all);
    filter_.set("drop tolerance", threshold);
  }
  void take(const MatrixPtr& M) override { M_ = grid_->fromTpetra(*M); }
  Work expand() override {
    kept_ = grid_->multiply(M_, M_, filter_);
    const Trident::Report report = kept_.report();
    return {report.seconds[Trident::Phase::Accumulate], report.multiplyAdds,
            report.traffic.setup.internodeBytes + report.traffic.rounds.internodeBytes};
  }
  MatrixPtr result() const override {
    const MatrixPtr C = Teuchos::rcp(new matrix_type(map_, 0));
    grid_->toTpetra(kept_, *C);
    return C;
  }

 private:
  Teuchos::RCP<const matrix_type::map_type> map_;
  std::unique_ptr<Trident::Grid<>> grid_;
  Teuchos::ParameterList filter_;
  Trident::Grid<>::Matrix M_, kept_;
};

class ByTpetra : public Way {
 public:
  explicit ByTpetra(double threshold) : threshold_(threshold) {}
  void take(const MatrixPtr& M) override { M_ = M; }
  Work expand() override {
    matrix_type C(M_->getRowMap(), 0);
    Tpetra::MatrixMatrix::Multiply(*M_, false, *M_, false, C);
    Kokkos::fence();
    const double start = MPI_Wtime();
    kept_ = pruned(C, threshold_);
    return {MPI_Wtime() - start, 0, 0};
  }
  MatrixPtr result() const override { return kept_; }

 private:
  double threshold_;
  MatrixPtr M_, kept_;
};

/// Reads the payload that a network device of this process's namespace has received since it came
/// up. Ethernet 14 + IPv4 20 + TCP 20 + time stamps 12 bytes stand in front of each packet's.
long long payloadOf(const std::string& port) {
  std::ifstream devices("/proc/self/net/dev");
  for (std::string name; devices >> name; std::getline(devices, name)) {
    long long bytes = 0, packets = 0;
    if (name == port + ":" && devices >> bytes >> packets) return bytes - 66 * packets;
  }
  throw std::runtime_error("there is no network device " + port);
}

/// One of the ways, and what its turns with one M have measured.
struct Measured {
  std::string name;
  std::shared_ptr<Way> way;
  std::vector<double> seconds, pruning, portBytes;
  Work work;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Settings {
  std::string spec, by = "trident,trident-square,summa,tpetra", port;
  bool shuffle = false;
  int iterations = 10, repeat = 3, ranksPerNode = 0;
  double threshold = 0.002;
};

class Expansion {
 public:
  Expansion(const Settings& settings, const MatrixPtr& M)
      : settings_(settings), M_(M), comm_(*M->getComm()) {
    const int perNode = settings.ranksPerNode > 0 ? settings.ranksPerNode : comm_.size();
    countsPort_ = !settings.port.empty() && comm_.rank() % perNode == 0;
    Teuchos::ParameterList any;
    if (settings.ranksPerNode > 0) any.set("ranks per node", settings.ranksPerNode);
    const auto onGrid = [&](const Teuchos::ParameterList& params) {
      return std::make_shared<OnGrid>(M->getRowMap(), settings.threshold, params);
    };
    Teuchos::ParameterList column(any), square(any), summa(any);
    column.set("grid", std::to_string(comm_.size() / perNode) + "x1");
    square.set("grid", "square");
    summa.sublist("expert").set("algorithm", "summa");
    add("trident", onGrid(column));
    add("trident-square", onGrid(square));
    add("summa", onGrid(summa));
    add("tpetra", std::make_shared<ByTpetra>(settings.threshold));
    if (ways_.empty()) throw std::runtime_error("--by names no way: " + settings.by);
  }

  void run() {
    for (int iteration = 1; iteration <= settings_.iterations; ++iteration) {
      for (Measured& m : ways_) m.way->take(M_);
      if (iteration == 1) turn(0);
      forgetTurns();
      for (int t = 0; t < settings_.repeat; ++t) turn(t);
      const MatrixPtr kept = ways_[0].way->result();
      for (const Measured& m : ways_) print(iteration, m, *kept);
      M_ = kept;
      inflate(*M_);
    }
  }

 private:
  /// Adds a way if it is asked for.
  void add(const std::string& name, std::shared_ptr<Way> way) {
    if (("," + settings_.by + ",").find("," + name + ",") == std::string::npos) return;
    Measured m;
    m.name = name;
    m.way = std::move(way);
    ways_.push_back(std::move(m));
  }

  void forgetTurns() {
    for (Measured& m : ways_) {
      m.seconds.clear();
      m.pruning.clear();
      m.portBytes.clear();
    }
  }

  void turn(int first) {
    for (std::size_t w = 0; w < ways_.size(); ++w) measure(ways_[(w + first) % ways_.size()]);
  }

  void measure(Measured& m) const {
    const std::int64_t before = portBytes();
    const double start = MPI_Wtime();
    m.work = m.way->expand();
    Kokkos::fence();
    m.seconds.push_back(comm_.max(MPI_Wtime() - start));
    m.pruning.push_back(comm_.max(m.work.pruningSeconds));
    m.portBytes.push_back(static_cast<double>(portBytes() - before));
  }

  /// Counts the bytes of all nodes together, with no rank under way. Collective.
  std::int64_t portBytes() const {
    static_cast<void>(comm_.sum(0));  // all are here
    std::int64_t mine = 0;
    Trident::Problems::collectively(comm_, [&] {
      if (countsPort_) mine = payloadOf(settings_.port);
    });
    return comm_.sum(mine);
  }

  void print(int iteration, const Measured& m, const matrix_type& kept) const {
    const auto bytes = comm_.sum(m.work.internodeBytes);
    const auto multiplyAdds = comm_.sum(ways_[0].work.multiplyAdds);
    const MatrixPtr mine = m.way->result();
    const double differs = difference(kept, *mine);
    const auto entries = Trident::Problems::countEntries(*M_);
    const auto keeps = Trident::Problems::countEntries(*mine);
    if (comm_.rank() != 0) return;
    std::printf(
        "{\"A\": \"%s\", \"iteration\": %d, \"by\": \"%s\", \"ranks\": %d, \"entries\": %lld, "
        "\"multiply_adds\": %lld, \"kept\": %lld, \"seconds\": %.6g, \"pruning\": %.6g, "
        "\"repeat\": %zu, \"internode_bytes\": %s, \"port_bytes\": %s, \"difference\": %.3g}\n",
        settings_.spec.c_str(), iteration, m.name.c_str(), comm_.size(),
        static_cast<long long>(entries), static_cast<long long>(multiplyAdds),
        static_cast<long long>(keeps), median(m.seconds), median(m.pruning), m.seconds.size(),
        m.name == "tpetra" ? "null" : std::to_string(bytes).c_str(),
        settings_.port.empty()
            ? "null"
            : std::to_string(static_cast<long long>(median(m.portBytes))).c_str(),
        differs);
    std::fflush(stdout);
  }

  /// Returns the largest difference of A·x from B·x over the largest of A·x, for one random x.
  /// Collective.
  static double difference(const matrix_type& A, const matrix_type& B) {
    vector_type x(A.getDomainMap()), ax(A.getRangeMap()), bx(A.getRangeMap());
    x.randomize();
    A.apply(x, ax);
    B.apply(x, bx);
    bx.update(1, ax, -1);
    return bx.normInf() / ax.normInf();
  }

  const Settings& settings_;
  MatrixPtr M_;
  Comm comm_;
  bool countsPort_ = false;
  std::vector<Measured> ways_;
};

int run(int argc, char* argv[]) {
  Settings s;
  Teuchos::CommandLineProcessor line(false);
  line.setOption("A", &s.spec, "graph, as the driver takes it", true);
  line.setOption("by", &s.by, "ways, separated by commas");
  line.setOption("shuffle", "keep-order", &s.shuffle, "give nodes other numbers, at random");
  line.setOption("iterations", &s.iterations, "of expansion and inflation");
  line.setOption("threshold", &s.threshold, "entries of M·M below it go");
  line.setOption("repeat", &s.repeat, "measured turns");
  line.setOption("ranks-per-node", &s.ranksPerNode, "as Trident's parameter; 0: one node");
  line.setOption("port", &s.port, "network device between nodes, whose bytes are to be counted");
  if (line.parse(argc, argv) != Teuchos::CommandLineProcessor::PARSE_SUCCESSFUL) return 2;
  const auto A = Trident::Problems::readMatrix(s.spec, Tpetra::getDefaultComm()).matrix;
  Expansion(s, stochastic(*A, s.shuffle)).run();
  return 0;
}

}  // namespace

int main(int argc, char* argv[]) {
  return Trident::runProgram("Trident_Expansion", run, argc, argv);
}
