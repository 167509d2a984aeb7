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

  /// The most that Kokkos had allocated at one time, beyond the start.
  double allocatedPeak() const;
  /// The same in the memory of devices alone; 0 where they use the host's.
  double devicePeak() const;
  /// What Kokkos has allocated there now, beyond the start.
  double deviceNow() const;
  /// The most that was resident, beyond the start; pages of shared tiles count for each rank
  /// that touched them.
  double residentPeak() const;

 private:
  double residentBefore_;
};

/// Highest resident size of this process so far.
double peakResidentBytes();

/// Resident size of this process now.
double residentBytes();

/// Resident bytes that are shared with other processes.
double sharedResidentBytes();

}  // namespace Problems
}  // namespace Trident

#endif
