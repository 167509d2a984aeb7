// SPDX-License-Identifier: BSD-3-Clause
#include "TridentPredict_Calibrate.hpp"

#include <mpi.h>

#include <Teuchos_DefaultMpiComm.hpp>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>

#include "TridentDriver_Run.hpp"
#include "TridentProblems_Comm.hpp"
#include "TridentProblems_ReadMatrix.hpp"
#include "Trident_Context.hpp"
#include "Trident_TpetraCompat.hpp"

namespace Trident {
namespace Predict {
namespace {

using namespace Problems;

/// Seconds of one of some repeated works, on the slowest rank; the least of several tries.
double secondsOf(const Comm& comm, int repeats, const std::function<void()>& work) {
  constexpr int tries = 5;
  double least = std::numeric_limits<double>::infinity();
  for (int n = 0; n <= tries; ++n) {  // the first warms up
    checkMpi(MPI_Barrier(comm.get()), "MPI_Barrier");
    const double begin = MPI_Wtime();
    for (int r = 0; r < repeats; ++r) work();
    const double each = comm.max(MPI_Wtime() - begin) / repeats;
    if (n > 0) least = std::min(least, each);
  }
  return least;
}

/// Sends bytes to one rank and receives as many from another.
void pass(const Comm& comm, int to, int from, std::vector<char>& out, std::vector<char>& in) {
  checkMpi(
      MPI_Sendrecv(out.data(), static_cast<int>(out.size()), MPI_CHAR, to, 0, in.data(),
                   static_cast<int>(in.size()), MPI_CHAR, from, 0, comm.get(), MPI_STATUS_IGNORE),
      "MPI_Sendrecv");
}

/// What messages to one rank and from another cost when all ranks send at once. Collective.
struct MessageRates {
  double bytesPerSecond = 0;  ///< of a rank
  double latency = 0;
  double messageSeconds = 0;

  MessageRates(const Comm& comm, int to, int from) {
    constexpr int large = 4 << 20, many = 64;
    std::vector<char> out(large), in(large), none, nothing;
    bytesPerSecond = large / secondsOf(comm, 3, [&] { pass(comm, to, from, out, in); });
    latency = secondsOf(comm, 100, [&] { pass(comm, to, from, none, nothing); });
    messageSeconds = secondsOf(comm, 3, [&] { postMany(comm, to, from, many); }) / (2 * many);
  }

 private:
  static void postMany(const Comm& comm, int to, int from, int many) {
    std::vector<MPI_Request> requests;
    std::vector<long long> numbers(2 * static_cast<std::size_t>(many));
    for (int n = 0; n < many; ++n) {
      MPI_Request request = MPI_REQUEST_NULL;
      checkMpi(MPI_Irecv(&numbers[n], 1, MPI_LONG_LONG, from, 1, comm.get(), &request),
               "MPI_Irecv");
      requests.push_back(request);
      checkMpi(MPI_Isend(&numbers[many + n], 1, MPI_LONG_LONG, to, 1, comm.get(), &request),
               "MPI_Isend");
      requests.push_back(request);
    }
    checkMpi(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
             "MPI_Waitall");
  }
};

/// One product of a node's ranks, by Trident and by Tpetra: seconds of the slowest rank of the
/// node, and what a rank has and does on average.
struct Sample {
  double import = 0, multiply = 0, export_ = 0, tpetra = 0;
  double multiplyAdds = 0, entriesA = 0, entriesC = 0;

