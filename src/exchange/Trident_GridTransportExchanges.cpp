// SPDX-License-Identifier: BSD-3-Clause
// Which exchange a grid uses, and its making.
#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Mpi.hpp"
#include "exchange/Trident_GridTransport.hpp"
#include "exchange/Trident_IbcastExchange.hpp"
#include "exchange/Trident_NcclExchange.hpp"
#include "exchange/Trident_NoExchange.hpp"
#include "exchange/Trident_PrefetchExchange.hpp"
#include "exchange/Trident_RequestQueueExchange.hpp"
#include "exchange/Trident_RingExchange.hpp"
#include "transport/Trident_GpuIdentity.hpp"

namespace Trident::Impl {
namespace {

const char* threadLevelName(int level) {
  switch (level) {
    case MPI_THREAD_SINGLE:
      return "MPI_THREAD_SINGLE";
    case MPI_THREAD_FUNNELED:
      return "MPI_THREAD_FUNNELED";
    case MPI_THREAD_SERIALIZED:
      return "MPI_THREAD_SERIALIZED";
    default:
      return "MPI_THREAD_MULTIPLE";
  }
}

bool isBroadcast(ExchangeKind kind) {
  return kind == ExchangeKind::Ibcast || kind == ExchangeKind::Ring;
}

/// One product's worth of broadcasts, one round ahead, as a product asks for them.
void broadcastAll(SliceExchange& exchange, const LineSchedule& line, const LineSlices& slices,
                  std::vector<char>* landings) {
  Traffic uncounted;
  const auto request = [&](int t) {
    if (t < line.rounds() && line.owner(line.segmentOfRound(t)) != line.me())
      exchange.request(t, landings[t % 2].data(), uncounted);
  };
  exchange.begin(slices);
  request(0);
  for (int t = 0; t < line.rounds(); ++t) {
    request(t + 1);
    exchange.wait(t);
  }
  exchange.end();
}

std::string milliseconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g ms", 1e3 * seconds);
  return text;
}

/// Empty where several threads of a process may call MPI.
std::string whyNoThreads() {
  int level = MPI_THREAD_SINGLE;
  TRIDENT_MPI_CHECK(MPI_Query_thread(&level));
  if (level == MPI_THREAD_MULTIPLE) return "";
  return std::string("MPI runs with ") + threadLevelName(level) +
         " only (Trident::ScopeGuard asks for MPI_THREAD_MULTIPLE)";
}

}  // namespace

ExchangeChoice GridTransport::chooseExchange(const RoundOptions& options, std::size_t sliceBytes,
                                             MemoryKind matrices) {
  const bool summa = grid_.shape().order == RoundOrder::Summa;
  if (isBroadcast(options.exchange) && !summa)
    throw Error(
        "\"exchange\" = \"ibcast\" or \"ring\" is for \"algorithm\" = \"summa\"; use "
        "\"auto\", \"request-queue\" or \"prefetch\"");
  if (grid_.shape().nodes() == 1) return {options.exchange, "one node: nothing travels"};
  if (options.exchange == ExchangeKind::Nccl) return chooseNccl(matrices);
  if (options.exchange == ExchangeKind::Auto && summa) return chooseBroadcast(sliceBytes);
  return isBroadcast(options.exchange) ? ExchangeChoice{options.exchange, "asked for"}
                                       : choosePointToPoint(options.exchange);
}

ExchangeChoice GridTransport::choosePointToPoint(ExchangeKind kind) {
  if (kind == ExchangeKind::Prefetch) return {kind, "asked for"};
  std::string why = whyNoThreads();
  if (why.empty() && kind == ExchangeKind::Auto && !sparesCores())
    why = "the cores are too few for a thread more of each rank";
  if (why.empty()) why = whyNoRequestQueue();
  if (kind == ExchangeKind::RequestQueue && !why.empty())
    throw Error("\"exchange\" = \"request-queue\" is not possible: " + why +
                "; use \"auto\" or \"prefetch\"");
  if (!why.empty()) return {ExchangeKind::Prefetch, why};
  return {ExchangeKind::RequestQueue,
          (kind == ExchangeKind::Auto ? "MPI_THREAD_MULTIPLE, requests by " : "asked for, by ") +
              std::string(requests_->name())};
}

