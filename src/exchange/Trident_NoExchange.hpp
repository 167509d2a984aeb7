// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NOEXCHANGE_HPP
#define TRIDENT_NOEXCHANGE_HPP

#include "exchange/Trident_SliceExchange.hpp"

namespace Trident::Impl {

/// The exchange of a grid with one node: every rank has its slices, nothing is requested, and no
/// communicator, window or thread is made.
class NoExchange : public SliceExchange {
 public:
  const char* name() const override { return "none"; }
  void begin(const LineSlices&) override {}
  void request(int, void*, Traffic&) override {}
  bool landed(int) override { return true; }
  bool wait(int) override { return true; }
  void progress() override {}
  bool needsProgress() const override { return false; }
  void markFailed() override {}
  void end() override {}
};

}  // namespace Trident::Impl

#endif