  Sample(const std::string& A, const Teuchos::RCP<const comm_type>& node) {
    Driver::CommandLine line;
    line.A = A;
    line.warmup = 2;
    line.repeat = 5;
    const Driver::Problem problem = Driver::makeProblem(line, node);
    const Driver::Measurement trident = Driver::measure(line, problem);
    const auto phase = [&](Phase p) { return trident.summary.seconds[static_cast<int>(p)].max; };
    import = phase(Phase::Import) + phase(Phase::Setup);
    multiply = phase(Phase::LocalMultiply);
    export_ = phase(Phase::Export);
    const double ranks = node->getSize();
    multiplyAdds = static_cast<double>(trident.summary.multiplyAdds) / ranks;
    entriesA = static_cast<double>(countEntries(*problem.A)) / ranks;
    entriesC = static_cast<double>(trident.summary.entriesC) / ranks;
    line.algorithm = "tpetra";
    tpetra = Driver::measure(line, problem).summary.totalSeconds.max;
  }
};

Work workOf(const Teuchos::RCP<const comm_type>& node, const Comm& comm) {
  // Few multiply-adds for each entry of C, and many; about as large on a rank, however many.
  const double ranks = node->getSize();
  const auto rows = std::to_string(static_cast<int>(20000 * ranks));
  const auto side = std::to_string(static_cast<int>(20 * std::cbrt(ranks)));
  const Sample random("er:n=" + rows + ",d=8", node), brick("brick3d:n=" + side, node);
  const double x[] = {random.multiplyAdds, brick.multiplyAdds};
  const double y[] = {random.entriesC, brick.entriesC};
  const double t[] = {comm.max(random.multiply), comm.max(brick.multiply)};
  const double ofTpetra[] = {comm.max(random.tpetra), comm.max(brick.tpetra)};
  const TwoRates trident = solveRates(x, y, t), tpetra = solveRates(x, y, ofTpetra);
  Work work;
  work.multiplyAdd = trident.first;
  work.resultEntry = trident.second;
  work.tpetraMultiplyAdd = tpetra.first;
  work.tpetraResultEntry = tpetra.second;
  // A counts twice, as A and as B.
  work.importEntry =
      comm.max(random.import + brick.import) / (2 * (random.entriesA + brick.entriesA));
  work.exportEntry = comm.max(random.export_ + brick.export_) / (random.entriesC + brick.entriesC);
  return work;
}

}  // namespace

TwoRates solveRates(const double x[2], const double y[2], const double t[2]) {
  const double determinant = x[0] * y[1] - x[1] * y[0], sum = t[0] + t[1];
  TwoRates rates{(t[0] * y[1] - t[1] * y[0]) / determinant,
                 (x[0] * t[1] - x[1] * t[0]) / determinant};
  if (!(rates.first >= 0)) rates = {0, sum / (y[0] + y[1])};
  if (!(rates.second >= 0)) rates = {sum / (x[0] + x[1]), 0};
  return rates;
}

void calibrate(const std::string& path, const Teuchos::RCP<const comm_type>& teuchosComm) {
  const Comm comm(*teuchosComm);
  const Impl::NodeLayout& layout = Impl::Context::of(Impl::rawComm(*teuchosComm)).layout(0);
  const int size = layout.nodeSize, me = layout.gridRank[comm.rank()], node = me / size;
  const auto nodeComm = teuchosComm->split(node, me);
  Machine machine;
  machine.name = "as measured by --calibrate";
  machine.ranksPerNode = size;
  machine.work = workOf(nodeComm, comm);
  const auto neighbour = [&](int first, int count, int step, int shift) {
    return layout.commRank[first + ((me - first) / step + shift + count) % count * step +
                           (me - first) % step];
  };
  const MessageRates inside(comm, neighbour(node * size, size, 1, 1),
                            neighbour(node * size, size, 1, -1));
  machine.insideBytesPerSecond = inside.bytesPerSecond;
  machine.insideLatency = inside.latency;
  machine.messageSeconds = inside.messageSeconds;
  machine.betweenBytesPerSecond = inside.bytesPerSecond * size;
  machine.betweenLatency = inside.latency;
  if (layout.nodes() > 1) {
    const int nodes = comm.size() / size;
    const MessageRates between(comm, neighbour(0, nodes, size, 1), neighbour(0, nodes, size, -1));
    machine.betweenBytesPerSecond = between.bytesPerSecond * size;
    machine.betweenLatency = between.latency;
    machine.messageSeconds = between.messageSeconds;
  }
  collectively(comm, [&] {
    if (comm.rank() != 0) return;
    std::ofstream file(path);
    file << machineText(machine, "measured by Trident_Predict.exe --calibrate on " +
                                     std::to_string(comm.size()) + " ranks in nodes of " +
                                     std::to_string(size))
         << std::flush;
    if (!file) throw MatrixError(path + " cannot be written; is the path right?");
  });
}

}  // namespace Predict
}  // namespace Trident