ExchangeChoice GridTransport::chooseNccl(MemoryKind matrices) {
  const bool onDevice = matrices == MemoryKind::Device;
  if (onDevice && !gridNcclAsked_) {
    whyNoGridNccl_ = NcclCommunicator::whyNot(grid_.comm());
    gridNcclAsked_ = true;
  }
  const std::string why = onDevice ? whyNoGridNccl_ : "the matrices lie on hosts";
  if (!why.empty())
    throw Error("\"exchange\" = \"nccl\" is not possible: " + why +
                "; use \"auto\", \"request-queue\" or \"prefetch\"");
  return {ExchangeKind::Nccl, "asked for"};
}

/// Looked at once. Collective over the grid.
bool GridTransport::sparesCores() {
  if (!spareCores_) spareCores_ = wrappers_.spareCores(grid_);
  return *spareCores_;
}

/// Empty where the request queue works here, as far as threads may call MPI. Its slots and threads
/// are tried once. Collective over the grid.
std::string GridTransport::whyNoRequestQueue() {
  if (queueTried_) return whyNoQueue_;
  queueTried_ = true;
  try {
    requests_ = wrappers_.slots(grid_);
  } catch (const Error& e) {
    return whyNoQueue_ = std::string("no window can be had (") + e.problem() + ")";
  }
  try {
    for (Factor factor : {Factor::A, Factor::B}) exchange(factor, ExchangeKind::RequestQueue, 0);
  } catch (const Error& e) {
    for (Factor factor : {Factor::A, Factor::B})
      exchanges_.erase({factor, ExchangeKind::RequestQueue, 0});
    requests_.reset();
    whyNoQueue_ = std::string("its thread cannot be started (") + e.problem() + ")";
  }
  return whyNoQueue_;
}

ExchangeChoice GridTransport::chooseBroadcast(std::size_t sliceBytes) {
  unsigned long long largest = sliceBytes;
  allReduce(MPI_IN_PLACE, &largest, 1, MPI_UNSIGNED_LONG_LONG, MPI_MAX, grid_.comm(),
            "the largest slice");
  int bits = 0;
  while (bits < 18 && (1ull << bits) < largest) ++bits;  // pipelines are full at 256 KB
  const auto known = broadcasts_.find(bits);
  if (known != broadcasts_.end()) return known->second;
  const std::size_t bytes = std::size_t(1) << bits;
  const double ibcast = secondsOfBroadcasts(ExchangeKind::Ibcast, bytes);
  const double ring = secondsOfBroadcasts(ExchangeKind::Ring, bytes);
  ExchangeChoice choice{ring < ibcast ? ExchangeKind::Ring : ExchangeKind::Ibcast, ""};
  choice.reason = "slices of " + std::to_string(bytes) + " bytes take " + milliseconds(ring) +
                  " by a ring and " + milliseconds(ibcast) + " by MPI_Ibcast";
  return broadcasts_[bits] = choice;
}

/// The lesser of two, of the slowest rank, after one to warm up.
double GridTransport::secondsOfBroadcasts(ExchangeKind kind, std::size_t bytes) {
  std::vector<char> own, landings[2];
  runEverywhere(grid_.comm(), [&] {
    for (std::vector<char>* buffer : {&own, &landings[0], &landings[1]}) buffer->resize(bytes);
  });
  double least = 0;
  for (int repeat = 0; repeat < 3; ++repeat) {
    barrier(grid_.comm(), "all ranks to begin a broadcast");
    const double start = MPI_Wtime();
    for (Factor factor : {Factor::A, Factor::B}) {
      const LineSchedule line(grid_.shape(), grid_.me(), factor);
      if (line.members() == 1) continue;
      LineSlices slices;
      slices.bytes.assign(line.rounds(), bytes);
      slices.own.assign(line.ownSegments(), {own.data(), bytes});
      broadcastAll(exchange(factor, kind, 0), line, slices, landings);
    }
    double seconds = MPI_Wtime() - start;
    allReduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, grid_.comm(),
              "the slowest broadcast");
    least = repeat <= 1 ? seconds : std::min(least, seconds);
  }
  return least;
}

