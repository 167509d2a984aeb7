// SPDX-License-Identifier: BSD-3-Clause
// Which exchange a grid uses, and its making.
#include <Kokkos_Core.hpp>
#include <utility>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_MpiCheck.hpp"
#include "exchange/Trident_GridTransport.hpp"
#include "exchange/Trident_NcclExchange.hpp"
#include "exchange/Trident_PrefetchExchange.hpp"
#include "exchange/Trident_RequestQueueExchange.hpp"
#include "exchange/Trident_RingExchange.hpp"
#include "transport/Trident_Gpu.hpp"
#include "transport/Trident_ServingThread.hpp"

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

/// Empty where several threads of a process may call MPI.
std::string whyNoThreads() {
  int level = MPI_THREAD_SINGLE;
  TRIDENT_MPI_CHECK(MPI_Query_thread(&level));
  if (level == MPI_THREAD_MULTIPLE) return "";
  return std::string("MPI runs with ") + threadLevelName(level) +
         " only (Trident::ScopeGuard asks for MPI_THREAD_MULTIPLE)";
}

}  // namespace

ExchangeChoice GridTransport::chooseExchange(const RoundOptions& options, MemoryKind matrices) {
  const bool summa = grid_.shape().order == RoundOrder::Summa;
  const ExchangeKind asked = options.exchange;
  if (asked == ExchangeKind::Ring && !summa)
    throw Error(
        "\"exchange\" = \"ring\" is for \"algorithm\" = \"summa\"; use \"auto\", "
        "\"request-queue\" or \"prefetch\"");
  if (grid_.shape().nodes() == 1) return {asked, "one node: nothing travels"};
  if (asked == ExchangeKind::Nccl) return chooseNccl(matrices);
  if (asked == ExchangeKind::Ring) return {asked, "asked for"};
  if (asked == ExchangeKind::Auto && summa) return {ExchangeKind::Ring, "SUMMA broadcasts slices"};
  return choosePointToPoint(asked);
}

ExchangeChoice GridTransport::choosePointToPoint(ExchangeKind kind) {
  if (kind == ExchangeKind::Prefetch) return {kind, "asked for"};
  std::string why = whyNoThreads();
  if (why.empty() && kind == ExchangeKind::Auto && !hasSpareCores())
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
bool GridTransport::hasSpareCores() {
  const auto found = [&] {
    const int threads =
        Kokkos::is_initialized() ? Kokkos::DefaultHostExecutionSpace().concurrency() : 1;
    return haveSpareCores(grid_, threads);
  };
  if (!spareCores_) spareCores_ = wrappers_.spareCores ? wrappers_.spareCores(grid_) : found();
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

SliceExchange& GridTransport::exchange(Factor factor, ExchangeKind kind, int prefetchDepth) {
  if (LineSchedule(grid_.shape(), grid_.me(), factor).members() == 1) return none_;
  if (kind == ExchangeKind::Nccl) lineNccl(factor);  // it may have to be made anew
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
    case ExchangeKind::RequestQueue:
      return makeRequestQueue(factor, line);
    case ExchangeKind::Nccl:
      return makeNcclExchange(factor, line);
    case ExchangeKind::Ring:
      return std::make_unique<RingExchange>(makeLine(factor), line);
    default:
      return std::make_unique<PrefetchExchange>(makeLine(factor), line, sendAhead);
  }
}

/// With its thread, on all ranks or on none.
std::unique_ptr<SliceExchange> GridTransport::makeRequestQueue(Factor factor,
                                                               const LineSchedule& line) {
  auto made = std::make_unique<RequestQueueExchange>(makeLine(factor), makeCounters(factor), line,
                                                     deviceOfThisThread());
  runEverywhere(grid_.comm(), [&] { made->start(); });
  return made;
}

/// It takes device memory for marks, on all ranks or on none.
std::unique_ptr<SliceExchange> GridTransport::makeNcclExchange(Factor factor,
                                                               const LineSchedule& line) {
  std::unique_ptr<SliceExchange> made;
  runEverywhere(grid_.comm(), [&] {
    made = std::make_unique<NcclExchange>(*lineNccl_[factor], line, grid_.internodeOnLine(factor));
  });
  return made;
}

/// Makes the communicator of the line where there is none that works. Collective over the grid.
void GridTransport::lineNccl(Factor factor) {
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
