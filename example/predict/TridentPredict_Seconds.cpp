// SPDX-License-Identifier: BSD-3-Clause
#include "TridentPredict_Seconds.hpp"

#include <algorithm>
#include <cmath>

namespace Trident {
namespace Predict {
namespace {

constexpr double entryBytes = sizeof(int) + sizeof(Problems::scalar_type);
constexpr double rowBytes = sizeof(std::size_t);

/// Seconds of one part's traffic: the fullest port of a node, or the busiest rank, whichever takes
/// longer; and the way of the first message and the posting of all.
double travel(const Case& which, const RankTraffic& traffic, Traffic TrafficByPart::*part,
              const Machine& machine) {
  double port = 0, inside = 0, posting = 0;
  bool between = false, within = false;
  for (int first = 0; first < traffic.ranks(); first += which.nodeSize) {
    double in = 0, out = 0;
    for (int rank = first; rank < std::min(first + which.nodeSize, traffic.ranks()); ++rank) {
      const Traffic &received = traffic.received[rank].*part, &sent = traffic.sent[rank].*part;
      in += static_cast<double>(received.internodeBytes);
      out += static_cast<double>(sent.internodeBytes);
      inside = std::max(
          inside, static_cast<double>(std::max(received.intranodeBytes, sent.intranodeBytes)));
      posting = std::max(
          posting, static_cast<double>(received.internodeMessages + received.intranodeMessages +
                                       sent.internodeMessages + sent.intranodeMessages));
      between = between || received.internodeMessages > 0;
      within = within || received.intranodeMessages > 0;
    }
    port = std::max({port, in, out});
  }
  return std::max(port / machine.betweenBytesPerSecond, inside / machine.insideBytesPerSecond) +
         posting * machine.messageSeconds + (between ? machine.betweenLatency : 0) +
         (within ? machine.insideLatency : 0);
}

/// Seconds of SUMMA's rounds. Slices go round in pieces, and a rank sends its own behind those that
/// it passes on: a line of slices of n pieces takes (1 + 2/n) times as long as its bytes do. That
/// is derived for one piece and measured for two (doc/predicting.md).
double ringSeconds(const Case& which, const RankTraffic& ring, const Machine& machine) {
  constexpr double piece = 1 << 17;  // of RingExchange
  double bytes = 0, slices = 0;
  for (const TrafficByPart& rank : ring.received) {
    bytes += static_cast<double>(rank.rounds.internodeBytes + rank.rounds.intranodeBytes);
    slices += static_cast<double>(rank.rounds.internodeMessages + rank.rounds.intranodeMessages);
  }
  if (slices == 0) return 0;
  const double pieces = std::ceil(bytes / slices / piece);
  return travel(which, ring, &TrafficByPart::rounds, machine) * (1 + 2 / std::max(pieces, 1.0)) +
         which.shape.segments() * machine.betweenLatency;
}

/// Seconds for all ranks to agree: a tree of messages, inside nodes and between them.
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
  seconds.exchange = which.algorithm == "summa" ? ringSeconds(which, counted.wire, machine)
                                                : part(&TrafficByPart::rounds);
  if (which.shape.lambda > 1)
    seconds.gather = most(counted, [&](const RankLoad& load) {
      const double bytes = load.tileEntries * entryBytes + load.tileRows * rowBytes;
      const double others = which.shape.lambda - 1.0;
      return machine.sharedTiles
                 ? load.tileEntries / which.shape.lambda * work.importEntry
                 : bytes * others / which.shape.lambda / machine.insideBytesPerSecond;
    });
  seconds.localMultiply = most(counted, [&](const RankLoad& load) {
    return load.multiplyAdds * work.multiplyAdd + load.entriesC * work.resultEntry;
  });
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
