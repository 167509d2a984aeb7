// SPDX-License-Identifier: BSD-3-Clause
// Memory that runs out when a test wants it to, by a Kokkos callback.
#ifndef TRIDENT_FAILINGALLOCATION_HPP
#define TRIDENT_FAILINGALLOCATION_HPP

#include <Kokkos_Core.hpp>
#include <cstring>
#include <exception>
#include <string>

namespace Trident::Impl {
namespace TestTools {

/// The exception it throws: not what Kokkos throws, after which Trident gives up kept memory and
/// tries again.
struct InjectedFailure : std::exception {
  const char* what() const noexcept override { return "injected failure"; }
};

/// Fails one allocation of this rank while it lives; one at a time.
class FailingAllocation {
 public:
  static constexpr int never = -1;

  /// @param number allocations that succeed before the one that fails
  /// @param prefix only those whose label begins so count
  explicit FailingAllocation(int number, const char* prefix = "") {
    left() = number;
    counted() = prefix;
    label().clear();
    Kokkos::Tools::Experimental::set_allocate_data_callback(count);
  }
  ~FailingAllocation() {
    left() = never;
    Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr);
  }
  FailingAllocation(const FailingAllocation&) = delete;
  FailingAllocation& operator=(const FailingAllocation&) = delete;

  /// Returns the label of the allocation that the last object failed; an empty text if none.
  static std::string& label() {
    static std::string label;
    return label;
  }
  /// Returns, from now on, how many allocations succeed before the one that fails.
  static int& left() {
    static int left = never;
    return left;
  }

 private:
  static const char*& counted() {
    static const char* prefix = "";
    return prefix;
  }
  static bool begins(const char* name, const char* prefix) {
    return std::strncmp(name, prefix, std::strlen(prefix)) == 0;
  }
  static void count(Kokkos::Tools::SpaceHandle, const char* name, const void*, std::uint64_t) {
    // Kokkos' own scratch memory is no view of ours: where its allocation throws, Kokkos 3.4 keeps
    // a pointer to what it has freed before, and in a launch it counts no references any more.
    if (begins(name, "Kokkos::") || begins(name, "CudaSpace::")) return;
    // Where NCCL's first transfer lacks memory, products take another way, and none fails.
    if (begins(name, "Trident::connect")) return;
    // Host copies of what a device has: most are Tpetra's own, of what C takes over.
    if (std::string(name).find("_mirror") != std::string::npos) return;
    // How many pinned blocks a product makes depends on those that earlier ones left: no two count
    // alike. A test asks for them by their label.
    if (begins(name, "Trident::pinned") && !begins(counted(), "Trident::pinned")) return;
    if (!begins(name, counted())) return;
    if (left() < 0 || left()-- > 0) return;
    label() = name;
    throw InjectedFailure();
  }
};

/// Returns the step from one allocation that a test lets fail to the next, of so many of a rank. It
/// is 1 on hosts. On devices, where products allocate more and take longer, about `most` fail.
inline int stepOfFailures(int allocations, bool onHost, int most = 10) {
  return onHost || allocations < most ? 1 : allocations / most;
}

/// Counts the allocations that work() makes on this rank.
template <class Work>
int allocationsOf(const Work& work, const char* prefix = "") {
  constexpr int many = 1 << 30;
  const FailingAllocation counted(many, prefix);
  work();
  return many - FailingAllocation::left();
}

}  // namespace TestTools

}  // namespace Trident::Impl

#endif
