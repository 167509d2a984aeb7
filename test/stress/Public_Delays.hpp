// SPDX-License-Identifier: BSD-3-Clause
// Moody ranks: what FaultyTransport does to exchanges, at the level of public calls.
#ifndef TRIDENT_PUBLIC_DELAYS_HPP
#define TRIDENT_PUBLIC_DELAYS_HPP

#include <Kokkos_Core.hpp>
#include <memory>

#include "Exchange_FaultyTransport.hpp"

namespace TridentTest {
namespace PublicStress {

/// While one lives, this rank sleeps now and then as it enters a phase or a kernel; one at a time.
class Delays {
 public:
  /// @param microseconds the longest sleep; 0: none
  Delays(unsigned seed, int microseconds) {
    mood() = std::make_unique<Trident::Impl::TestTools::Mood>(seed, microseconds);
    Kokkos::Tools::Experimental::set_push_region_callback(enterRegion);
    Kokkos::Tools::Experimental::set_begin_parallel_for_callback(enterKernel);
  }
  ~Delays() {
    Kokkos::Tools::Experimental::set_push_region_callback(nullptr);
    Kokkos::Tools::Experimental::set_begin_parallel_for_callback(nullptr);
  }
  Delays(const Delays&) = delete;
  Delays& operator=(const Delays&) = delete;

 private:
  static std::unique_ptr<Trident::Impl::TestTools::Mood>& mood() {
    static std::unique_ptr<Trident::Impl::TestTools::Mood> mood;
    return mood;
  }
  static void enterRegion(const char*) { mood()->delay(Trident::Impl::TestTools::often); }
  static void enterKernel(const char*, std::uint32_t, std::uint64_t*) {
    mood()->delay(Trident::Impl::TestTools::seldom);
  }
};

}  // namespace PublicStress
}  // namespace TridentTest

#endif