SliceExchange& GridTransport::exchange(Factor factor, ExchangeKind kind, int prefetchDepth) {
  if (grid_.shape().nodes() == 1) kind = ExchangeKind::Auto;  // stands for none here
  if (kind == ExchangeKind::Nccl) lineNccl(factor);           // it may have to be made anew
  // Only prefetch sends ahead. There is one request queue for a factor: its counts are the
  // window's.
  const int sendAhead = kind == ExchangeKind::Prefetch ? prefetchDepth : 0;
  auto& kept = exchanges_[{factor, kind, sendAhead}];
  if (!kept) kept = makeExchange(factor, kind, sendAhead);
  return *kept;
}

std::unique_ptr<SliceExchange> GridTransport::makeExchange(Factor factor, ExchangeKind kind,
                                                           int sendAhead) {
  const LineSchedule line(grid_.shape(), grid_.me(), factor);
  switch (kind) {
    case ExchangeKind::Auto:
      return std::make_unique<NoExchange>();
    case ExchangeKind::RequestQueue:
      return makeRequestQueue(factor, line);
    case ExchangeKind::Nccl:
      return makeNcclExchange(factor, line);
    case ExchangeKind::Ring:
      return std::make_unique<RingExchange>(makeLine(factor), line);
    case ExchangeKind::Ibcast:
      return std::make_unique<IbcastExchange>(makeLine(factor), grid_.line(factor), line);
    default:
      return std::make_unique<PrefetchExchange>(makeLine(factor), line, sendAhead);
  }
}

/// With its thread, on all ranks or on none.
std::unique_ptr<SliceExchange> GridTransport::makeRequestQueue(Factor factor,
                                                               const LineSchedule& line) {
  auto made = std::make_unique<RequestQueueExchange>(makeLine(factor), makeCounters(factor), line,
                                                     deviceOfThisThread());
  runEverywhere(grid_.comm(), [&] {
    if (line.members() > 1) made->start();
  });
  return made;
}

/// It takes device memory for marks, on all ranks or on none.
std::unique_ptr<SliceExchange> GridTransport::makeNcclExchange(Factor factor,
                                                               const LineSchedule& line) {
  std::unique_ptr<SliceExchange> made;
  runEverywhere(grid_.comm(), [&] {
    made = std::make_unique<NcclExchange>(lineNccl_[factor].get(), line,
                                          grid_.internodeOnLine(factor));
  });
  return made;
}

/// Makes the communicator of the line where there is none that works; a line of one member needs
/// none. Collective over the grid.
void GridTransport::lineNccl(Factor factor) {
  if (LineSchedule(grid_.shape(), grid_.me(), factor).members() == 1) return;
  auto& kept = lineNccl_[factor];
  if (!anyFailed(kept)) return;
  exchanges_.erase({factor, ExchangeKind::Nccl, 0});
  const std::string why = tryNccl(kept, grid_.line(factor));
  if (!why.empty()) throw Error(why);
}

std::unique_ptr<Line> GridTransport::makeLine(Factor factor) {
  auto line = makeMpiLine(grid_.line(factor), grid_.internodeOnLine(factor));
  return wrappers_.line ? wrappers_.line(std::move(line)) : std::move(line);
}

std::unique_ptr<RequestCounters> GridTransport::makeCounters(Factor factor) {
  std::unique_ptr<RequestCounters> counters = requests_->counters(factor);
  return wrappers_.counters ? wrappers_.counters(std::move(counters)) : std::move(counters);
}

}  // namespace Trident::Impl
