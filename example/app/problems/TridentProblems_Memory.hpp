// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_MEMORY_HPP
#define TRIDENTPROBLEMS_MEMORY_HPP

namespace Trident {
namespace Problems {

/// Memory of this process, in bytes, since the meter was made.
class MemoryMeter {
 public:
  /// Starts to count Kokkos allocations (one meter at a time) and resets the kernel's record of
  /// the highest resident size.
  MemoryMeter();
  ~MemoryMeter();
  MemoryMeter(const MemoryMeter&) = delete;
  MemoryMeter& operator=(const MemoryMeter&) = delete;

  /// Returns the most bytes that Kokkos had allocated at one time, beyond the start.
  double allocatedPeak() const;
  /// Returns the most bytes that Kokkos had allocated in the memory of devices alone, beyond the
  /// start; 0 if they use the host's.
  double devicePeak() const;
  /// Returns the bytes that Kokkos has allocated in the memory of devices now, beyond the start.
  double deviceNow() const;
  /// Returns the most bytes that were resident, beyond the start; pages of shared tiles count for
  /// each rank that touched them.
  double residentPeak() const;

 private:
  double residentBefore_;
};

/// Returns the highest resident size of this process so far.
double peakResidentBytes();

/// Returns the resident size of this process now.
double residentBytes();

/// Returns the resident bytes that are shared with other processes.
double sharedResidentBytes();

}  // namespace Problems
}  // namespace Trident

#endif
