// SPDX-License-Identifier: BSD-3-Clause
#include "TridentPredict_Seconds.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "exchange/Trident_RingExchange.hpp"

namespace Trident {
namespace Predict {
namespace {

constexpr double entryBytes = sizeof(int) + sizeof(Problems::scalar_type);
constexpr double rowBytes = sizeof(std::size_t);

/// The load of the links by one part's messages.
struct Load {
  std::vector<double> in, out;  ///< bytes of each node's port
  double inside = 0;            ///< bytes of the rank that has most with ranks of its node
  double posting = 0;           ///< messages of the busiest rank
  bool between = false, within = false;

  Load(const Case& which, const RankTraffic& traffic, Traffic TrafficByPart::*part) {
    const auto number = [](auto count) { return static_cast<double>(count); };
    for (int first = 0; first < traffic.ranks(); first += which.nodeSize) {
      in.push_back(0);
      out.push_back(0);
      for (int rank = first; rank < std::min(first + which.nodeSize, traffic.ranks()); ++rank) {
        const Traffic &received = traffic.received[rank].*part, &sent = traffic.sent[rank].*part;
        in.back() += number(received.internodeBytes);
        out.back() += number(sent.internodeBytes);
        inside = std::max(inside, number(std::max(received.intranodeBytes, sent.intranodeBytes)));
        posting = std::max(posting, number(received.internodeMessages + received.intranodeMessages +
                                           sent.internodeMessages + sent.intranodeMessages));
        between = between || received.internodeMessages > 0;
        within = within || received.intranodeMessages > 0;
      }
    }
  }
};

double largest(const std::vector<double>& values) {
  return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

/// Returns the seconds until a port has carried these bytes, or the busiest rank its own inside a
/// node, whichever takes longer. Added are the way of the first message and the posting of all.
double carry(double portBytes, const Load& load, const Machine& machine) {
  return std::max(portBytes / machine.betweenBytesPerSecond,
                  load.inside / machine.insideBytesPerSecond) +
         load.posting * machine.messageSeconds + (load.between ? machine.betweenLatency : 0) +
         (load.within ? machine.insideLatency : 0);
}

/// Returns the seconds of one part's traffic, to the end of it everywhere.
double travel(const Case& which, const RankTraffic& traffic, Traffic TrafficByPart::*part,
              const Machine& machine) {
  const Load load(which, traffic, part);
  return carry(std::max(largest(load.in), largest(load.out)), load, machine);
}

/// Returns for each node the seconds until it has the slices: its port has received them, and the
/// other nodes have sent theirs. What it still has to send does not keep it from multiplying.
std::vector<double> arrivals(const Case& which, const RankTraffic& traffic,
                             const Machine& machine) {
  const Load load(which, traffic, &TrafficByPart::rounds);
  std::vector<double> seconds;
  for (std::size_t node = 0; node < load.in.size(); ++node) {
    double bytes = load.in[node];
    for (std::size_t other = 0; other < load.out.size(); ++other)
      if (other != node) bytes = std::max(bytes, load.out[other]);
    seconds.push_back(carry(bytes, load, machine));
  }
  return seconds;
}

/// Counts the slices for which a ring waits beyond those that its last member receives. Members
/// pass slices on in the order of rounds, and in chunks. With m members that own k slices of n
/// chunks each, the last slice leaves its owner behind all others, and then goes from member to
/// member: together k + (2m - 3)/n. Two members pass nothing on.
double ringWaits(int members, int segments, double chunks) {
  return members > 2 ? segments / members + (2 * members - 3) / chunks : 0;
}

/// Returns the seconds of SUMMA's rounds: until the ports are done, and what the rings wait.
double ringSeconds(const Case& which, const RankTraffic& ring, const Machine& machine) {
  constexpr double chunk = Impl::RingExchange::usualChunk;
  double bytes = 0, messages = 0, inside = 0;
  for (const TrafficByPart& rank : ring.received) {
    bytes += static_cast<double>(rank.rounds.internodeBytes + rank.rounds.intranodeBytes);
    messages += static_cast<double>(rank.rounds.internodeMessages + rank.rounds.intranodeMessages);
    inside += static_cast<double>(rank.rounds.intranodeBytes);
  }
  if (messages == 0) return 0;
  const auto& shape = which.shape;
  const int segments = shape.segments();
  const double chunks = std::max(1.0, std::ceil(bytes / messages / chunk));
  const double waits =
      ringWaits(shape.nodeCols, segments, chunks) + ringWaits(shape.nodeRows, segments, chunks);
  // A member receives the slices that it does not own.
  const double received = 2 * segments - segments / shape.nodeCols - segments / shape.nodeRows;
  const Load load(which, ring, &TrafficByPart::rounds);
  double between = 0;
  for (const double node : load.in) between += node;
  const double slice = load.between
                           ? between / load.in.size() / received / machine.betweenBytesPerSecond
                           : inside / ring.ranks() / received / machine.insideBytesPerSecond;
  return travel(which, ring, &TrafficByPart::rounds, machine) + waits * slice +
         std::max(shape.nodeCols, shape.nodeRows) *
             (load.between ? machine.betweenLatency : machine.insideLatency);
}

/// Returns the seconds for all ranks to agree: a tree of messages, inside nodes and between them.
double agreement(const Case& which, const Machine& machine) {
  const double nodes = which.shape.ranks() / static_cast<double>(which.nodeSize);
  return std::ceil(std::log2(std::max(nodes, 1.0))) * machine.betweenLatency +
         std::ceil(std::log2(which.nodeSize)) * machine.insideLatency;
}

template <class Pick>
double most(const Counted& counted, const Pick& pick) {
  double most = 0;
  for (const RankLoad& load : counted.loads) most = std::max(most, pick(load));
  return most;
}

PredictedSeconds tpetraSeconds(const Case& which, const Counted& counted, const Machine& machine) {
  const Work& work = machine.work;
  PredictedSeconds seconds;
  // Importers are made by asking, and rows travel after their lengths.
  seconds.import =
      travel(which, counted.wire, &TrafficByPart::import, machine) + 4 * agreement(which, machine);
  seconds.setup = machine.callSeconds;
  seconds.localMultiply = most(counted, [&](const RankLoad& load) {
    return load.multiplyAdds * work.tpetraMultiplyAdd + load.entriesC * work.tpetraResultEntry;
  });
  return seconds;
}

/// The parts of a rank's product on the grid.
struct OnGrid {
  double exchange = 0, gather = 0, localMultiply = 0;
  double total() const { return exchange + gather + localMultiply; }
};

double gatherSeconds(const Case& which, const RankLoad& load, const Machine& machine) {
  const double lambda = which.shape.lambda;
  if (machine.sharedTiles)
    return lambda > 1 ? load.tileEntries / lambda * machine.work.importEntry : 0;
  const double bytes = load.tileEntries * entryBytes + load.tileRows * rowBytes;
  return bytes * (lambda - 1) / lambda / machine.insideBytesPerSecond;
}

/// Returns the seconds of the rank that ends last: one that multiplies much may have its slices
/// early.
OnGrid slowestOnGrid(const Case& which, const Counted& counted, const Machine& machine) {
  const bool ring = which.algorithm == "summa";
  const std::vector<double> arrived =
      ring ? std::vector<double>{ringSeconds(which, counted.wire, machine)}
           : arrivals(which, counted.traffic, machine);
  OnGrid slowest;
  for (std::size_t rank = 0; rank < counted.loads.size(); ++rank) {
    const RankLoad& load = counted.loads[rank];
    OnGrid here;
    here.exchange = arrived[ring ? 0 : rank / which.nodeSize];
    here.gather = gatherSeconds(which, load, machine);
    here.localMultiply =
        load.multiplyAdds * machine.work.multiplyAdd + load.entriesC * machine.work.resultEntry;
    if (here.total() > slowest.total()) slowest = here;
  }
  return slowest;
}

}  // namespace

PredictedSeconds predictSeconds(const Case& which, const Counted& counted, const Machine& machine) {
  if (which.algorithm == "tpetra") return tpetraSeconds(which, counted, machine);
  const Work& work = machine.work;
  const double agree = agreement(which, machine);
  const auto part = [&](Traffic TrafficByPart::*of) {
    return travel(which, counted.traffic, of, machine);
  };
  PredictedSeconds seconds;
  seconds.import = part(&TrafficByPart::import) + agree + most(counted, [&](const RankLoad& load) {
                     return (load.entriesA + load.entriesB) * work.importEntry;
                   });
  seconds.setup =
      part(&TrafficByPart::setup) + (counted.weighed ? 6 : 3) * agree + machine.callSeconds;
  const OnGrid slowest = slowestOnGrid(which, counted, machine);
  seconds.exchange = slowest.exchange;
  seconds.gather = slowest.gather;
  seconds.localMultiply = slowest.localMultiply;
  seconds.export_ =
      part(&TrafficByPart::export_) + 2 * agree +
      most(counted, [&](const RankLoad& load) { return load.entriesC * work.exportEntry; });
  return seconds;
}

double largestMemory(const Case& which, const Counted& counted, const Machine& machine) {
  const bool tpetra = which.algorithm == "tpetra";
  // Where rows change their ranks, operands and C stand twice: as Tpetra's and on the grid.
  const bool moves = !tpetra && which.shape.nodeCols > 1;
  const double sharers = machine.sharedTiles && !tpetra ? which.shape.lambda : 1;
  double largest = 0;
  for (int rank = 0; rank < counted.traffic.ranks(); ++rank) {
    const RankLoad& load = counted.loads[rank];
    const Traffic& landed = counted.traffic.received[rank].rounds;
    const double tile = load.tileEntries * entryBytes + load.tileRows * rowBytes;
    const double bytes =
        (load.entriesA + load.entriesB + load.entriesC) * entryBytes * (moves ? 2 : 1) +
        tile / sharers + static_cast<double>(landed.internodeBytes) +
        static_cast<double>(landed.intranodeBytes);
    largest = std::max(largest, bytes);
  }
  return largest;
}

}  // namespace Predict
}  // namespace Trident
