// SPDX-License-Identifier: BSD-3-Clause
#include "TridentDriver_Progress.hpp"

#include <unistd.h>

#include <Kokkos_Core.hpp>
#include <chrono>
#include <cstdio>
#include <cstring>

namespace Trident {
namespace Driver {
namespace {

bool showing = false;
double pause = 0, spoken = 0;  // seconds between lines, and when the last was, since the beginning
std::chrono::steady_clock::time_point started;

Kokkos::Tools::Experimental::EventSet before;  // a profiling tool's, which hears of regions too

void onRegion(const char* name) {
  if (before.push_region) before.push_region(name);
  if (std::strncmp(name, "Trident: ", 9) == 0) Progress::say(name);
}

}  // namespace

Progress::Progress(bool show, double every) {
  showing = show;
  pause = every;
  spoken = 0;
  started = std::chrono::steady_clock::now();
  if (!showing) return;
  before = Kokkos::Tools::Experimental::get_callbacks();
  Kokkos::Tools::Experimental::set_push_region_callback(onRegion);
}

Progress::~Progress() {
  if (showing) Kokkos::Tools::Experimental::set_push_region_callback(before.push_region);
  showing = false;
}

void Progress::say(const std::string& step) {
  if (!showing) return;
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  if (seconds <= 2 || (spoken > 0 && seconds < spoken + pause)) return;
  spoken = seconds;
  std::fprintf(stderr, "%7.1f s  %s\n", seconds, step.c_str());
}

bool onTerminal() { return isatty(STDERR_FILENO) == 1; }

}  // namespace Driver
}  // namespace Trident
