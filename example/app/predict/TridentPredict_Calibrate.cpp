// SPDX-License-Identifier: BSD-3-Clause
#include "TridentPredict_Calibrate.hpp"

#include <mpi.h>

#include <Teuchos_DefaultMpiComm.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "TridentDriver_Run.hpp"
#include "TridentProblems_Comm.hpp"
#include "TridentProblems_ReadMatrix.hpp"
#include "TridentProblems_WriteText.hpp"
#include "exchange/Trident_Context.hpp"
#include "tpetra/Trident_TpetraCompat.hpp"

namespace Trident {
namespace Predict {
namespace {

using namespace Problems;

/// Returns the seconds of one of some repeated works, on the slowest rank; the median of several
/// tries.
double secondsOf(const Comm& comm, int repeats, const std::function<void()>& work) {
  constexpr int tries = 5;
  std::array<double, tries> seconds;
  work();  // warms up
  for (double& each : seconds) {
    checkMpi(MPI_Barrier(comm.get()), "MPI_Barrier");
    const double begin = MPI_Wtime();
    for (int r = 0; r < repeats; ++r) work();
    each = comm.max(MPI_Wtime() - begin) / repeats;
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[tries / 2];
}

/// Sends bytes to one rank and receives as many from another.
void pass(const Comm& comm, int to, int from, std::vector<char>& out, std::vector<char>& in) {
  checkMpi(
      MPI_Sendrecv(out.data(), static_cast<int>(out.size()), MPI_CHAR, to, 0, in.data(),
                   static_cast<int>(in.size()), MPI_CHAR, from, 0, comm.get(), MPI_STATUS_IGNORE),
      "MPI_Sendrecv");
}

/// Costs of messages to one rank and from another when all ranks send at once. Collective.
struct MessageRates {
  double bytesPerSecond = 0;  ///< rate of a rank
  double latency = 0;
  double messageSeconds = 0;

  MessageRates(const Comm& comm, int to, int from) {
    constexpr int large = 1 << 20, many = 64;
    std::vector<char> out(large), in(large), none, nothing;
    bytesPerSecond = large / secondsOf(comm, 1, [&] { pass(comm, to, from, out, in); });
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

/// Products of a node's ranks, by Trident and by Tpetra: seconds of the slowest rank of all, and
/// the most that a rank has and does.
struct Sample {
  double total = 0, import = 0, multiply = 0, export_ = 0, tpetra = 0;
  double multiplyAdds = 0, entriesA = 0, entriesC = 0;

  Sample(const std::string& A, const Teuchos::RCP<const comm_type>& node, const Comm& comm) {
    Driver::CommandLine line;
    line.A = A;
    line.warmup = 1;
    line.repeat = 3;
    const Driver::Problem problem = Driver::makeProblem(line, node);
    const Driver::Measurement trident = Driver::measure(line, problem);
    const auto phase = [&](Phase p) {
      return comm.max(trident.summary.seconds[static_cast<int>(p)].max);
    };
    total = comm.max(trident.summary.totalSeconds.max);
    import = phase(Phase::Import) + phase(Phase::Setup);
    multiply = phase(Phase::LocalMultiply);
    // Not what the phase took: ranks that were done early wait in it for the others.
    const double onGrid = comm.max(trident.summary.multiplySeconds.max);
    export_ = std::max(total - phase(Phase::Import) - onGrid, 0.0);
    multiplyAdds = comm.max(static_cast<double>(trident.report.multiplyAdds));
    entriesA = static_cast<double>(countEntries(*problem.A)) / node->getSize();
    entriesC = comm.max(static_cast<double>(trident.report.entriesC));
    line.algorithm = "tpetra";
    tpetra = comm.max(Driver::measure(line, problem).summary.totalSeconds.max);
  }
};

/// Returns the seconds beside the local products, by all samples together.
Work workBeside(const std::vector<Sample>& samples) {
  double import = 0, export_ = 0, entriesA = 0, entriesC = 0;
  for (const Sample& sample : samples) {
    import += sample.import;
    export_ += sample.export_;
    entriesA += sample.entriesA;
    entriesC += sample.entriesC;
  }
  Work work;
  work.importEntry = import / (2 * entriesA);  // A counts twice, as A and as B
  work.exportEntry = export_ / entriesC;
  return work;
}

/// Returns the seconds of work by one product: its multiply-adds stand for all of the local work.
Work workOf(const std::string& A, const Teuchos::RCP<const comm_type>& node, const Comm& comm) {
  const Sample sample(A, node, comm);
  Work work = workBeside({sample});
  work.multiplyAdd = sample.multiply / sample.multiplyAdds;
  work.tpetraMultiplyAdd = sample.tpetra / sample.multiplyAdds;
  return work;
}

/// Returns the seconds of work by two products, one of few multiply-adds for each entry of C and
/// one of many. They are about as large on a rank however many ranks there are.
Work workOfGenerated(const Teuchos::RCP<const comm_type>& node, const Comm& comm) {
  const double ranks = node->getSize();
  const auto rows = std::to_string(static_cast<int>(20000 * ranks));
  const auto side = std::to_string(static_cast<int>(20 * std::cbrt(ranks)));
  const std::vector<Sample> samples{{"er:n=" + rows + ",d=8", node, comm},
                                    {"brick3d:n=" + side, node, comm}};
  const double x[] = {samples[0].multiplyAdds, samples[1].multiplyAdds};
  const double y[] = {samples[0].entriesC, samples[1].entriesC};
  const double t[] = {samples[0].multiply, samples[1].multiply};
  const double ofTpetra[] = {samples[0].tpetra, samples[1].tpetra};
  const TwoRates trident = solveRates(x, y, t), tpetra = solveRates(x, y, ofTpetra);
  Work work = workBeside(samples);
  work.multiplyAdd = trident.first;
  work.resultEntry = trident.second;
  work.tpetraMultiplyAdd = tpetra.first;
  work.tpetraResultEntry = tpetra.second;
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

void calibrate(const std::string& path, const std::string& A,
               const Teuchos::RCP<const comm_type>& teuchosComm) {
  const Comm comm(*teuchosComm);
  requireWritable({path}, comm);
  const Impl::NodeLayout& layout = Impl::Context::of(Impl::rawComm(*teuchosComm)).layout(0);
  const int size = layout.nodeSize, me = layout.gridRank[comm.rank()], node = me / size;
  const auto nodeComm = teuchosComm->split(node, me);
  Machine machine;
  machine.name = "as measured by --calibrate";
  machine.ranksPerNode = size;
  machine.work = A.empty() ? workOfGenerated(nodeComm, comm) : workOf(A, nodeComm, comm);
  machine.callSeconds = Sample("er:n=64,d=2", nodeComm, comm).total;
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
  const std::string source = "measured by Trident_Predict.exe --calibrate on " +
                             std::to_string(comm.size()) + " ranks in nodes of " +
                             std::to_string(size) +
                             (A.empty() ? "" : ", of " + A + " times itself");
  writeText(path, comm.rank() == 0 ? machineText(machine, source) : std::string(), comm);
}

}  // namespace Predict
}  // namespace Trident
