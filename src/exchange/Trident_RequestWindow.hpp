// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_REQUESTWINDOW_HPP
#define TRIDENT_REQUESTWINDOW_HPP

#include <memory>

#include "Trident_Line.hpp"
#include "Trident_ProcessGrid.hpp"
#include "Trident_Window.hpp"

namespace Trident {

/// The paper's request queues in one MPI window of the grid: a 64-bit slot for each member of a
/// rank's two lines. One window and not one per line, because Open MPI 4.1 mixes up the memory of
/// windows on disjoint communicators of one host (osc/rdma names it by job and context alone).
class RequestWindow {
 public:
  /// Collective over the grid; throws on every rank where a window cannot be made.
  explicit RequestWindow(const ProcessGrid& grid);

  /// The counters of the line of `factor`; the window must outlive them. Local.
  std::unique_ptr<RequestCounters> counters(Factor factor);

 private:
  const ProcessGrid& grid_;
  Window window_;
};

}  // namespace Trident

#endif
