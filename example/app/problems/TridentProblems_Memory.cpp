// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_Memory.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>

namespace Trident {
namespace Problems {
namespace {

struct Meter {
  std::atomic<std::int64_t> allocated{0}, highest{0};

  void add(std::int64_t size) {
    const std::int64_t now = allocated += size;
    std::int64_t before = highest;
    while (now > before && !highest.compare_exchange_weak(before, now)) {
    }
  }
};

Meter all, device;
Kokkos::Tools::Experimental::EventSet before;  // a profiling tool's, which hears of memory too

/// Returns true if a space is a device's, by its name: "Cuda", "HIP", and not "Host" or
/// "CudaHostPinned".
bool onDevice(const Kokkos_Profiling_SpaceHandle& space) {
  return std::strstr(space.name, "Host") == nullptr;
}

void onAllocate(Kokkos_Profiling_SpaceHandle space, const char* label, const void* memory,
                const std::uint64_t size) {
  if (before.allocate_data) before.allocate_data(space, label, memory, size);
  all.add(static_cast<std::int64_t>(size));
  if (onDevice(space)) device.add(static_cast<std::int64_t>(size));
}

void onDeallocate(Kokkos_Profiling_SpaceHandle space, const char* label, const void* memory,
                  const std::uint64_t size) {
  if (before.deallocate_data) before.deallocate_data(space, label, memory, size);
  all.allocated -= static_cast<std::int64_t>(size);
  if (onDevice(space)) device.allocated -= static_cast<std::int64_t>(size);
}

/// Reads a line of /proc/self/status, which counts in KiB; returns 0 if there is none.
double statusBytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.compare(0, key.size() + 1, key + ":") == 0)
      return 1024.0 * std::stod(line.substr(key.size() + 1));
  return 0;
}

}  // namespace

MemoryMeter::MemoryMeter() : residentBefore_(statusBytes("VmRSS")) {
  std::ofstream("/proc/self/clear_refs") << "5";  // VmHWM starts anew from the present size
  for (Meter* meter : {&all, &device}) meter->allocated = meter->highest = 0;
  before = Kokkos::Tools::Experimental::get_callbacks();
  Kokkos::Tools::Experimental::set_allocate_data_callback(onAllocate);
  Kokkos::Tools::Experimental::set_deallocate_data_callback(onDeallocate);
}

MemoryMeter::~MemoryMeter() {
  Kokkos::Tools::Experimental::set_allocate_data_callback(before.allocate_data);
  Kokkos::Tools::Experimental::set_deallocate_data_callback(before.deallocate_data);
}

double MemoryMeter::allocatedPeak() const { return static_cast<double>(all.highest.load()); }

double MemoryMeter::devicePeak() const { return static_cast<double>(device.highest.load()); }

double MemoryMeter::deviceNow() const { return static_cast<double>(device.allocated.load()); }

double MemoryMeter::residentPeak() const {
  return std::max(0.0, statusBytes("VmHWM") - residentBefore_);
}

double peakResidentBytes() { return statusBytes("VmHWM"); }

double residentBytes() { return statusBytes("VmRSS"); }

double sharedResidentBytes() { return statusBytes("RssShmem"); }

}  // namespace Problems
}  // namespace Trident
