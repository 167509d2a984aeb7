// SPDX-License-Identifier: BSD-3-Clause
// Memory that runs out when a test wants it to, by a Kokkos callback.
#ifndef TRIDENT_MULTIPLY_FAILINGALLOCATION_HPP
#define TRIDENT_MULTIPLY_FAILINGALLOCATION_HPP

#include <Kokkos_Core.hpp>
#include <cstring>
#include <stdexcept>
#include <string>

namespace Trident::Impl {
namespace TestTools {

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

  /// What the last one alive failed; empty where it failed nothing.
  static std::string& label() {
    static std::string label;
    return label;
  }
  /// From now on: allocations that succeed before the one that fails.
  static int& left() {
    static int left = never;
    return left;
  }

 private:
  static const char*& counted() {
    static const char* prefix = "";
    return prefix;
  }
  static void count(Kokkos::Tools::SpaceHandle, const char* name, const void*, std::uint64_t) {
    // Kokkos' own scratch memory is no view of ours: where its allocation throws, Kokkos 3.4 keeps
    // a pointer to what it has freed before.
    if (std::strncmp(name, "Kokkos::", 8) == 0) return;
    if (std::strncmp(name, counted(), std::strlen(counted())) != 0) return;
    if (left() < 0 || left()-- > 0) return;
    label() = name;
    throw std::runtime_error("injected failure");
  }
};

}  // namespace TestTools

}  // namespace Trident::Impl

#endif
