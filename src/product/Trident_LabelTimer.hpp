// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_LABELTIMER_HPP
#define TRIDENT_LABELTIMER_HPP

#include <Teuchos_RCP.hpp>
#include <Teuchos_TimeMonitor.hpp>
#include <string>

#include "base/Trident_Threads.hpp"

namespace Trident::Impl {

/// Times a call under the caller's label, "Trident <label>: <call>", while it lives; nothing
/// without a label, or for a thread that may not be inside.
class LabelTimer {
 public:
  LabelTimer(const std::string& label, const std::string& call) {
    if (!label.empty() && !ThreadInside::refused())
      monitor_ = Teuchos::rcp(new Teuchos::TimeMonitor(
          *Teuchos::TimeMonitor::getNewCounter("Trident " + label + ": " + call)));
  }

 private:
  Teuchos::RCP<Teuchos::TimeMonitor> monitor_;
};

}  // namespace Trident::Impl

#endif
