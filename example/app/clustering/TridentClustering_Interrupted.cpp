// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_Interrupted.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>

namespace Trident {
namespace Clustering {

namespace {

constexpr int signalsToEnd[] = {SIGINT, SIGTERM};

// A handler uses these alone: it must not take memory.
struct InterruptedState {
  char withCheckpoint[1024], without[256], newCheckpoint[1024];
  volatile std::sig_atomic_t isThere;
  struct sigaction before[2];
};
InterruptedState state;

/// Says the line, and ends the process as the signal would have.
void sayAndEnd(int signal) {
  // A new file may be there already when checkpointIsThere() is not called yet.
  const bool isThere =
      state.isThere || (state.newCheckpoint[0] != '\0' && access(state.newCheckpoint, F_OK) == 0);
  const char* const text = isThere ? state.withCheckpoint : state.without;
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) {
    // Nobody reads it.
  }
  std::signal(signal, SIG_DFL);
  raise(signal);
}

template <std::size_t size>
void keep(char (&to)[size], const std::string& text) {
  const std::size_t length = std::min(text.size(), size - 2);
  std::copy_n(text.data(), length, to);
  to[length] = '\n';
  to[length + 1] = '\0';
}

}  // namespace

std::string interruptedLine(const std::string& checkpoint, bool isThere) {
  if (isThere)
    return "interrupted: the same call with --resume goes on behind the last checkpoint, in " +
           checkpoint;
  return checkpoint.empty() ? "interrupted: the same call begins anew; with --checkpoint=FILE it "
                              "could go on, by --resume"
                            : "interrupted before the first checkpoint: the same call begins anew";
}

InterruptedLine::InterruptedLine(const std::string& checkpoint, bool isThere) {
  keep(state.withCheckpoint, interruptedLine(checkpoint, true));
  keep(state.without, interruptedLine(checkpoint, false));
  state.isThere = isThere ? 1 : 0;
  state.newCheckpoint[0] = '\0';
  if (!checkpoint.empty() && checkpoint.size() < sizeof state.newCheckpoint &&
      access(checkpoint.c_str(), F_OK) != 0)
    std::strcpy(state.newCheckpoint, checkpoint.c_str());
  for (int n = 0; n < 2; ++n) {
    struct sigaction action = {};
    action.sa_handler = sayAndEnd;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_NODEFER;  // the signal ends the process inside of its handler
    sigaction(signalsToEnd[n], &action, &state.before[n]);
    // Who has it ignored, as nohup does, goes on having it so.
    if (state.before[n].sa_handler == SIG_IGN)
      sigaction(signalsToEnd[n], &state.before[n], nullptr);
  }
}

InterruptedLine::~InterruptedLine() {
  for (int n = 0; n < 2; ++n) sigaction(signalsToEnd[n], &state.before[n], nullptr);
}

void InterruptedLine::checkpointIsThere() { state.isThere = 1; }

}  // namespace Clustering
}  // namespace Trident
